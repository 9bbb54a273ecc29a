import FoundationEssentials
import GRDB

extension DatabaseReader {
  /// Reads in one transaction.
  ///
  /// GRDB's `read` also sets `query_only` before and resets it after, and each time SQLite compiles
  /// all cached statements again.
  func readTransaction<Value>(_ body: (Database) throws -> Value) throws -> Value {
    try unsafeRead { database in
      try database.beginTransaction(.deferred)
      defer { try? database.rollback() }
      return try body(database)
    }
  }
}

extension Database {
  /// Executes a statement that changes rows.
  ///
  /// - Parameter values: One for each question mark.
  func run(_ sql: String, _ values: (any DatabaseValueConvertible)?...) throws {
    try cachedStatement(sql: sql).execute(arguments: StatementArguments(values))
  }

  /// Passes the rows of a query to a closure, one at a time.
  ///
  /// - Parameter values: One for each question mark.
  func eachRow(
    _ sql: String, _ values: (any DatabaseValueConvertible)?..., body: (Row) throws -> Void
  ) throws {
    try eachRow(sql, values, body)
  }

  /// Returns the values that a closure makes of the rows of a query, without those that are nil.
  ///
  /// - Parameter values: One for each question mark.
  func rows<Value>(
    _ sql: String, _ values: (any DatabaseValueConvertible)?..., make: (Row) throws -> Value?
  ) throws -> [Value] {
    try rows(sql, values, make)
  }

  func rows<Value>(
    _ sql: String, _ values: [(any DatabaseValueConvertible)?], _ make: (Row) throws -> Value?
  ) throws -> [Value] {
    var list: [Value] = []
    try eachRow(sql, values) { row in
      if let value = try make(row) { list.append(value) }
    }
    return list
  }

  private func eachRow(
    _ sql: String, _ values: [(any DatabaseValueConvertible)?], _ body: (Row) throws -> Void
  ) throws {
    let rows = try Row.fetchCursor(
      cachedStatement(sql: sql), arguments: StatementArguments(values))
    while let row = try rows.next() { try body(row) }
  }
}

// The columns of a row by their index. GRDB's own subscript ends the process if a damaged file has
// NULL in a column that cannot be NULL; these functions return an empty value instead.
extension Row {
  func int(_ column: Int) -> Int { self[column] as Int? ?? 0 }
  func int64(_ column: Int) -> Int64 { self[column] as Int64? ?? 0 }
  func string(_ column: Int) -> String { self[column] as String? ?? "" }
  func data(_ column: Int) -> Data { self[column] as Data? ?? Data() }
  /// Nil if the column has no UUID.
  func uuid(_ column: Int) -> UUID? { UUID(uuidString: string(column)) }
}
