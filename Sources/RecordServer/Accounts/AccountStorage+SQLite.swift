public import GRDB

extension AccountStorage {
  /// Opens the storage in an SQLite database, and creates or upgrades its tables.
  ///
  /// - Parameters:
  ///   - database: a database with foreign keys enabled, as GRDB enables them by default. It can
  ///     have other tables.
  ///   - onFailure: called with each later failure and its cause, for the log.
  public init(
    _ database: any DatabaseWriter,
    onFailure: @escaping @Sendable (StorageFailure) -> Void = { _ in }
  ) throws(StorageFailure) {
    do {
      try AccountTables.migrator.migrate(database)
    } catch {
      throw StorageFailure(error)
    }
    self.init(SQLiteDatabase(database: database), onFailure: onFailure)
  }
}
