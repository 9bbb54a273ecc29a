public import GRDB

extension AccountStorage {
  /// Opens the storage in an SQLite database, and creates or upgrades its tables.
  ///
  /// - Parameters:
  ///   - database: a database with foreign keys enabled, as GRDB enables them by default. It can
  ///     have other tables.
  ///   - onFailure: called with each failure after the storage was opened, so that it can be
  ///     logged.
  public init(
    _ database: any DatabaseWriter,
    onFailure: @escaping @Sendable (StorageFailure) -> Void = { _ in }
  ) throws(StorageFailure) {
    do {
      try AccountTables.migrator.migrate(database)
    } catch {
      throw StorageFailure(error)
    }
    self.init(SQLiteDatabase(database: database), isShared: false, onFailure: onFailure)
  }
}
