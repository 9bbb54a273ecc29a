import FoundationEssentials

extension ServerKey {
  /// The name of the key's row in the table `secret`.
  static let rowName = "server-key"

  /// The bytes of a new key.
  static func randomBytes() -> [UInt8] {
    (0..<length).map { _ in UInt8.random(in: .min ... .max) }
  }
}

extension PostgreSQLRecordStorage {
  /// Returns the secret key of the service. It is stored in the database, so that all processes use
  /// the same key, and is created together with the tables.
  ///
  /// - Throws: a `StorageFailure`, also if there is no key. A new one could not decrypt the fields
  ///   that are encrypted.
  public func serverKey() async throws(StorageFailure) -> ServerKey {
    let stored: Data?
    do {
      stored = try await database.read(within: nil) { connection in
        try connection.row("SELECT value FROM secret WHERE name = ?", [ServerKey.rowName]) {
          try $0[0] as Data
        }
      }
    } catch {
      throw StorageFailure(error)
    }
    guard let stored else { throw .failed(.missing(.serverKey)) }
    guard stored.count == ServerKey.length else { throw .failed(.damaged(.serverKey)) }
    return ServerKey(bytes: Array(stored))
  }
}
