extension AccountStorage {
  /// Opens the storage in the PostgreSQL database of a storage of records, whose connections it
  /// shares, and creates or upgrades its tables.
  ///
  /// Each transaction that writes can change the rows of several accounts, and decides by rows that
  /// it does not change: a session is created for the password that was verified, and only the newest
  /// sessions stay. So the transactions run as if one after the other. Those that conflict are
  /// repeated; most requests only read, and conflict with none.
  ///
  /// - Parameter onFailure: called with each failure after the storage was opened, so that it can be
  ///   logged.
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
