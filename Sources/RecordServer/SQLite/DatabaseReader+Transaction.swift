import GRDB

extension DatabaseReader {
  /// Reads in one transaction, and waits until that has ended.
  ///
  /// On a database with one connection, GRDB's `read` also sets `query_only` before and resets it
  /// after, and each time SQLite compiles all cached statements again.
  func readTransaction<Value>(
    _ body: (Database) throws -> Value
  ) throws -> Value {
    try unsafeRead { database in
      // GRDB's own method compiles the statement each time.
      try database.cachedStatement(sql: "BEGIN DEFERRED TRANSACTION").execute()
      defer { try? database.rollback() }
      return try body(database)
    }
  }
}
