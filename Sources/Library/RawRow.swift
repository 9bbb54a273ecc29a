import FoundationEssentials
import GRDB
import GRDBSQLite

/// A row as SQLite hands it out, while a statement stands on it.
struct RawRow {
  fileprivate let statement: OpaquePointer

  func int64(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }
  func int(_ column: Int32) -> Int { Int(int64(column)) }

  func string(_ column: Int32) -> String {
    sqlite3_column_text(statement, column).map { String(cString: $0) } ?? ""
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

extension Database {
  /// Goes through the rows of a query. GRDB's decoding costs several times what SQLite
  /// itself takes, which is felt where rows are thousands.
  func eachRow(_ sql: String, _ body: (RawRow) -> Void) throws {
    let statement = try cachedStatement(sql: sql)
    let row = RawRow(statement: statement.sqliteStatement)
    defer { sqlite3_reset(statement.sqliteStatement) }
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
