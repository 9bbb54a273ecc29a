import FoundationEssentials
import GRDB
import GRDBSQLite
import Glibc

/// A connection of GRDB, in one transaction.
final class SQLiteConnection: SQLConnection {
  private let database: Database
  /// The limits of the statements (`Database.limited`); nil if they have none.
  private let limits: StatementLimits?
  /// The statements that are kept until the transaction ends, by their SQL.
  private var statements: [String: Statement] = [:]

  init(_ database: Database, limits: StatementLimits? = nil) {
    self.database = database
    self.limits = limits
  }

  var dialect: SQLDialect { .sqlite }

  func run(_ sql: String, _ arguments: [any SQLArgument]) throws {
    try limits?.check()
    let statement = try database.cachedStatement(sql: sql)
    try bind(arguments, to: statement)
    // Frees the copies of large arguments.
    defer { sqlite3_clear_bindings(statement.sqliteStatement) }
    try statement.execute()
  }

  func changedRows(_ sql: String, _ arguments: [any SQLArgument]) throws -> Int {
    try run(sql, arguments)
    return database.changesCount
  }

  func forEachRow(
    _ sql: String, _ arguments: [any SQLArgument], lifetime: SQLStatementLifetime,
    _ body: (any SQLRow) throws -> Bool
  ) throws {
    try limits?.check()
    let statement = try statement(sql, lifetime)
    try bind(arguments, to: statement)
    // A cursor of rows would read the names of all columns. This one has the first column's values.
    let rows = try DatabaseValue.fetchCursor(statement)
    let row = SQLiteRow(statement: statement.sqliteStatement)
    while try rows.next() != nil, try body(row) {}
  }

  private func statement(_ sql: String, _ lifetime: SQLStatementLifetime) throws -> Statement {
    switch lifetime {
    case .connection: return try database.cachedStatement(sql: sql)
    case .transaction:
      if let statement = statements[sql] { return statement }
      let statement = try database.makeStatement(sql: sql)
      statements[sql] = statement
      return statement
    }
  }

  /// Binds the arguments of a statement, without converting them to GRDB's own values.
  private func bind(_ arguments: [any SQLArgument], to statement: Statement) throws {
    // GRDB now regards the arguments as bound.
    statement.setUncheckedArguments(StatementArguments())
    let handle = statement.sqliteStatement
    guard sqlite3_bind_parameter_count(handle) == arguments.count else {
      throw DatabaseError(resultCode: .SQLITE_RANGE)
    }
    var index: Int32 = 0
    for argument in arguments {
      index += 1
      let code = argument.sqlValue.bind(to: handle, at: index)
      guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }
  }

  func hasTable(_ name: String) throws -> Bool { try database.tableExists(name) }
}

/// The current row of an SQLite statement.
private struct SQLiteRow: SQLRow {
  let statement: SQLiteStatement

  var count: Int { Int(sqlite3_column_count(statement)) }

  func position(of name: String) throws -> Int {
    let column = (0..<sqlite3_column_count(statement)).first { column in
      sqlite3_column_name(statement, column).map { strcmp($0, name) == 0 } ?? false
    }
    guard let column else { throw StorageFailure.failed(.damaged(.column(name))) }
    return Int(column)
  }

  func isNull(_ column: Int) -> Bool {
    sqlite3_column_type(statement, Int32(column)) == SQLITE_NULL
  }

  func integer(_ column: Int) throws -> Int64 {
    try check(column, SQLITE_INTEGER)
    return sqlite3_column_int64(statement, Int32(column))
  }

  func text(_ column: Int) throws -> String {
    try check(column, SQLITE_TEXT)
    let text = sqlite3_column_text(statement, Int32(column))
    let count = Int(sqlite3_column_bytes(statement, Int32(column)))
    return String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
  }

  func bytes(_ column: Int) throws -> Data {
    try check(column, SQLITE_BLOB)
    // The pointer is nil if there are no bytes.
    guard let bytes = sqlite3_column_blob(statement, Int32(column)) else { return Data() }
    return Data(bytes: bytes, count: Int(sqlite3_column_bytes(statement, Int32(column))))
  }

  private func check(_ column: Int, _ type: Int32) throws {
    guard sqlite3_column_type(statement, Int32(column)) == type else {
      let name = sqlite3_column_name(statement, Int32(column)).map { String(cString: $0) }
      throw StorageFailure.failed(.damaged(.column(name ?? "")))
    }
  }
}

extension SQLValue {
  /// Binds an argument of a statement.
  ///
  /// - Parameter index: the number of the argument; the first is 1.
  /// - Returns: the result code of SQLite.
  fileprivate func bind(to statement: SQLiteStatement, at index: Int32) -> Int32 {
    // SQLite copies the bytes.
    let copies = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    switch self {
    case .null: return sqlite3_bind_null(statement, index)
    case .integer(let integer): return sqlite3_bind_int64(statement, index, integer)
    case .text(var text):
      return text.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) { bytes in
          // Without an address, the argument would be NULL.
          guard let start = bytes.baseAddress else {
            return sqlite3_bind_text(statement, index, "", 0, copies)
          }
          return sqlite3_bind_text(statement, index, start, Int32(bytes.count), copies)
        }
      }
    case .bytes(let data):
      return data.withUnsafeBytes { bytes in
        guard !bytes.isEmpty else { return sqlite3_bind_zeroblob(statement, index, 0) }
        return sqlite3_bind_blob(statement, index, bytes.baseAddress, Int32(bytes.count), copies)
      }
    }
  }
}
