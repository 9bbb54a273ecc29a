import Foundation
import GRDB
import Quran
import Testing

@testable import Library

/// The import of an export into a library that has entries already.
struct ExportMergeTests {
  private let library: Library
  private let id = "8C2A41D0-0000-4000-8000-000000000001"
  private let note: UUID
  private let ayah: AyahID

  init() throws {
    library = try .inMemory()
    note = try #require(UUID(uuidString: id))
    ayah = try #require(AyahID("2:255"))
  }

  /// - Returns: The report of an import of these lists.
  @discardableResult
  private func load(_ lists: String, isDryRun: Bool = false) throws -> ImportReport {
    try Export.load(Export.document(lists), into: library, isDryRun: isDryRun)
  }

  private func generation(_ thing: Thing) throws -> Int? {
    try library.database.read {
      try Int.fetchOne(
        $0, sql: "SELECT generation FROM outbox WHERE kind = ? AND key = ?",
        arguments: [thing.kind.rawValue, thing.key])
    }
  }

  private func noteElement(_ text: String, modifiedAt: Int64) -> String {
    #""notes":[{"id":"\#(id)","ayah":"2:255","text":"\#(text)","#
      + #""createdAt":50,"modifiedAt":\#(modifiedAt)}]"#
  }

  private func countList(_ count: ImportReport.Count) -> [Int] {
    [count.found, count.imported, count.alreadyThere, count.skipped]
  }

  // MARK: Each list

  @Test func anExistingFavoriteIsKept() throws {
    try library.commit([.setFavorite(ayah, true)], at: 100)
    let report = try load(
      #""favorites":[{"ayah":"2:255","favoritedAt":900},{"ayah":"1:1","favoritedAt":7}]"#)
    #expect(countList(report[.favorites]) == [2, 1, 1, 0])
    let snapshot = try library.snapshot()
    #expect(snapshot.favoritedAt(ayah) == 100)
    #expect(snapshot.favoritedAt(.first) == 7)
    #expect(try generation(.favorite(ayah)) == 1)
  }

  /// The texts of the ayah's notes. The text of `note` is the first one.
  private func texts() throws -> [String] {
    let notes = try library.notes(of: ayah)
    return notes.filter { $0.id == note }.map(\.text.text)
      + notes.filter { $0.id != note }.map(\.text.text).sorted()
  }

  @Test(arguments: [("một\nhai", [String]()), ("ba", ["ba"])])
  func anImportedNoteLeavesTheTrash(trashed: String, left: [String]) throws {
    let deleted = Note(
      id: note, ayah: ayah, text: try NoteText(trashed), createdAt: 1, modifiedAt: 2)
    try library.sync { try $0.addToTrash(deleted, at: 10) }
    #expect(countList(try load(noteElement("một\\nhai", modifiedAt: 60))[.notes]) == [1, 1, 0, 0])
    #expect(try texts() == ["một\nhai"])
    #expect(try library.restorableTrash().map(\.note.text.text) == left)
    // The note is in the trash again if it is deleted, as by undoing the import.
    try library.commit([.deleteNote(note, ayah)], at: 70)
    #expect(try library.restorableTrash().map(\.note.text.text) == [trashed])
  }

  /// The text that was changed later keeps the id of the note; of texts with the same time, the one
  /// with the greater bytes.
  @Test(arguments: [
    ("mới", 99, ["của tôi", "mới"]), ("mới", 101, ["mới", "của tôi"]),
    ("mới", 100, ["mới", "của tôi"]), ("a", 100, ["của tôi", "a"]),
  ])
  func bothTextsOfADifferingNoteAreKept(text: String, time: Int64, expected: [String]) throws {
    try library.commit([.addNote(note, ayah, try NoteText("của tôi"))], at: 100)
    let lists = noteElement(text, modifiedAt: time)
    let dry = try load(lists, isDryRun: true)
    #expect(try texts() == ["của tôi"])
    let report = try load(lists)
    #expect(report[.notes].keptBoth == 1 && countList(report[.notes]) == [1, 1, 0, 0])
    #expect(dry.counts == report.counts)
    #expect(try texts() == expected)
    let copy = try #require(try library.notes(of: ayah).first { $0.id != note })
    #expect(copy.id == Note.conflictCopyID(fromRecord: "note-\(id)", text: copy.text))
    #expect(
      (copy.createdAt, copy.modifiedAt) == (expected[1] == text ? (50, time) : (100, 100)))
    #expect(try library.rows("SELECT id FROM noteCopy") == [copy.id.uuidString])
    #expect(try generation(.note(copy.id)) == 1)
    // A second import changes nothing.
    let rows = try Export.rows(library, withOutbox: true)
    #expect(countList(try load(lists)[.notes]) == [1, 0, 1, 0])
    #expect(try Export.rows(library, withOutbox: true) == rows)
    // The whole import is undone.
    try library.reverse(report.commit, at: 300)
    #expect(try texts() == ["của tôi"])
  }

