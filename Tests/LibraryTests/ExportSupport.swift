import Foundation
import GRDB
import Quran
import Testing

@testable import Library

/// Helpers of the tests of export and import.
enum Export {
  /// Later than all times in the tests' libraries.
  static let now: Int64 = 1_800_000_000_000

  /// Every row of the exported tables, and of the outbox if `withOutbox` is true.
  static func rows(_ library: Library, withOutbox: Bool = false) throws -> [String: [Row]] {
    var tables = [
      "favorite": "surah, ayah", "note": "id", "progress": "surah", "setting": "key",
      "readingDay": "day", "draft": "id",
    ]
    if withOutbox { tables["outbox"] = "kind, key" }
    return try library.database.read { database in
      var rows = try tables.reduce(into: [String: [Row]]()) {
        // The process that writes a draft is not exported.
        let columns = $1.key == "draft" ? Draft.columns : "*"
        $0[$1.key] = try Row.fetchAll(
          database, sql: "SELECT \(columns) FROM \($1.key) ORDER BY \($1.value)")
      }
      rows["cue"] = try Row.fetchAll(
        database, sql: "SELECT * FROM device WHERE key LIKE 'cue%' ORDER BY key")
      return rows
    }
  }

  static func json(_ library: Library, at now: Int64 = now) throws -> String {
    let text = WrittenText()
    try library.exportJSON(at: now) { text.value += $0 }
    return text.value
  }

  @discardableResult
  static func load(
    _ json: String, into library: Library, at now: Int64 = now, isDryRun: Bool = false,
    keepsCommit: Bool = true, piece: Int = .max
  ) throws -> ImportReport {
    try load(
      Array(json.utf8), into: library, at: now, isDryRun: isDryRun, keepsCommit: keepsCommit,
      piece: piece)
  }

  @discardableResult
  static func load(
    _ json: [UInt8], into library: Library, at now: Int64 = now, isDryRun: Bool = false,
    keepsCommit: Bool = true, piece: Int = .max
  ) throws -> ImportReport {
    try library.importJSON(
      at: now, isDryRun: isDryRun, keepsCommit: keepsCommit, from: source(json, piece: piece))
  }

  /// Hands out bytes as read(2) does.
  ///
  /// - Parameter piece: The maximum number of bytes per call.
  static func source(
    _ bytes: [UInt8], piece: Int = .max
  ) -> (UnsafeMutableRawBufferPointer) -> Int {
    var position = 0
    return { buffer in
      let count = min(buffer.count, bytes.count - position, piece)
      buffer.copyBytes(from: bytes[position..<position + count])
      position += count
      return count
    }
  }

  /// An export document with these lists.
  static func document(_ lists: String) -> String {
    #"{"format":"quran-vi","version":1,"# + lists + "}"
  }

  /// The failure of importing a document, which must not change the library.
  static func failure(
    _ json: [UInt8], sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> ExportDocument.Failure? {
    let library = try Library.inMemory()
    let failure = #expect(throws: ExportDocument.Failure.self, sourceLocation: sourceLocation) {
      try load(json, into: library)
    }
    #expect(try rows(library).values.allSatisfy(\.isEmpty), sourceLocation: sourceLocation)
    return failure
  }

  static func failure(
    _ json: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> ExportDocument.Failure? {
    try failure(Array(json.utf8), sourceLocation: sourceLocation)
  }

  /// Texts with characters that are easily lost or misread.
  static let texts = [
    "Câu Ngai Vàng", "đức tin\nhai dòng\n", "\u{1B}]0;x\u{7}\u{1B}[31m\u{7F}\u{85}\u{9B}31m\t",
    "\u{200F}بِسۡمِ ٱللَّهِ\u{200E} \u{202E}abc\u{202C} \u{2066}x\u{2069} \u{61C}",
    "👩‍👩‍👧‍👦 🇻🇳 👍🏽 \u{1F9D5}\u{1F3FF}", "\"\\/\u{8}\u{C}\\u0041 \\n", "a\u{2028}b\u{2029}c",
    "x\u{FEFF}\u{FFFE}\u{FFFF}\u{10FFFF}", "  đầu và cuối  ",
  ]

  static let longTexts = [
    String(repeating: "dòng\n", count: 10_000), String(repeating: "x", count: 900_000),
    String(repeating: "\u{1}", count: 899_999) + "x", String(repeating: "🕋", count: 225_000),
  ]

  /// A library with unusual entries in every table.
  static func filledLibrary(_ texts: [String] = texts) throws -> Library {
    let library = try Library.inMemory()
    for (index, text) in texts.enumerated() {
      let ayah = try #require(AyahID(index: 250 + index / 2))
      try library.commit(
        [.addNote(UUID(), ayah, try NoteText(text)), .setFavorite(ayah, true)],
        at: 1_700_000_000_000 + Int64(index))
    }
    let surah = try #require(SurahNumber(2))
    try library.commit(
      [
        .setFavorite(.first, true), .setFavorite(.last, true), .setProgress(surah, to: 45),
        .setProgress(.last, to: 6), .setProgress(.first, to: 3), .set("theme", "\"dark\""),
        .set("khatm", " { \"days\" : 30,\n\t\"start\":\"2026-11-22\" } "),
        .set("của bạn \"x\"", "1.50e+3"), .set("x", "[\"\u{202E}\\u001b\u{9B}\"]"),
      ], at: 1_710_000_000_000)
    try library.commit([.setProgress(.first, to: 0)], at: 1_710_000_000_001)
    var reading = ReadingChanges()
    reading.ayahsRead = [Day(number: 20_000): 12, Day(number: 20_001): 286]
    reading.device = ["cue1": "2:255", "cue9": "114:6", "position": "36:1"]
    _ = try library.save(reading, at: 1_710_000_000_002)
    for (text, base) in [("", nil), ("chưa xong\u{1B}\r\n", try NoteText("cũ"))] {
      try library.save(
        Draft(
          id: UUID(), noteID: UUID(), ayah: .first, base: base, text: text,
          changedAt: 1_720_000_000_000))
    }
    return library
  }
}

/// Text that a closure has written.
final class WrittenText {
  var value = ""
}
