import Foundation
import Library
import Messages
import Quran
import TestSupport
import Testing
import Text

@testable import Commands

struct ImportCommandTests {
  private struct Entry: Decodable {
    struct Count: Decodable, Equatable {
      let found: Int
      let imported: Int
      var new: Int?
      var replaced: Int?
      var merged: Int?
      var keptBoth: Int?
      let alreadyThere: Int
      let skipped: Int
    }
    struct Skip: Decodable, Equatable {
      let list: String
      let place: String
      let number: Int?
      let line: Int?
      let code: String
      let reason: String
    }
    let file: String
    let format: String
    let dryRun: Bool
    let lists: [String: Count]
    let skipped: [Skip]
    let unknownKeys: [String]
    let unknownFields: Int
  }

  private let fixture: CommandFixture
  private let good = """
    {"format":"quran-vi","version":1,
    "favorites":[{"ayah":"2:255","favoritedAt":1},{"ayah":"1:1","favoritedAt":2}],
    "notes":[{"id":"8C2A41D0-0000-4000-8000-000000000001","ayah":"1:1","text":"một",
    "createdAt":1,"modifiedAt":2}]}
    """
  private let odd = """
    {"format":"quran-vi","version":1,"later":[],"z\\u001b":1,
    "favorites":[{"ayah":"2:300","favoritedAt":1},{"ayah":"1:2","favoritedAt":2,"by":"me"},
    {"ayah":"\\u001b[31m","favoritedAt":1}]}
    """

  init() throws {
    fixture = try CommandFixture()
  }

