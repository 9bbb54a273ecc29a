import FoundationEssentials
import GRDBSQLite
import Glibc
import LegacyImport
import Library
import Quran
import Samples

/// What the phone app keeps of a diligent reader, as `defaults export` writes it: every
/// ayah a favourite, 10,000 notes, progress in every surah.
private func dump() throws -> [UInt8] {
  let library = try Library.inMemory()
  var numbers = Numbers()
  var changes: [Change] = (AyahID.first...AyahID.last).map { .setFavorite($0, true) }
  for _ in 0..<10_000 {
    let ayah = AyahID(index: numbers.next(below: AyahID.count) + 1) ?? .first
    changes.append(.addNote(UUID(), ayah, noteText(on: ayah, &numbers)))
  }
  changes += SurahNumber.all.map { .setProgress($0, to: ($0.ayahCount + 1) / 2) }
  try library.commit(changes, at: epoch)
  var bytes: [UInt8] = []
  try library.exportLegacyKeys { bytes += Array($0.utf8) }
  return bytes
}

/// An import from the file's bytes to the disk, what of it is reading them, and beside it the same
/// rows inserted by SQLite alone, in turn: each into a new library, with the outbox, in one
/// transaction that is on the disk at its end.
func timesToImport(
  _ path: String, _ times: Int
) throws -> (imports: Samples, decodings: Samples, inserts: Samples) {
  let bytes = try dump()
  var (imports, decodings, inserts) = (Samples(), Samples(), Samples())
  for _ in 0...times {
    for name in [path, path + ".raw"] { remove(name) }
    let library = try Library.open(path, at: epoch).library
    let report = try imports.measure {
      let rows = try decodings.measure { try LegacyDump(bytes).rows }
      return try library.importLegacy(rows, datedAt: epoch, at: epoch, keepsCommit: false)
    }
    library.close()
    guard report.total.imported == AyahID.count + 10_000 + SurahNumber.count else {
      fail("library-bench: \(report.total) imported")
    }
    try Library.open(path + ".raw", at: epoch).library.close()
    let raw = RawInsert(path + ".raw", rows: RawInsert.rows(of: path))
    inserts.measure { raw.run() }
  }
  for name in [path, path + ".raw"] { remove(name) }
  // The first of a process makes what later ones find.
  return (imports.withoutFirst, decodings.withoutFirst, inserts.withoutFirst)
}

private func remove(_ path: String) {
  for suffix in ["", "-wal", "-shm", ".lock"] { unlink(path + suffix) }
}

/// Rows put into a library's tables by prepared statements and nothing else.
private struct RawInsert {
  enum Value {
    case number(Int64)
    case text(String)
    case null
  }

  private static let tables = ["favorite", "note", "progress", "outbox", "imported"]
  private let database: OpaquePointer?
  private let rows: [String: [[Value]]]

  init(_ path: String, rows: [String: [[Value]]]) {
    self.rows = rows
    var database: OpaquePointer?
    guard sqlite3_open(path, &database) == SQLITE_OK else { fail("library-bench: \(path)") }
    self.database = database
    Self.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL", database)
  }

  func run() {
    Self.execute("BEGIN IMMEDIATE", database)
    for table in Self.tables {
      guard let rows = rows[table], let first = rows.first else { continue }
      let marks = Array(repeating: "?", count: first.count).joined(separator: ", ")
      var statement: OpaquePointer?
      sqlite3_prepare_v2(
        database, "INSERT INTO \(table) VALUES (\(marks))", -1, &statement, nil)
      for row in rows {
        for (column, value) in zip(Int32(1)..., row) {
          switch value {
          case .number(let number): sqlite3_bind_int64(statement, column, number)
          // SQLITE_TRANSIENT
          case .text(let text):
            sqlite3_bind_text(
              statement, column, text, -1, unsafeBitCast(-1, to: sqlite3_destructor_type.self))
          case .null: sqlite3_bind_null(statement, column)
          }
        }
        guard sqlite3_step(statement) == SQLITE_DONE else {
          fail("library-bench: \(String(cString: sqlite3_errmsg(database)))")
        }
        sqlite3_reset(statement)
      }
      sqlite3_finalize(statement)
    }
    Self.execute("COMMIT", database)
    sqlite3_close(database)
  }

  /// All rows of a library, in the order in which they were put there.
  static func rows(of path: String) -> [String: [[Value]]] {
    var database: OpaquePointer?
    sqlite3_open(path, &database)
    defer { sqlite3_close(database) }
    var all: [String: [[Value]]] = [:]
    for table in tables {
      var statement: OpaquePointer?
      sqlite3_prepare_v2(database, "SELECT * FROM \(table)", -1, &statement, nil)
      while sqlite3_step(statement) == SQLITE_ROW {
        all[table, default: []].append(
          (0..<sqlite3_column_count(statement)).map { column in
            switch sqlite3_column_type(statement, column) {
            case SQLITE_INTEGER: .number(sqlite3_column_int64(statement, column))
            case SQLITE_NULL: .null
            default: .text(String(cString: sqlite3_column_text(statement, column)))
            }
          })
      }
      sqlite3_finalize(statement)
    }
    return all
  }

  private static func execute(_ sql: String, _ database: OpaquePointer?) {
    guard sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else {
      fail("library-bench: \(sql): \(String(cString: sqlite3_errmsg(database)))")
    }
  }
}
