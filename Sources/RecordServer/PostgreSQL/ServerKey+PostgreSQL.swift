import FoundationEssentials

extension ServerKey {
  /// The name of the key's row in the table `secret`.
  static let rowName = "server-key"
}

extension PostgreSQLRecordStorage {
  /// Returns the secret key of the service. It is stored in the database, so that all processes use
  /// the same key, and is created together with the tables.
  ///
  /// - Throws: a `StorageFailure`, also if there is no key. A new one could not decrypt the fields
  ///   that are encrypted.
  public func serverKey() async throws(StorageFailure) -> ServerKey {
    do {
      return try await database.read(within: nil) { try $0.serverKey() }
    } catch {
      throw StorageFailure(error)
    }
  }
}

extension SQLConnection {
  /// Returns the secret key of the service in a PostgreSQL database.
  ///
  /// - Throws: a `StorageFailure`, also if there is no key.
  func serverKey() throws -> ServerKey {
    let stored = try row("SELECT value FROM secret WHERE name = ?", [ServerKey.rowName]) {
      try $0[0] as Data
    }
    guard let stored else { throw StorageFailure.failed(.missing(.serverKey)) }
    guard stored.count == ServerKey.length else {
      throw StorageFailure.failed(.damaged(.serverKey))
    }
    return ServerKey(bytes: Array(stored))
  }
}
