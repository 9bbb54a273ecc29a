import Editions
import Foundation
import Library
import Messages
import Quran
import TestSupport
import Testing
import Text

@testable import Commands

/// The scopes of `search` (parts, favourites and notes), and the commands `daily` and `random`.
struct SearchScopeTests {
  private struct Hit: Decodable {
    let ayah: String
    let edition: String?
    let note: String?
    let text: String
    let matches: [String]
  }

  private func context(
    _ directory: TemporaryDirectory? = nil, asJSON: Bool = false, now: Int64 = 1,
    in output: Output
  ) -> CommandContext {
    CommandContext(
      console: output.console(), messages: Messages(.english), asJSON: asJSON,
      libraryPath: directory.map { "\($0.path)/library.sqlite" }, now: { now }, warn: { _ in })
  }

  private func hits(_ request: SearchRequest, _ directory: TemporaryDirectory) throws -> [Hit] {
    let output = Output()
    try context(directory, asJSON: true, in: output).search(request)
    return try output.decoded([Hit].self)
  }

  private func filled() throws -> (TemporaryDirectory, note: UUID) {
    let directory = try TemporaryDirectory()
    let note = UUID()
    let library = try Library.open("\(directory.path)/library.sqlite", at: 1).library
    try library.commit(
      [
        .addNote(note, try #require(AyahID("30:2")), try NoteText("một chữ khoan dung")),
        .setFavorite(try #require(AyahID("1:1")), true),
        .setFavorite(try #require(AyahID("2:1")), true),
      ], at: 1)
    library.close()
    return (directory, note)
  }

  @Test func notesFollowTheAyahs() throws {
    let (directory, id) = try filled()
    let all = try hits(SearchRequest("khoan dung", in: [.bundled], includesNotes: true), directory)
    #expect(all.count == 120 && all[0].edition == "vi.quranvi" && all[0].note == nil)
    let note = try #require(all.last)
    #expect(note.ayah == "30:2" && note.edition == nil && note.text == "một chữ khoan dung")
    #expect(note.note == id.uuidString && note.matches == ["khoan", "dung"])
    let notes = try hits(SearchRequest("khoan dung", in: [], includesNotes: true), directory)
    #expect(notes.map(\.ayah) == ["30:2"])
    #expect(try hits(SearchRequest("khoan dung", in: [.bundled]), directory).count == 119)
  }

  @Test func unfinishedNotesThatASearchOfTheNotesLeavesOutAreCounted() throws {
    let (directory, _) = try filled()
    let library = try Library.open("\(directory.path)/library.sqlite", at: 1).library
    for (id, ayah) in [(UUID(), "30:2"), (UUID(), "1:1")] {
      try library.save(
        Draft(
          id: id, noteID: id, ayah: try #require(AyahID(ayah)), base: nil, text: "khoan",
          changedAt: 1))
    }
    library.close()
    var warnings: [String] = []
    func search(_ text: String, in editions: [Edition] = [], part: String? = nil) throws {
      warnings = []
      var context = context(directory, in: Output())
      context.warn = { warnings.append($0) }
      try context.search(SearchRequest(text, in: editions, includesNotes: true, part: part))
    }
    try search("khoan")
    #expect(warnings == [Messages(.english).unfinishedNotesNotSearched(2)])
    try search("khoan", part: "30")
    #expect(warnings == [Messages(.english).unfinishedNotesNotSearched(1)])
    #expect(throws: CommandFailure.self) { try search("ngai") }
    #expect(warnings == [Messages(.english).unfinishedNotesNotSearched(2)])
    try search("khoan", in: [.bundled])
    #expect(warnings == [])
  }

  @Test func searchIsLimitedToAPartOrToFavorites() throws {
    let (directory, _) = try filled()
    let part = try hits(SearchRequest("khoan dung", in: [.bundled], part: "juz 1"), directory)
    #expect(!part.isEmpty && part.allSatisfy { AyahID($0.ayah)?.juz == 1 })
    let request = SearchRequest("khoan dung", in: [.bundled], onlyFavorites: true)
    #expect(try hits(request, directory).map(\.ayah) == ["1:1"])
    var both = request
    both.part = "2"
    let failure = try #require(throws: CommandFailure.self) { try hits(both, directory) }
    #expect(failure.status == .notFound)
    both.part = "115"
    #expect(
      try #require(throws: CommandFailure.self) { try hits(both, directory) }.status == .usage)
  }

  @Test(arguments: [
    ("khoann", "2", false, true, "Nothing found for “khoann”. Did you mean “khoan”?"),
    ("khoann", "114", false, true, "Nothing found for “khoann”."),
    ("khoan", "112", false, true, "Nothing found for “khoan” here; 128 hits outside the filter."),
    // This number includes the note.
    (
      "khoan dung", "112", false, false,
      "Nothing found for “khoan dung” here; 120 hits outside the filter."
    ),
    ("khoan", "2", true, true, "Nothing found for “khoan” here; 128 hits outside the filter."),
    ("yasin", "2", false, true, "Nothing found for “yasin”."),
  ])
  func whatIsMissingInTheScopeIsSaid(
    query: String, part: String, onlyFavorites: Bool, withoutNotes: Bool, message: String
  ) throws {
    let (directory, _) = try filled()
    let request = SearchRequest(
      query, in: [.bundled], includesNotes: !withoutNotes, part: part, onlyFavorites: onlyFavorites)
    let failure = try #require(throws: CommandFailure.self) { try hits(request, directory) }
    #expect(failure.status == .notFound)
    #expect(failure.message == message)
  }

  @Test func hitsAreCountedBySurah() throws {
    let (directory, _) = try filled()
    let output = Output()
    try context(directory, in: output).search(
      SearchRequest("khoan dung", in: [.bundled], includesNotes: true, countsBySurah: true))
    let counts = output.lines.compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }
    #expect(counts.reduce(0, +) == 120)
    #expect(output.lines[0].hasPrefix("1  Al-Fatihah"))
    struct Count: Decodable { let surah, hits: Int }
    let json = Output()
    try context(directory, asJSON: true, in: json).search(
      SearchRequest("khoan dung", in: [.bundled], countsBySurah: true))
    let decoded = try json.decoded([Count].self)
    #expect(decoded.map(\.hits).reduce(0, +) == 119 && decoded[0].surah == 1)
  }

  // MARK: Daily and random

  private func read(_ body: (CommandContext) throws -> Void, now: Int64 = 1) throws -> [String] {
    let output = Output()
    try body(context(now: now, in: output))
    return output.lines
  }

  @Test func eachDayHasAnAyahOfItsOwn() throws {
    var ayahs: Set<String> = []
    for day in 0..<400 {
      let noon = Int64(day) * 86_400_000 + 43_200_000
      let lines = try read({ try $0.read([$0.dailyAyah], editions: [.bundled]) }, now: noon)
      #expect(
        try read({ try $0.read([$0.dailyAyah], editions: [.bundled]) }, now: noon + 1) == lines)
      ayahs.formUnion(lines.map { String($0.prefix { $0 != " " }) })
    }
    #expect(ayahs.count == 400)
  }

  @Test func aRandomAyahIsFromTheGivenReferences() throws {
    for _ in 0..<20 {
      let line = try #require(
        try read { try $0.read([$0.randomAyah(of: ["112", "114"])], editions: [.bundled]) }.first)
      #expect(line.hasPrefix("112:") || line.hasPrefix("114:"))
    }
    #expect(try read { try $0.read([$0.randomAyah(of: [])], editions: [.bundled]) }.count == 1)
    let failure = try #require(throws: CommandFailure.self) {
      try read { try $0.read([$0.randomAyah(of: ["115"])], editions: [.bundled]) }
    }
    #expect(failure.status == .usage)
  }
}
