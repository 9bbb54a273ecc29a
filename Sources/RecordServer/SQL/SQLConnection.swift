/// A connection to an SQL database, in a transaction.
///
/// Statements are in the SQL that all engines understand, with a `?` for each argument; `dialect`
/// writes the SQL that differs.
protocol SQLConnection: AnyObject {
  var dialect: SQLDialect { get }
  /// Executes a statement that returns no rows. An engine can wait for its result later: a later
  /// statement or the commit then throws its error.
  func run(_ sql: String, _ arguments: [any SQLArgument]) throws
  /// Executes a statement that returns no rows.
  ///
  /// - Returns: the number of rows that were inserted, updated or deleted.
  func changedRows(_ sql: String, _ arguments: [any SQLArgument]) throws -> Int
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
  /// The maximum size of the texts and bytes that one statement inserts in several rows: 1 MB. The
  /// client and the server hold all arguments of a statement at once.
  private static var insertBytes: Int { 1_000_000 }

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
  /// - Throws: the error of the engine; a `StorageFailure` if no row was inserted.
  func insertedID(_ sql: String, _ arguments: [any SQLArgument]) throws -> Int64 {
    guard let id = try row(sql, arguments, { try $0[0] as Int64 }) else {
      throw StorageFailure.failed(.missing(.column("id")))
    }
    return id
  }

  /// Inserts rows, `count` of them with one statement. Large rows, and the rows that are left if
  /// there are fewer than `count`, are inserted one by one.
  ///
  /// - Parameters:
  ///   - rows: the values of each row.
  ///   - table: the table, and its columns if they are not all in their order.
  ///   - count: the number of rows that one statement inserts. An engine keeps a prepared statement
  ///     for each number.
  ///   - conflict: the clause ON CONFLICT; empty for none. No two rows may have the same
  ///     conflicting key (PostgreSQL error 21000).
  func insert(
    _ rows: [[any SQLArgument]], into table: String, atOnce count: Int, _ conflict: String = ""
  ) throws {
    func list(_ item: String, _ count: Int) -> String {
      Array(repeating: item, count: count).joined(separator: ", ")
    }
    func size(of row: [any SQLArgument]) -> Int {
      row.reduce(0) { sum, argument in
        switch argument.sqlValue {
        case .null, .integer: sum
        case .text(let text): sum + text.utf8.count
        case .bytes(let bytes): sum + bytes.count
        }
      }
    }
    var rest = rows[...]
    while let first = rest.first {
      var part = rest.prefix(count)
      if part.count < count || part.reduce(0, { $0 + size(of: $1) }) > Self.insertBytes {
        part = rest.prefix(1)
      }
      rest = rest.dropFirst(part.count)
      let values = list("(\(list("?", first.count)))", part.count)
      try run("INSERT INTO \(table) VALUES \(values) \(conflict)", part.flatMap { $0 })
    }
  }
}