  @Test(arguments: [
    // The text in the library, the imported text, the outcome, the resulting text
    ("một", "một\\nhai", "merged", "một\nhai"), ("một\nhai", "hai", "alreadyThere", "một\nhai"),
    ("hai", "một\\n\\nhai", "merged", "một\n\nhai"),
    ("một\nhai", "hai\\nmột", "replaced", "hai\nmột"),
  ])
  func theTextWithAllLinesOfTheOtherIsKept(
    text: String, element: String, outcome: String, expected: String
  ) throws {
    try library.commit([.addNote(note, ayah, try NoteText(text))], at: 100)
    // Times are compared only if both texts have the same lines.
    let report = try load(noteElement(element, modifiedAt: outcome == "replaced" ? 101 : 60))
    let counts = report[.notes]
    let reported = [
      "merged": counts.merged, "alreadyThere": counts.alreadyThere, "replaced": counts.replaced,
    ]
    #expect(reported.filter { $0.value > 0 } == [outcome: 1])
    #expect(try texts() == [expected])
    let found = try #require(try library.note(note))
    #expect(found.modifiedAt == (outcome == "replaced" ? 101 : 100))
    try library.reverse(report.commit, at: 300)
    #expect(try texts() == [text])
  }

  @Test func aConflictCopyWithAUsedIDGetsAnotherID() throws {
    try library.commit([.addNote(note, ayah, try NoteText("của tôi"))], at: 100)
    let lists = noteElement("đã đọc", modifiedAt: 99)
    try load(lists)
    let copy = try #require(try library.notes(of: ayah).first { $0.id != note })
    try library.commit(
      [.editNote(copy.id, ayah, try NoteText("khác rồi"), basedOn: copy.text)], at: 200)
    #expect(try load(lists)[.notes].keptBoth == 1)
    #expect(try texts() == ["của tôi", "khác rồi", "đã đọc"])
    let second = Note.conflictCopyID(fromRecord: "note-\(copy.id)", text: copy.text)
    #expect(try library.note(second)?.text == copy.text)
    #expect(try load(lists)[.notes].alreadyThere == 1)
  }

  /// Devices that know the record of a note make the same copy as sync does.
  @Test func theIDOfAConflictCopyDependsOnTheRecordName() throws {
    try library.commit([.addNote(note, ayah, try NoteText("của tôi"))], at: 100)
    let name = "note-_0123-2:255-\(id)"
    try library.sync {
      try $0.store(
        RecordState(
          name: name, thing: .note(note), tag: "1", formerTags: [], base: Data(), listing: 0))
    }
    try load(noteElement("mới", modifiedAt: 99))
    let text = try NoteText("mới")
    #expect(try library.note(Note.conflictCopyID(fromRecord: name, text: text))?.text == text)
  }

  @Test func aCopyFromBeforeTheFirstSyncIsNotAddedAgain() throws {
    try library.commit([.addNote(note, ayah, try NoteText("của tôi"))], at: 100)
    let lists = noteElement("mới", modifiedAt: 99)
    #expect(try load(lists)[.notes].keptBoth == 1)
    try library.sync {
      try $0.store(
        RecordState(
          name: "note-_0123-2:255-\(id)", thing: .note(note), tag: "1", formerTags: [],
          base: Data(), listing: 0))
    }
    #expect(try load(lists)[.notes].alreadyThere == 1)
    #expect(try texts() == ["của tôi", "mới"])
  }

