import Foundation
import GRDB
import Quran
import TestSupport
import Testing

@testable import Library

struct ExportTests {
  // MARK: The document

  @Test func theDocumentHasALineForEachElement() throws {
    let library = try Library.inMemory()
    let id = try #require(UUID(uuidString: "8C2A41D0-0000-4000-8000-000000000001"))
    let ayah = try #require(AyahID("2:255"))
    try library.commit(
      [
        .setFavorite(ayah, true), .setFavorite(.first, true),
        .addNote(id, ayah, try NoteText("một\u{1B}\u{202E}\nhai")),
        .setProgress(ayah.surah, to: 45), .set("theme", "\"dark\""),
      ], at: 5)
    var reading = ReadingChanges()
    reading.ayahsRead = [Day(number: 0): 3]
    reading.device = ["cue2": "2:255", "cue10": "1:1", "cueX": "1:1"]
    _ = try library.save(reading, at: 5)
    try library.save(
      Draft(
        id: .numbered(1), noteID: id, ayah: ayah, base: NoteText("một\nhai"), text: "ba",
        changedAt: 6))
    let zero = try #require(UUID(uuidString: "00000000-0000-0000-0000-000000000000"))
    try library.save(Draft(id: zero, noteID: zero, ayah: ayah, base: nil, text: "", changedAt: 7))
    #expect(
      try Export.json(library, at: 9) == #"""
        {
          "format": "quran-vi",
          "version": 1,
          "exportedAt": 9,
          "favorites": [
            {"ayah": "1:1", "favoritedAt": 5},
            {"ayah": "2:255", "favoritedAt": 5}
          ],
          "notes": [
            {"id": "8C2A41D0-0000-4000-8000-000000000001", "ayah": "2:255", "text": "một\u001b\u202e\nhai", "createdAt": 5, "modifiedAt": 5}
          ],
          "progress": [
            {"surah": 2, "lastReadAyah": 45, "totalAyahs": 286, "lastUpdatedAt": 5}
          ],
          "settings": [
            {"key": "theme", "value": "\"dark\"", "lastModifiedAt": 5}
          ],
          "readingDays": [
            {"day": "1970-01-01", "ayahs": 3}
          ],
          "drafts": [
            {"id": "00000000-0000-4000-8000-000000000001", "note": "8C2A41D0-0000-4000-8000-000000000001", "ayah": "2:255", "text": "ba", "base": "một\nhai", "changedAt": 6},
            {"id": "00000000-0000-0000-0000-000000000000", "note": "00000000-0000-0000-0000-000000000000", "ayah": "2:255", "text": "", "changedAt": 7}
          ],
          "cues": [
            {"number": 2, "ayah": "2:255"}
          ]
        }

        """#)
  }

  @Test func anEmptyLibraryIsExportedWithEmptyLists() throws {
    let json = try Export.json(try .inMemory())
    #expect(json.contains("\"favorites\": [],\n"))
    let report = try Export.load(json, into: try .inMemory())
    #expect(report.total == ImportReport.Count())
    #expect(report.unknownKeyCount == 0)
  }

  @Test func theDocumentHasNoControlOrBidiCharacters() throws {
    let json = try Export.json(try Export.filledLibrary())
    let bad = json.unicodeScalars.first {
      $0 != "\n" && $0.properties.generalCategory == .control || $0.properties.isBidiControl
    }
    #expect(bad == nil)
  }

  @Test func errorsOfTheSinkAreThrown() throws {
    struct Full: Error {}
    let library = try Export.filledLibrary()
    #expect(throws: Full.self) { try library.exportJSON(at: 0) { _ in throw Full() } }
    #expect(throws: Full.self) { try library.exportLegacyKeys { _ in throw Full() } }
    #expect(throws: Full.self) { try library.eachMarkedAyah { _, _, _ in throw Full() } }
  }

  /// A damaged file can have NULL where the schema forbids it.
  @Test func valuesThatAreMissingAreWrittenEmpty() throws {
    let library = try Library.inMemory()
    try library.database.write {
      try $0.execute(
        sql: """
          DROP TABLE setting;
          CREATE TABLE setting (key, value, lastModifiedAt);
          INSERT INTO setting VALUES (NULL, NULL, NULL)
          """)
    }
    let json = try Export.json(library)
    #expect(json.contains(#""key": "", "value": "", "lastModifiedAt": 0"#), "\(json)")
  }

  @Test func theLegacyKeysOfADamagedLibraryHaveWhatCanBeRead() throws {
    let library = try Library.inMemory()
    try library.database.write {
      try $0.execute(
        sql: """
          DROP TABLE progress;
          CREATE TABLE progress (surah, lastReadAyah, totalAyahs, lastUpdatedAt);
          INSERT INTO progress VALUES (NULL, 5, 7, 1), (2, 45, NULL, NULL);
          DROP TABLE note;
          CREATE TABLE note (id, surah, ayah, createdAt, modifiedAt, text);
          INSERT INTO note VALUES
            (NULL, NULL, 1, 1, 1, 'a'), (NULL, 1, NULL, 1, 1, 'b'), (NULL, 2, 255, 1, 1, NULL),
            (NULL, 2, 255, 2, 2, 'c')
          """)
    }
    let keys = try legacyKeys(library).mapValues { String(decoding: $0, as: UTF8.self) }
    #expect(keys["ayahNotes"] == #"{"2:255":["","c"]}"#)
    #expect(
      keys["ReadingProgressStore.progress"] == #"{"2":{"lastReadAyah":45,"totalAyahs":286}}"#)
  }

  @Test func progressIsReportedForEveryElement() throws {
    let library = try Export.filledLibrary()
    let progressCalls = ProgressCalls()
    let counts = try library.exportJSON(
      at: 0, progress: { progressCalls.all.append([$0, $1]) }, to: { _ in })
    let total = counts.values.reduce(0, +)
    #expect(progressCalls.all == (1...total).map { [$0, total] })
    #expect(counts[.notes] == Export.texts.count)
    #expect(counts[.cues] == 2)
  }

  private final class ProgressCalls {
    var all: [[Int]] = []
  }

  // MARK: Round trips

  @Test func everyRowIsTheSameAfterExportAndImport() throws {
    // Some programs treat U+FEFF at the beginning of a text as a byte order mark.
    let texts = ["\u{FEFF}a"] + Export.texts + Export.longTexts
    let library = try Export.filledLibrary(texts)
    let copy = try Library.inMemory()
    let report = try Export.load(try Export.json(library), into: copy)
    #expect(try Export.rows(copy) == Export.rows(library))
    #expect(report.total.imported == report.total.found)
    #expect(report.total.skipped == 0 && report.total.alreadyThere == 0)
    #expect(report.unknownKeyCount == 0 && report.unknownFieldCount == 0)
    #expect(report[.notes].imported == texts.count)
    #expect(try Export.json(copy) == Export.json(library))
  }

  @Test func importingTwiceChangesNothing() throws {
    let library = try Library.inMemory()
    let json = try Export.json(try Export.filledLibrary())
    try Export.load(json, into: library)
    let rows = try Export.rows(library, withOutbox: true)
    let report = try Export.load(json, into: library, at: Export.now + 1000)
    #expect(report.total.alreadyThere == report.total.found && report.total.found > 20)
    #expect(report.commit.isEmpty)
    #expect(try Export.rows(library, withOutbox: true) == rows)
  }

  @Test func everyChangeIsInTheOutboxOnce() throws {
    let library = try Export.filledLibrary()
    let copy = try Library.inMemory()
    try Export.load(try Export.json(library), into: copy)
    let outbox = "SELECT kind, key, op FROM outbox ORDER BY kind, key"
    #expect(
      try copy.database.read { try Row.fetchAll($0, sql: outbox) }
        == library.database.read { try Row.fetchAll($0, sql: outbox) })
    #expect(
      try copy.database.read {
        try Int.fetchAll($0, sql: "SELECT DISTINCT generation FROM outbox")
      } == [1])
  }

  @Test(arguments: [false, true]) func aReformattedDocumentIsImported(sortsKeys: Bool) throws {
    let library = try Export.filledLibrary()
    let value = try JSONSerialization.jsonObject(with: Data(try Export.json(library).utf8))
    var options: JSONSerialization.WritingOptions = [.prettyPrinted]
    if sortsKeys { options = [.sortedKeys] }
    let formatted = try JSONSerialization.data(withJSONObject: value, options: options)
    let copy = try Library.inMemory()
    try Export.load(Array(formatted), into: copy)
    #expect(try Export.rows(copy) == Export.rows(library))
  }

  private static let python: String? = (ProcessInfo.processInfo.environment["PATH"] ?? "")
    .split(separator: ":").map { "\($0)/python3" }.first { access($0, X_OK) == 0 }

  @Test(.enabled(if: python != nil, "Python is not installed"))
  func aDocumentReformattedByPythonIsImported() throws {
    let library = try Export.filledLibrary()
    let directory = try TemporaryDirectory()
    let path = directory.path + "/export.json"
    try Export.json(library).write(toFile: path, atomically: false, encoding: .utf8)
    for options in [[], ["--sort-keys"], ["--no-ensure-ascii"], ["--compact"], ["--tab"]] {
      let process = Process()
      process.executableURL = URL(filePath: try #require(Self.python))
      process.arguments = ["-m", "json.tool"] + options + [path]
      let pipe = Pipe()
      process.standardOutput = pipe
      try process.run()
      let formatted = try #require(try pipe.fileHandleForReading.readToEnd())
      process.waitUntilExit()
      try #require(process.terminationStatus == 0, "\(options)")
      let copy = try Library.inMemory()
      try Export.load(Array(formatted), into: copy)
      #expect(try Export.rows(copy) == Export.rows(library), "\(options)")
    }
  }

  @Test func theDocumentIsReadInPiecesOfAnySize() throws {
    let library = try Library.inMemory()
    try library.commit(
      [.addNote(UUID(), .first, try NoteText("\u{1B}đ🕋\"\\")), .set("theme", "\"dark\"")], at: 1)
    let json = "\u{FEFF}" + (try Export.json(library))
    for piece in 1...7 {
      let copy = try Library.inMemory()
      try Export.load(json, into: copy, piece: piece)
      #expect(try Export.rows(copy) == Export.rows(library))
    }
  }

  // MARK: The phone app's keys

  private struct Surah: Decodable, Equatable {
    let lastReadAyah: Int
    let totalAyahs: Int
  }

  private func legacyKeys(_ library: Library) throws -> [String: Data] {
    let text = WrittenText()
    try library.exportLegacyKeys { text.value += $0 }
    let value = try PropertyListSerialization.propertyList(
      from: Data(text.value.utf8), options: [], format: nil)
    return try #require(value as? [String: Data])
  }

  @Test func theLegacyKeysAreInTheAppsEncoding() throws {
    let library = try Export.filledLibrary()
    let keys = try legacyKeys(library)
    #expect(Set(keys.keys) == ["favoriteAyahs", "ayahNotes", "ReadingProgressStore.progress"])
    let decoder = JSONDecoder()
    let favorites = try decoder.decode(
      [String].self, from: try #require(keys["favoriteAyahs"]))
    #expect(favorites == (try library.snapshot().favorites.map { "\($0.ayah)" }))
    let notes = try decoder.decode([String: [String]].self, from: try #require(keys["ayahNotes"]))
    var expected: [String: [String]] = [:]
    try library.eachNote { expected["\($0.ayah)", default: []].append($0.text.text) }
    #expect(notes == expected)
    let progress = try decoder.decode(
      [String: Surah].self, from: try #require(keys["ReadingProgressStore.progress"]))
    #expect(
      progress == [
        "2": Surah(lastReadAyah: 45, totalAyahs: 286),
        "114": Surah(lastReadAyah: 6, totalAyahs: 6),
      ])
  }

  @Test func anEmptyLibraryHasTheLegacyKeys() throws {
    let keys = try legacyKeys(try .inMemory()).mapValues { String(decoding: $0, as: UTF8.self) }
    #expect(
      keys == ["favoriteAyahs": "[]", "ayahNotes": "{}", "ReadingProgressStore.progress": "{}"])
  }

  // MARK: Ayahs with marks

  @Test func markedAyahsAreVisitedInOrder() throws {
    let library = try Library.inMemory()
    func ayah(_ text: String) throws -> AyahID { try #require(AyahID(text)) }
    for favorite in ["1:1", "2:255", "2:256", "114:6"] {
      try library.commit([.setFavorite(try ayah(favorite), true)], at: 1)
    }
    for (index, (place, text)) in [
      ("2:255", "b"), ("2:255", "a"), ("3:1", "c"), ("1:2", "d"),
    ].enumerated() {
      try library.commit(
        [.addNote(UUID(), try ayah(place), try NoteText(text))], at: Int64(index))
    }
    let text = WrittenText()
    try library.eachMarkedAyah { ayah, isFavorite, note in
      text.value += "\(ayah)\(isFavorite ? "♥" : "")\(note?.text.text ?? "") "
    }
    #expect(text.value == "1:1♥ 1:2d 2:255♥b 2:255♥a 2:256♥ 3:1c 114:6♥ ")
  }
}
