/// A connection to an SQL database, in a transaction.
///
/// The SQL of statements is the part that all engines understand, with a `?` for each argument;
/// `dialect` writes what differs.
protocol SQLConnection: AnyObject {
  var dialect: SQLDialect { get }
  /// Executes a statement that returns no rows.
  ///
  /// - Returns: the number of rows that were inserted, updated or deleted.
  @discardableResult
  func run(_ sql: String, _ arguments: [any SQLArgument]) throws -> Int
  /// Executes a statement and calls `body` with each row until it returns false.
  func forEachRow(
    _ sql: String, _ arguments: [any SQLArgument], lifetime: SQLStatementLifetime,
    _ body: (any SQLRow) throws -> Bool
  ) throws
  func hasTable(_ name: String) throws -> Bool
}

/// How long a prepared statement is kept, to be used again.
enum SQLStatementLifetime {
  /// As long as the connection. The number of such statements must be limited.
  case connection
  /// Until the transaction ends.
  case transaction
}

extension SQLConnection {
  /// Returns the first row of a statement; nil if there is none.
  func row<Value>(
    _ sql: String, _ arguments: [any SQLArgument] = [],
    lifetime: SQLStatementLifetime = .connection, _ read: (any SQLRow) throws -> Value
  ) throws -> Value? {
    var value: Value?
    try forEachRow(sql, arguments, lifetime: lifetime) { row in
      if value == nil { value = try read(row) }
      // A statement stays active until its last row was read.
      return true
    }
    return value
  }

  /// Returns all rows of a statement.
  func rows<Value>(
    _ sql: String, _ arguments: [any SQLArgument] = [],
    lifetime: SQLStatementLifetime = .connection, _ read: (any SQLRow) throws -> Value
  ) throws -> [Value] {
    var values: [Value] = []
    try forEachRow(sql, arguments, lifetime: lifetime) { row in
      values.append(try read(row))
      return true
    }
    return values
  }

  /// Executes an INSERT of one row that returns its `id`.
  ///
  /// - Throws: a `StorageFailure`, also if no row was inserted.
  func insertedID(_ sql: String, _ arguments: [any SQLArgument]) throws -> Int64 {
    guard let id = try row(sql, arguments, { try $0[0] as Int64 }) else {
      throw StorageFailure.failed(.missing(.column("id")))
    }
    return id
  }
}