  /// The first copy was edited before the notes had records, so there is a second one.
  @Test func aSecondCopyFromBeforeTheFirstSyncIsNotAddedAgain() throws {
    try library.commit([.addNote(note, ayah, try NoteText("của tôi"))], at: 100)
    let lists = noteElement("mới", modifiedAt: 99)
    try load(lists)
    let copy = try #require(try library.notes(of: ayah).first { $0.id != note })
    try library.commit(
      [.editNote(copy.id, ayah, try NoteText("khác rồi"), basedOn: copy.text)], at: 200)
    #expect(try load(lists)[.notes].keptBoth == 1)
    for note in try library.notes(of: ayah) {
      try library.sync {
        try $0.store(
          RecordState(
            name: "note-_0123-2:255-\(note.id)", thing: .note(note.id), tag: "1", formerTags: [],
            base: Data(), listing: 0))
      }
    }
    #expect(try load(lists)[.notes].alreadyThere == 1)
    #expect(try texts() == ["của tôi", "khác rồi", "mới"])
  }

  /// The copy of an earlier import already has the text that this import replaces. The copy must
  /// be sent again: on another device the note still has this text, so that device may delete the
  /// copy as a duplicate, and the text would be lost.
  @Test func replacingATextMarksItsExistingCopyAsChanged() throws {
    try library.commit([.addNote(note, ayah, try NoteText("cũ"))], at: 100)
    try load(noteElement("mới", modifiedAt: 200))
    let copy = try #require(try library.notes(of: ayah).first { $0.id != note })
    try library.commit(
      [.editNote(note, ayah, try NoteText("cũ"), basedOn: try NoteText("mới"))], at: 300)
    let before = try generation(.note(copy.id))
    #expect(try load(noteElement("mới hơn", modifiedAt: 400))[.notes].keptBoth == 1)
    #expect(try texts() == ["mới hơn", "cũ"])
    #expect(try generation(.note(copy.id)) == before.map { $0 + 1 })
  }

  @Test func aNoteOfAnotherAyahWithTheSameIDIsAdded() throws {
    try library.commit([.addNote(note, .first, try NoteText("mới"))], at: 100)
    #expect(try load(noteElement("mới", modifiedAt: 99))[.notes].keptBoth == 1)
    #expect(try library.note(note)?.ayah == .first)
    #expect(try library.notes(of: ayah).map(\.text.text) == ["mới"])
  }

  @Test func noteIDsAreCaseInsensitive() throws {
    try library.commit([.addNote(note, ayah, try NoteText("của tôi"))], at: 100)
    try load(noteElement("mới", modifiedAt: 200).replacing(id, with: id.lowercased()))
    #expect(try texts() == ["mới", "của tôi"])
  }

  @Test func theFurtherProgressStays() throws {
    try library.commit([.setProgress(ayah.surah, to: 200)], at: 100)
    func element(_ last: Int, _ time: Int) -> String {
      #""progress":[{"surah":2,"lastReadAyah":\#(last),"lastUpdatedAt":\#(time)}]"#
    }
    #expect(countList(try load(element(5, 101))[.progress]) == [1, 0, 1, 0])
    #expect(try library.snapshot().lastReadAyah(of: ayah.surah) == 200)
    let report = try load(element(286, 99))
    #expect(report[.progress].replaced == 1)
    #expect(try library.snapshot().progress(of: ayah.surah)?.lastReadAyah == 286)
    #expect(try library.snapshot().progress(of: ayah.surah)?.lastUpdatedAt == 100)
    try library.reverse(report.commit, at: 300)
    #expect(try library.snapshot().lastReadAyah(of: ayah.surah) == 200)
  }

  @Test func theSettingOfTheLaterTimeStays() throws {
    try library.commit([.set("theme", "\"dark\"")], at: 100)
    func element(_ time: Int) -> String {
      #""settings":[{"key":"theme","value":"\"sepia\"","lastModifiedAt":\#(time)}]"#
    }
    #expect(countList(try load(element(99))[.settings]) == [1, 0, 1, 0])
    #expect(try library.snapshot().string(.theme) == "dark")
    let report = try load(element(101))
    #expect(report[.settings].replaced == 1)
    #expect(try library.snapshot().string(.theme) == "sepia")
    try library.reverse(report.commit, at: 300)
    #expect(try library.snapshot().string(.theme) == "dark")
  }