  @Test func aFileIsMergedAndReported() throws {
    let path = try fixture.file("x.json", good)
    #expect(
      try fixture.load(path).lines == [
        "\(path): an export of quran-vi", "  favourites: 2 new", "  notes: 1 new",
      ])
    #expect(
      try fixture.load(path).lines == [
        "\(path): an export of quran-vi", "  favourites: 0 new, 2 there already",
        "  notes: 0 new, 1 there already",
      ])
    #expect(try fixture.snapshot().favoriteCount == 2)
    #expect(try fixture.notes().map(\.text.text) == ["một"])
    #expect(try String(contentsOfFile: path, encoding: .utf8) == good)
  }

  @Test func aDryRunOfSeveralFilesReportsWhatTheImportDoes() throws {
    let one = try fixture.file("one.json", good)
    let two = try fixture.file("two.json", good)
    let dry = try fixture.load(one, two, isDryRun: true).lines.filter { $0.hasPrefix("  ") }
    #expect(try fixture.directory.contents == ["one.json", "two.json"])
    #expect(try fixture.load(one, two).lines.filter { $0.hasPrefix("  ") } == dry)
    #expect(dry.last == "  notes: 0 new, 1 there already")
  }

  @Test(arguments: [1000, -1000])
  func conflictingNotesAreBothKept(later: Int64) throws {
    try fixture.note(.add(.given("một giờ\nlàm việc")), "2:255")
    let id = try fixture.notes()[0].id
    let time = fixture.now + later
    fixture.now += 5000
    let path = try fixture.file(
      "x.json",
      """
      {"format":"quran-vi","version":1,"notes":[
      {"id":"\(id)","ayah":"2:255","text":"khác hẳn","createdAt":1,"modifiedAt":\(time)}]}
      """)
    let lines = ["  notes: 0 new, 1 kept both"]
    #expect(try Array(fixture.load(path, isDryRun: true).lines.dropFirst()) == lines)
    #expect(try fixture.notes().count == 1)
    #expect(try Array(fixture.load(path).lines.dropFirst()) == lines)
    let texts = try fixture.notes().map(\.text.text)
    #expect(Set(texts) == ["một giờ\nlàm việc", "khác hẳn"])
    // The later text keeps the ID of the note.
    let note = try #require(try fixture.notes().first { $0.id == id })
    #expect(note.text.text == (later > 0 ? "khác hẳn" : "một giờ\nlàm việc"))
    let entry = try #require(try fixture.load(path, asJSON: true).decoded([Entry].self).first)
    #expect(
      entry.lists["notes"]
        == Entry.Count(
          found: 1, imported: 0, new: 0, replaced: 0, merged: 0, keptBoth: 0, alreadyThere: 1,
          skipped: 0))
    #expect(try fixture.notes().map(\.text.text) == texts)
  }

  @Test func skippedElementsAreReported() throws {
    let path = try fixture.file("x.json", odd)
    #expect(
      try fixture.load(path).lines == [
        "\(path): an export of quran-vi", "  favourites: 1 new, 2 left out",
        "  left out favourites 1 (line 2): there is no ayah “2:300”",
        "  left out favourites 3 (line 3): there is no ayah “[31m”",
        "  not known, left out: later, z",
      ])
    let entry = try #require(try fixture.load(path, asJSON: true).decoded([Entry].self).first)
    #expect((entry.file, entry.format, entry.dryRun) == (path, "quran-vi", false))
    #expect(
      entry.lists["favorites"]
        == Entry.Count(
          found: 3, imported: 0, new: 0, replaced: 0, merged: 0, keptBoth: 0, alreadyThere: 1,
          skipped: 2))
    #expect(entry.lists.count == ExportDocument.List.allCases.count)
    #expect(
      entry.skipped.first
        == Entry.Skip(
          list: "favorites", place: "favourites 1 (line 2)", number: 1, line: 2,
          code: "no-such-ayah",
          reason: "there is no ayah “2:300”"))
    #expect(entry.unknownKeys == ["later", "z\u{1B}"] && entry.unknownFields == 1)
  }

  @Test func onlyTheFirstTenSkippedElementsArePrinted() throws {
    let bad = Array(repeating: "{}", count: 25).joined(separator: ",")
    let path = try fixture.file(
      "x.json", #"{"format":"quran-vi","version":1,"cues":[\#(bad)]}"#)
    let lines = try fixture.load(path).lines
    #expect(lines.count == 1 + 1 + 10 + 1)
    #expect(lines.last == "  … and 15 more (--json lists them)")
    #expect(try fixture.load(path, asJSON: true).decoded([Entry].self)[0].skipped.count == 25)
  }

  @Test func aDryRunIsReportedAndWritesNothing() throws {
    let path = try fixture.file("x.json", good)
    let lines = try fixture.load(path, isDryRun: true).lines
    #expect(lines[0] == "\(path): an export of quran-vi – dry run, nothing is written")
    #expect(lines[1...] == ["  favourites: 2 new", "  notes: 1 new"])
    #expect(try fixture.directory.contents == ["x.json"])
    try fixture.favorite(.add, "1:1")
    #expect(
      try fixture.load(path, isDryRun: true).lines[1] == "  favourites: 1 new, 1 there already")
    #expect(try fixture.snapshot().favoriteCount == 1)
  }

  @Test func severalFilesAreImportedInTurn() throws {
    let paths = try [fixture.file("a.json", good), fixture.file("b.json", odd)]
    let entries = try fixture.load(paths[0], paths[1], asJSON: true).decoded([Entry].self)
    #expect(entries.map(\.file) == paths)
    #expect(try fixture.snapshot().favoriteCount == 3)
  }

  @Test func anInvalidFilePreventsTheWholeImport() throws {
    let good = try fixture.file("good.json", good)
    for (text, message) in [
      ("", "“%” is not a property list or JSON, compressed with gzip or not."),
      (
        "{\"a\":1}",
        "“%” has none of the app's keys (favoriteAyahs, ayahNotes,"
          + " ReadingProgressStore.progress), only these: a."
      ),
      (
        "{\"favoriteAyahs\":[\"1:1\"}",
        "“%” is broken on line 1 (byte 23): “,” / “]” is missing."
      ),
      (
        "{\"format\":\"quran-vi\",\"version\":1,\n\"notes\":[}",
        "“%” is broken on line 2 (byte 43): a value is missing."
      ),
      (
        "{\"format\":\"quran-vi\",\"version\":1} x",
        "“%” is broken on line 1 (byte 34): there is more text after the end."
      ),
      (
        "{\"format\":\"quran-vi\",\"version\":7}",
        "“%” is from a newer quran-vi (format 7); update the program."
      ),
      (
        "{\"a\":" + String(repeating: "[", count: 100), "“%” is nested too deeply."
      ),
    ] {
      let bad = try fixture.file("bad.json", text)
      #expect(
        try failure { try fixture.load(good, bad) }
          == CommandFailure(.badData, message.replacing("%", with: bad)))
    }
    #expect(try fixture.directory.contents == ["bad.json", "good.json"])
  }

  @Test func aMissingFileExitsWithStatus1() throws {
    #expect(
      try failure { try fixture.load("/nowhere/x.json") }
        == CommandFailure(.notFound, "There is no file “/nowhere/x.json”."))
    #expect(try failure { try fixture.load(fixture.directory.path) }.status == .badData)
    #expect(try failure { try fixture.load() }.status == .usage)
    #expect(try failure { try fixture.load("-", "-") }.status == .usage)
  }

  @Test func aPipeIsReadToItsEnd() throws {
    let path = fixture.directory.path + "/fifo"
    try #require(mkfifo(path, 0o600) == 0)
    // This is longer than the buffer of a pipe.
    let long = good.replacing("một", with: String(repeating: "dài ", count: 100_000))
    let writer = Thread {
      let pipe = open(path, O_WRONLY | O_CLOEXEC)
      let bytes = Array(long.utf8)
      var done = 0
      while done < bytes.count {
        let count = bytes[done...].withUnsafeBytes { write(pipe, $0.baseAddress, $0.count) }
        guard count > 0 else { break }
        done += count
      }
      close(pipe)
    }
    writer.start()
    #expect(try fixture.load(path).lines.last == "  notes: 1 new")
    #expect(try fixture.notes()[0].text.text.utf8.count == 500_000)
  }

  @Test func importingAnEmptyExportIsReported() throws {
    let path = try fixture.file("x.json", "{\"format\":\"quran-vi\",\"version\":1}")
    #expect(try fixture.load(path).lines.last == "  there is nothing in it")
  }

  @Test func exportingAndImportingKeepsEverything() throws {
    try fixture.commit(
      .setFavorite(.last, true), .addNote(UUID(), .first, try NoteText("một\u{1B}\u{202E}")),
      .set("theme", "\"dark\""))
    try fixture.progress(.set, "2:45")
    let path = fixture.directory.path + "/x.json"
    try fixture.export(to: path)
    let other = try CommandFixture()
    other.now = fixture.now
    try other.load(path)
    #expect(try other.export().text == fixture.export().text)
  }

  @Test func theReportIsInTheLanguageOfTheInterface() throws {
    let fixture = try CommandFixture(.vietnamese)
    let path = try fixture.file("x.json", odd)
    #expect(
      try fixture.load(path).lines.dropFirst() == [
        "  yêu thích: 1 mới, 2 bỏ qua",
        "  bỏ qua yêu thích 1 (dòng 2): không có câu “2:300”",
        "  bỏ qua yêu thích 3 (dòng 3): không có câu “[31m”",
        "  không rõ nghĩa, bỏ qua: later, z",
      ])
  }
}
