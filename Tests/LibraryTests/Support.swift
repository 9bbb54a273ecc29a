import Foundation
import GRDB
import Quran
import TestSupport

@testable import Library

/// A library in a directory that is deleted after the test.
final class TemporaryLibrary {
  let directory: TemporaryDirectory
  let path: String

  init(_ name: String = "library.sqlite") throws {
    directory = try TemporaryDirectory()
    path = directory.path + "/" + name
  }

  func open(at now: Int64 = 1) throws -> Library { try Library.open(path, at: now).library }

  /// Opens the library, runs the body, and closes the library.
  func using<Value>(at now: Int64 = 1, _ body: (Library) throws -> Value) throws -> Value {
    let library = try open(at: now)
    defer { library.close() }
    return try body(library)
  }

  var contents: [String] { get throws { try directory.contents } }

  /// The names of the libraries that were set aside, without those of their WALs.
  var setAside: [String] {
    get throws {
      try contents.filter { $0.contains("-set-aside-") && $0.hasSuffix(".sqlite") }
    }
  }

  /// The bytes of a file of the library, which this process must not have open: see `OpenFile`.
  func bytes(_ suffix: String = "") throws -> Data {
    try Data(contentsOf: URL(filePath: path + suffix))
  }

  func write(_ bytes: Data, _ suffix: String = "") throws {
    try bytes.write(to: URL(filePath: path + suffix))
  }

  /// Writes bytes in place of a library that was opened and synced once.
  func writeOverLibrary(_ bytes: Data) throws {
    try write(bytes)
    try write(Data(), ".lock")
    try write(Data("1 1\n".utf8), ".generation")
  }

  /// Overwrites a part of a file.
  func overwrite(_ suffix: String = "", at offset: Int, with bytes: some Collection<UInt8>) throws {
    let file = try FileHandle(forUpdating: URL(filePath: path + suffix))
    try file.seek(toOffset: UInt64(offset))
    try file.write(contentsOf: Data(bytes))
    try file.close()
  }
}

extension Library {
  /// The rows of a query, their values joined by spaces.
  func rows(_ query: String) throws -> [String] {
    try read { database in
      try Row.fetchAll(database, sql: query).map { row in
        row.databaseValues.map { value in
          switch value.storage {
          case .null: "–"
          case .string(let text): text
          case .int64(let number): "\(number)"
          case .double(let number): "\(number)"
          case .blob(let data): "\(data.count) bytes"
          }
        }.joined(separator: " ")
      }
    }
  }

  func number(_ query: String) throws -> Int {
    try read { try Int.fetchOne($0, sql: query) ?? -1 }
  }

  /// All entries of the library, as text.
  func everything() throws -> [String] {
    try rows("SELECT 'favorite', * FROM favorite ORDER BY surah, ayah")
      + rows("SELECT 'note', * FROM note ORDER BY id")
      + rows("SELECT 'progress', * FROM progress ORDER BY surah")
      + rows("SELECT 'setting', * FROM setting ORDER BY key")
      + rows("SELECT 'draft', \(Draft.columns) FROM draft ORDER BY id")
      + rows("SELECT 'device', * FROM device ORDER BY key")
      + rows("SELECT 'readingDay', * FROM readingDay ORDER BY day")
  }

  /// The outbox: `favorite 2:255 save 1`.
  func outbox() throws -> [String] {
    try rows("SELECT kind, key, op, generation FROM outbox ORDER BY kind, key")
  }

  var isSound: Bool {
    get throws { try rows("PRAGMA integrity_check") == ["ok"] }
  }
}

/// Ayahs and surahs by their names, which must exist.
func ayah(_ name: String) -> AyahID { AyahID(name)! }
func surah(_ number: Int) -> SurahNumber { SurahNumber(number)! }

extension NoteText {
  /// A valid text of a note.
  static func of(_ text: String) throws -> NoteText { try NoteText(text) }
}

extension UUID {
  /// An id that is the same in every run.
  static func numbered(_ number: Int) -> UUID {
    UUID(uuidString: "00000000-0000-4000-8000-" + String(format: "%012X", number))!
  }

  static func random(using generator: inout SeededGenerator) -> UUID {
    numbered(Int(generator.next() >> 17))
  }
}

/// Waits for something that another thread or process does.
///
/// - Returns: Whether the condition became true in time. The time limit is only for hangs.
func eventually(seconds: Int = 60, _ condition: () throws -> Bool) rethrows -> Bool {
  let end = ContinuousClock.now + .seconds(seconds)
  while ContinuousClock.now < end {
    if try condition() { return true }
    usleep(2000)
  }
  return false
}