  @Test func theLargerCountOfADayStays() throws {
    var reading = ReadingChanges()
    reading.ayahsRead = [Day(number: 0): 10, Day(number: 1): 10]
    _ = try library.save(reading, at: 1)
    let report = try load(
      #""readingDays":[{"day":"1970-01-01","ayahs":9},{"day":"1970-01-02","ayahs":11},"#
        + #"{"day":"1970-01-03","ayahs":4}]"#)
    #expect(countList(report[.readingDays]) == [3, 2, 1, 0])
    #expect(report[.readingDays].replaced == 1)
    let days = try library.snapshot().readingDays
    #expect(days == [Day(number: 0): 10, Day(number: 1): 11, Day(number: 2): 4])
    // Ayahs that are read after the import are kept.
    reading.ayahsRead = [Day(number: 1): 5]
    _ = try library.save(reading, at: 2)
    let undone = try library.reverse(report.commit, at: 3)
    #expect(try library.snapshot().readingDays == [Day(number: 0): 10, Day(number: 1): 15])
    try library.reverse(undone, at: 4)
    #expect(
      try library.snapshot().readingDays
        == [Day(number: 0): 10, Day(number: 1): 16, Day(number: 2): 4])
  }

  @Test func bothTextsOfAContinuedDraftAreKept() throws {
    try library.save(
      Draft(id: note, noteID: note, ayah: ayah, base: nil, text: "một", changedAt: 1))
    func drafts(_ text: String) -> String {
      #""drafts":[{"id":"\#(id)","ayah":"2:255","text":"\#(text)","changedAt":5}]"#
    }
    #expect(try load(drafts(#"một\nhai"#))[.drafts].keptBoth == 1)
    #expect(Set(try library.snapshot().drafts.map(\.text)) == ["một", "một\nhai"])
    // A text that one of the drafts contains is not added again.
    for text in ["một", #"một\nhai"#] {
      #expect(try load(drafts(text))[.drafts].alreadyThere == 1)
    }
    #expect(try library.snapshot().drafts.count == 2)
  }

  @Test func aDraftWithoutANoteIDUsesItsOwnID() throws {
    let report = try load(
      #""drafts":[{"id":"\#(id)","ayah":"2:255","text":"x","basedOn":7,"changedAt":5}]"#)
    #expect(countList(report[.drafts]) == [1, 1, 0, 0] && report.unknownFieldCount == 0)
    #expect(
      try library.snapshot().drafts
        == [Draft(id: note, noteID: note, ayah: ayah, base: nil, text: "x", changedAt: 5)])
  }

