import GRDB

/// An SQLite database of GRDB.
struct SQLiteDatabase: SQLDatabase {
  let database: any DatabaseWriter
  let writes: SQLiteWriteQueue

  /// - Parameter now: the clock of the queue of writes; tests use another one.
  init(
    database: any DatabaseWriter,
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) {
    self.database = database
    writes = SQLiteWriteQueue(database, now: now)
  }

  func read<Value: Sendable>(
    within budget: RowBudget?, _ body: @escaping @Sendable (any SQLConnection) throws -> Value
  ) async throws -> Value {
    do {
      return try await database.readTransaction { database in
        let connection = SQLiteConnection(database)
        guard let budget else { return try body(connection) }
        return try database.spending(budget) { try body(connection) }
      }
    } catch let error as DatabaseError {
      throw StorageFailure(error)
    }
  }

  func write<Value: Sendable>(
    for account: Int64?, _ body: @escaping @Sendable (any SQLConnection) throws -> Value
  ) async throws -> Value {
    do {
      return try await writes.write(for: account) { try body(SQLiteConnection($0)) }
    } catch let error as DatabaseError {
      throw StorageFailure(error)
    }
  }
}
