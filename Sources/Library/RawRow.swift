import FoundationEssentials
import GRDB
import GRDBSQLite

/// A row as SQLite hands it out, while a statement stands on it.
struct RawRow {
  fileprivate let statement: OpaquePointer

  func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }
  func int64(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }
  func int(_ column: Int32) -> Int { Int(int64(column)) }

  func string(_ column: Int32) -> String {
    sqlite3_column_text(statement, column).map { String(cString: $0) } ?? ""
  }

  func data(_ column: Int32) -> Data {
    // SQLite tells the size only after it made bytes of the value.
    let bytes = sqlite3_column_blob(statement, column)
    return bytes.map { Data(bytes: $0, count: Int(sqlite3_column_bytes(statement, column))) }
      ?? Data()
  }

  /// - Parameter read: what tells the value where there is one.
  func optional<Value>(_ column: Int32, _ read: (RawRow) -> (Int32) -> Value) -> Value? {
    isNull(column) ? nil : read(self)(column)
  }

  /// Nil where the column holds no UUID as Foundation prints it.
  func uuid(_ column: Int32) -> UUID? {
    guard let text = sqlite3_column_text(statement, column),
      sqlite3_column_bytes(statement, column) == 36
    else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(16)
    var high: UInt8?
    for index in 0..<36 {
      let digit: UInt8
      switch text[index] {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = text[index] - UInt8(ascii: "0")
      case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = text[index] - UInt8(ascii: "A") + 10
      case UInt8(ascii: "-") where [8, 13, 18, 23].contains(index): continue
      default: return nil
      }
      if let first = high {
        bytes.append(first << 4 | digit)
        high = nil
      } else {
        high = digit
      }
    }
    guard bytes.count == 16 else { return nil }
    return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }
}

/// What is bound to a statement.
enum RawValue {
  case null
  case int(Int64)
  case text(String)
  case data(Data)

  static func int(_ number: Int) -> RawValue { .int(Int64(number)) }
  static func int(_ number: Int64?) -> RawValue { number.map { .int($0) } ?? .null }
  static func int(_ isTrue: Bool?) -> RawValue { isTrue.map { .int($0 ? 1 : 0) } ?? .null }
  static func text(_ text: String?) -> RawValue { text.map { .text($0) } ?? .null }
  static func data(_ data: Data?) -> RawValue { data.map { .data($0) } ?? .null }

  fileprivate func bind(to statement: OpaquePointer, at place: Int32) -> CInt {
    switch self {
    case .null: sqlite3_bind_null(statement, place)
    case .int(let number): sqlite3_bind_int64(statement, place, number)
    case .text(let text): sqlite3_bind_text(statement, place, text, -1, Self.copied)
    case .data(let data):
      data.withUnsafeBytes { bytes in
        // Without an address it would be NULL.
        bytes.isEmpty
          ? sqlite3_bind_zeroblob(statement, place, 0)
          : sqlite3_bind_blob64(
            statement, place, bytes.baseAddress, UInt64(bytes.count), Self.copied)
      }
    }
  }

  /// SQLITE_TRANSIENT, a macro that is not imported: SQLite is to keep its own copy.
  private static var copied: sqlite3_destructor_type {
    unsafeBitCast(-1, to: sqlite3_destructor_type.self)
  }
}

extension Database {
  /// Goes through the rows of a query. GRDB's decoding costs several times what SQLite
  /// itself takes, which is felt where rows are thousands, and where queries are.
  ///
  /// - Parameter values: one for each question mark.
  func eachRow(_ sql: String, _ values: RawValue..., body: (RawRow) -> Void) throws {
    try eachRow(sql, values, body)
  }

  /// What is made of the rows of a query, but those of which nothing is.
  func rows<Value>(
    _ sql: String, _ values: RawValue..., make: (RawRow) -> Value?
  ) throws -> [Value] {
    try rows(sql, values, make)
  }

  func rows<Value>(
    _ sql: String, _ values: [RawValue], _ make: (RawRow) -> Value?
  ) throws -> [Value] {
    var list: [Value] = []
    try eachRow(sql, values) { row in
      if let value = make(row) { list.append(value) }
    }
    return list
  }

  /// Carries out a statement that changes rows, within a transaction.
  func run(_ sql: String, _ values: RawValue...) throws {
    // A disk that is full ends a transaction: what belongs to it must not be done without it.
    guard isInsideTransaction else {
      throw DatabaseError(resultCode: .SQLITE_ABORT, message: "no transaction", sql: sql)
    }
    try eachRow(sql, values) { _ in }
  }

  private func eachRow(_ sql: String, _ values: [RawValue], _ body: (RawRow) -> Void) throws {
    let statement = try cachedStatement(sql: sql)
    let row = RawRow(statement: statement.sqliteStatement)
    defer { sqlite3_reset(statement.sqliteStatement) }
    for (place, value) in values.enumerated() {
      let code = value.bind(to: statement.sqliteStatement, at: Int32(place + 1))
      guard code == SQLITE_OK else {
        throw DatabaseError(
          resultCode: ResultCode(rawValue: code), message: lastErrorMessage, sql: sql)
      }
    }
    while true {
      switch sqlite3_step(statement.sqliteStatement) {
      case SQLITE_ROW: body(row)
      case SQLITE_DONE: return
      case let code:
        throw DatabaseError(
          resultCode: ResultCode(rawValue: code), message: lastErrorMessage, sql: sql)
      }
    }
  }
}
