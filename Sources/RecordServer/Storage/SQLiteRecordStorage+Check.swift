import GRDB

extension SQLiteRecordStorage {
  /// Checks the integrity of the file and, if it is intact, that stored data that is derived from
  /// other data agrees with it.
  ///
  /// - Returns: the faults; empty if there are none.
  public func faults() async throws(StorageFailure) -> [DatabaseFault] {
    do {
      return try await database.read { database in
        let check = try String.fetchAll(database, sql: "PRAGMA integrity_check(10)")
        guard check == ["ok"] else { return check.map(DatabaseFault.integrity) }
        return try SQLiteConnection(database).inconsistencies()
      }
    } catch {
      throw StorageFailure(error)
    }
  }
}
