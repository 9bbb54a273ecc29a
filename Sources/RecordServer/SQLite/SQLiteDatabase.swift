import GRDB

/// An SQLite database of GRDB.
struct SQLiteDatabase: SQLDatabase {
  let database: any DatabaseWriter

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
    _ body: @escaping @Sendable (any SQLConnection) throws -> Value
  ) async throws -> Value {
    do {
      return try await database.write { try body(SQLiteConnection($0)) }
    } catch let error as DatabaseError {
      throw StorageFailure(error)
    }
  }
}