  @Test func missingDraftsAndCuesAreAdded() throws {
    try library.setDeviceValues(["cue1": "1:1"])
    try library.save(
      Draft(id: note, noteID: note, ayah: ayah, base: nil, text: "tôi\nx", changedAt: 1))
    let report = try load(
      #""cues":[{"number":1,"ayah":"2:2"},{"number":2,"ayah":"2:3"}],"drafts":[{"id":"\#(id)","#
        + #""ayah":"2:255","text":"x","changedAt":900},{"id":"\#(UUID().uuidString)","#
        + #""ayah":"1:1","text":"y","basedOn":null,"changedAt":2}]"#)
    #expect(countList(report[.cues]) == [2, 1, 1, 0])
    #expect(countList(report[.drafts]) == [2, 1, 1, 0])
    let snapshot = try library.snapshot()
    #expect(snapshot.cue(1) == .first && snapshot.cue(2)?.description == "2:3")
    #expect(snapshot.drafts.map(\.text) == ["tôi\nx", "y"])
    // The same lines at another ayah are not the same draft.
    let other = try load(#""drafts":[{"id":"\#(id)","ayah":"1:1","text":"x","changedAt":901}]"#)
    #expect(other[.drafts].keptBoth == 1)
    #expect(try library.snapshot().drafts.filter { $0.ayah == .first }.map(\.text).contains("x"))
  }

  // MARK: Times

  @Test func timesInTheFutureBecomeTheCurrentTime() throws {
    let future = Export.now + 1
    let lists =
      noteElement("x", modifiedAt: .max).replacing(":50,", with: ":\(future),")
      + #","favorites":[{"ayah":"1:1","favoritedAt":\#(future)}],"#
      + #""progress":[{"surah":1,"lastReadAyah":3,"lastUpdatedAt":\#(future)}],"#
      + #""settings":[{"key":"k","value":"1","lastModifiedAt":\#(future)}]"#
    try load(lists)
    let found = try #require(try library.note(note))
    #expect((found.createdAt, found.modifiedAt) == (Export.now, Export.now))
    #expect(try library.snapshot().favoritedAt(.first) == Export.now)
    #expect(try library.snapshot().progress(of: .first)?.lastUpdatedAt == Export.now)
    // A later import of the same document changes nothing.
    let rows = try Export.rows(library, withOutbox: true)
    let report = try Export.load(
      Export.document(lists), into: library, at: Export.now + 100_000)
    #expect(report.total.alreadyThere == 4)
    #expect(try Export.rows(library, withOutbox: true) == rows)
  }

  @Test func negativeTimesBecomeZero() throws {
    try load(#""favorites":[{"ayah":"1:1","favoritedAt":-9223372036854775808}]"#)
    #expect(try library.snapshot().favoritedAt(.first) == 0)
  }

  // MARK: The whole import

  @Test func anImportCanBeUndone() throws {
    try library.commit([.addNote(note, ayah, try NoteText("của tôi"))], at: 100)
    let report = try load(
      noteElement("mới", modifiedAt: 200) + #","favorites":[{"ayah":"1:1","favoritedAt":7}]"#)
    #expect(report.commit.edits.count == 3)
    try library.reverse(report.commit, at: 300)
    #expect(try texts() == ["của tôi"])
    #expect(try !library.snapshot().isFavorite(.first))
  }

  @Test func theReportIsTheSameIfTheCommitIsNotKept() throws {
    let json = Array(try Export.json(try Export.filledLibrary()).utf8)
    let whole = try Export.load(json, into: try .inMemory())
    let short = try Export.load(json, into: try .inMemory(), keepsCommit: false)
    #expect(short.commit.isEmpty && !whole.commit.isEmpty)
    #expect(short.counts == whole.counts)
  }

  @Test func aDryRunReportsTheSameAndWritesNothing() throws {
    try library.commit([.setFavorite(.first, true)], at: 1)
    let json = try Export.json(try Export.filledLibrary())
    let rows = try Export.rows(library, withOutbox: true)
    let dry = try Export.load(json, into: library, isDryRun: true)
    #expect(try Export.rows(library, withOutbox: true) == rows)
    #expect(dry.commit.isEmpty)
    let real = try Export.load(json, into: library)
    #expect(real.counts == dry.counts && real.total.imported > 0 && real.total.alreadyThere == 1)
  }

  @Test func aReadOnlyLibraryAllowsOnlyADryRun() throws {
    let fixed = Library(
      path: "", refusal: .readOnly, file: nil, database: library.database)
    let json = try Export.json(try Export.filledLibrary())
    let report = try Export.load(json, into: fixed, isDryRun: true)
    #expect(report.total.imported == report.total.found && report.total.found > 0)
    #expect(throws: LibraryFailure.readOnly) { try Export.load(json, into: fixed) }
    #expect(try Export.rows(library).values.allSatisfy(\.isEmpty))
  }

  @Test func aFailedImportChangesNothing() throws {
    struct Lost: Error {}
    let json = Array(try Export.json(try Export.filledLibrary()).utf8)
    let source = Export.source(json)
    var calls = 0
    #expect(throws: Lost.self) {
      try library.importJSON(at: Export.now) { buffer in
        calls += 1
        if calls > 1 { throw Lost() }
        return source(UnsafeMutableRawBufferPointer(rebasing: buffer[..<(json.count - 3)]))
      }
    }
    #expect(calls == 2)
    #expect(try Export.rows(library, withOutbox: true).values.allSatisfy(\.isEmpty))
  }

  // MARK: Elements that are left out

  @Test func badElementsAreLeftOutOneByOne() throws {
    let good = #"{"ayah":"1:1","favoritedAt":1}"#
    let report = try load(
      """
      "favorites":[\(good),
      {"ayah":"2:300","favoritedAt":1}, {"favoritedAt":1},
        {"ayah":"1:2"},{"ayah":3,"favoritedAt":1},[],
      null, {"ayah":"1:2","favoritedAt":1e400},{"ayah":"1:2","favoritedAt":12345678901234567890},
      {"ayah":"1:2","favoritedAt":1.5},{"ayah":"1:2","favoritedAt":"1"},{"ayah":"\\ud800","favoritedAt":1},
      {"ayah":"01:2","favoritedAt":1},{"ayah":"1:3","favoritedAt":2e0}],
      "notes":[{"id":"x","ayah":"1:1","text":"t","createdAt":1,"modifiedAt":1},
      {"id":"\(id)","ayah":"1:1","text":" ","createdAt":1,"modifiedAt":1},
      {"id":"\(id)","ayah":"1:1","text":"\(String(repeating: "x", count: 900_001))","createdAt":1,"modifiedAt":1}],
      "progress":[{"surah":115,"lastReadAyah":1,"lastUpdatedAt":1},
      {"surah":1,"lastReadAyah":8,"totalAyahs":8,"lastUpdatedAt":1},
      {"surah":1,"lastReadAyah":-1,"lastUpdatedAt":1}],
      "settings":[{"key":"","value":"1","lastModifiedAt":1},{"key":"k","value":"{","lastModifiedAt":1},
      {"key":"k\\u0000","value":"1","lastModifiedAt":1},{"key":"k","value":1,"lastModifiedAt":1},
      {"key":"k","value":"1\\u0000","lastModifiedAt":1}],
      "readingDays":[{"day":"2026-02-30","ayahs":1},{"day":"2026-02-03","ayahs":0},{"day":"x","ayahs":1}],
      "drafts":{"id":1},
      "cues":[{"number":10,"ayah":"1:1"},{"number":0,"ayah":"1:1"}]
      """)
    let found = report.skips.map { "\($0.list) \($0.number) \($0.line) \($0.reason)" }
    #expect(
      found == [
        "favorites 2 2 noSuchAyah(\"2:300\")", "favorites 3 2 missing(field: \"ayah\")",
        "favorites 4 3 missing(field: \"favoritedAt\")",
        "favorites 5 3 wrongType(field: Optional(\"ayah\"))", "favorites 6 3 wrongType(field: nil)",
        "favorites 7 4 wrongType(field: nil)", "favorites 8 4 invalidValue(field: \"favoritedAt\")",
        "favorites 9 4 invalidValue(field: \"favoritedAt\")",
        "favorites 10 5 invalidValue(field: \"favoritedAt\")",
        "favorites 11 5 wrongType(field: Optional(\"favoritedAt\"))",
        "favorites 12 5 notText", "favorites 13 6 noSuchAyah(\"01:2\")",
        "notes 1 7 badID(\"x\")", "notes 2 8 note(Library.NoteText.Problem.empty)",
        "notes 3 9 note(Library.NoteText.Problem.tooLong(excess: 1))",
        "progress 1 10 noSuchSurah(115)", "progress 2 11 invalidValue(field: \"lastReadAyah\")",
        "progress 3 12 invalidValue(field: \"lastReadAyah\")",
        "settings 1 13 invalidValue(field: \"key\")",
        "settings 2 13 invalidValue(field: \"value\")",
        "settings 3 14 invalidValue(field: \"key\")",
        "settings 4 14 wrongType(field: Optional(\"value\"))",
        "settings 5 15 invalidValue(field: \"value\")",
        "readingDays 1 16 invalidValue(field: \"day\")",
        "readingDays 2 16 invalidValue(field: \"ayahs\")",
        "readingDays 3 16 invalidValue(field: \"day\")",
        "drafts 0 17 notAList", "cues 1 18 invalidValue(field: \"number\")",
        "cues 2 18 invalidValue(field: \"number\")",
      ])
    #expect(countList(report[.favorites]) == [14, 2, 0, 12])
    #expect(countList(report[.drafts]) == [0, 0, 0, 1])
    #expect(try library.snapshot().favorites.map { "\($0.ayah)" } == ["1:1", "1:3"])
  }

  @Test func unknownKeysAndFieldsAreCounted() throws {
    let report = try load(
      #""later":{"a":[1,{}]},"favorites":[{"x":1,"ayah":"1:1","y":{},"favoritedAt":1}],"#
        + #""\#(String(repeating: "k", count: 2000))":0"#)
    #expect(report.unknownKeys == ["later", "…"])
    #expect(report.unknownKeyCount == 2)
    #expect(report.unknownFieldCount == 2)
    #expect(countList(report.total) == [1, 1, 0, 0])
  }

  @Test func theNumberOfReportedSkipsIsLimited() throws {
    let report = try load(
      "\"favorites\":[" + Array(repeating: "{}", count: 5000).joined(separator: ",") + "]")
    #expect(report.skips.count == ImportReport.skipLimit)
    #expect(countList(report[.favorites]) == [5000, 0, 0, 5000])
  }
}
