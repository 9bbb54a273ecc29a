extension AccountStorage {
  /// Opens the storage in the PostgreSQL database of a storage of records, whose connections it
  /// shares, and creates or upgrades its tables.
  ///
  /// A transaction that writes can change the rows of several accounts, and depends on rows that it
  /// only reads: a session is created for the password that was verified, and only the newest
  /// sessions stay. Such transactions are therefore serializable, and are repeated if they
  /// conflict. Most requests only read, and do not conflict.
  ///
  /// - Parameter onFailure: called with each failure after the storage was opened, so that it can
  ///   be logged.
  /// - Throws: a `StorageFailure`, also if the database was upgraded by a newer version.
  public init(
    _ storage: PostgreSQLRecordStorage,
    onFailure: @escaping @Sendable (StorageFailure) -> Void = { _ in }
  ) async throws(StorageFailure) {
    do {
      try await PostgreSQLTables.migrate(storage.pool, .accounts)
    } catch {
      throw StorageFailure(error)
    }
    self.init(
      PostgreSQLDatabase(pool: storage.pool, isolation: .serializable), isShared: true,
      onFailure: onFailure)
  }
}
