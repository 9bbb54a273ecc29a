import Foundation
import GRDB
import Quran
import TestSupport
import Testing

@testable import Library

/// The import of an older app's data into a library that has entries already.
struct LegacyMergeTests {
  private let library: Library
  private let date: Int64 = 5000
  private let now: Int64 = 9000

  init() throws {
    library = try .inMemory()
  }

  private func note(_ number: Int, _ at: String, _ text: String, copy: Int = 0) throws
    -> LegacyRows.Note
  {
    LegacyRows.Note(
      id: .numbered(number), ayah: ayah(at), text: try NoteText(text), ordinal: copy)
  }

  @discardableResult
  private func load(
    favorites: [String] = [], notes: [LegacyRows.Note] = [], progress: [(Int, Int)] = [],
    again: Bool = false, isDryRun: Bool = false
  ) throws -> ImportReport {
    try library.importLegacy(
      LegacyRows(
        favorites: favorites.map { ayah($0) }, notes: notes,
        progress: progress.map { (surah($0.0), $0.1) }),
      datedAt: date, at: now, isDryRun: isDryRun, restoresDeleted: again)
  }

  private func counts(_ report: ImportReport, _ list: ExportDocument.List) -> [Int] {
    let count = report[list]
    return [count.found, count.imported, count.alreadyThere, count.skipped]
  }

  private func texts() throws -> [String] {
    try library.rows("SELECT id, text FROM note ORDER BY id").map { String($0.dropFirst(35)) }
  }

  // MARK: New entries and their dates

  @Test func newEntriesHaveTheDateOfTheDump() throws {
    let report = try load(
      favorites: ["2:255", "1:1", "2:255"], notes: [note(1, "2:1", "một")],
      progress: [(2, 40), (3, 5)])
    #expect(counts(report, .favorites) == [3, 2, 1, 0])
    #expect(counts(report, .notes) == [1, 1, 0, 0])
    #expect(counts(report, .progress) == [2, 2, 0, 0])
    #expect(try library.rows("SELECT DISTINCT favoritedAt FROM favorite") == ["5000"])
    #expect(try library.rows("SELECT createdAt, modifiedAt FROM note") == ["5000 5000"])
    #expect(
      try library.rows("SELECT surah, lastReadAyah, lastUpdatedAt FROM progress")
        == ["2 40 5000", "3 5 5000"])
    #expect(
      try library.rows("SELECT kind, count(*), max(generation) FROM outbox GROUP BY kind")
        == ["favorite 2 1", "note 1 1", "progress 2 1"])
  }

  @Test(arguments: [(Int64.max, Int64(9000)), (-5, 0)])
  func impossibleDatesAreClamped(date: Int64, kept: Int64) throws {
    _ = try library.importLegacy(
      LegacyRows(favorites: [.first], notes: [], progress: []), datedAt: date, at: now)
    #expect(try library.rows("SELECT favoritedAt FROM favorite") == ["\(kept)"])
  }

  @Test func existingEntriesAreNotLoweredOrRedated() throws {
    try library.commit(
      [.setFavorite(ayah("2:255"), true), .advance(surah(2), to: 100), .advance(surah(3), to: 2)],
      at: 7000)
    let report = try load(favorites: ["2:255"], progress: [(2, 99), (3, 9), (4, 0)])
    #expect(counts(report, .favorites) == [1, 0, 1, 0])
    #expect(counts(report, .progress) == [3, 2, 1, 0])
    #expect(try library.rows("SELECT favoritedAt FROM favorite") == ["7000"])
    // Imported progress that is further gets a later time than the progress that it replaces.
    #expect(
      try library.rows("SELECT surah, lastReadAyah, lastUpdatedAt FROM progress")
        == ["2 100 7000", "3 9 7001", "4 0 5000"])
  }

  @Test func notesOfAnAyahStayInTheirOrder() throws {
    try load(notes: [
      note(5, "2:1", "một"), note(9, "3:1", "khác"), note(1, "2:1", "hai"), note(3, "2:1", "ba"),
    ])
    #expect(try library.notes(of: ayah("2:1")).map(\.text.text) == ["một", "hai", "ba"])
    #expect(try library.notes(of: ayah("2:1")).map(\.createdAt) == [4998, 4999, 5000])
    #expect(try library.rows("SELECT DISTINCT modifiedAt FROM note") == ["5000"])
  }

  // MARK: Notes are a multiset

  @Test func aDuplicateTextIsImportedTwice() throws {
    let notes = [
      try note(1, "2:1", "a"), try note(2, "2:1", "a", copy: 1), try note(3, "2:2", "a"),
    ]
    #expect(counts(try load(notes: notes), .notes) == [3, 3, 0, 0])
    #expect(counts(try load(notes: notes), .notes) == [3, 0, 3, 0])
    #expect(try texts() == ["1 a", "2 a", "3 a"])
    // A dump with another copy adds one note.
    let more = notes + [try note(4, "2:1", "a", copy: 2)]
    #expect(counts(try load(notes: more), .notes) == [4, 1, 3, 0])
  }

  @Test func anEqualNoteOfTheUserCountsAsTheFirstCopy() throws {
    try library.commit([.addNote(.numbered(9), ayah("2:1"), NoteText("a"))], at: 7000)
    let notes = [try note(1, "2:1", "a"), try note(2, "2:1", "a", copy: 1)]
    #expect(counts(try load(notes: notes), .notes) == [2, 1, 1, 0])
    #expect(try texts() == ["2 a", "9 a"])
    #expect(counts(try load(notes: notes), .notes) == [2, 0, 2, 0])
  }

  @Test func editedOrDeletedNotesAreNotImportedAgain() throws {
    let notes = [try note(1, "2:1", "a"), try note(2, "2:1", "b")]
    try load(notes: notes)
    try library.commit(
      [
        .editNote(.numbered(1), ayah("2:1"), NoteText("c"), basedOn: NoteText("a")),
        .deleteNote(.numbered(2), ayah("2:1")),
      ], at: 9001)
    #expect(counts(try load(notes: notes), .notes) == [2, 0, 2, 0])
    #expect(try texts() == ["1 c"])
  }

  @Test func onlyDeletedNotesAreRestoredOnRequest() throws {
    let notes = [
      try note(1, "2:1", "a"), try note(2, "2:1", "a", copy: 1), try note(3, "2:1", "b"),
      try note(4, "2:1", "c"),
    ]
    try load(notes: notes)
    try library.commit(
      [
        .deleteNote(.numbered(1), ayah("2:1")), .deleteNote(.numbered(3), ayah("2:1")),
        .editNote(.numbered(4), ayah("2:1"), NoteText("d"), basedOn: NoteText("c")),
      ], at: 9001)
    #expect(counts(try load(notes: notes, again: true), .notes) == [4, 2, 2, 0])
    #expect(try texts() == ["1 a", "2 a", "3 b", "4 d"])
    #expect(counts(try load(notes: notes, again: true), .notes) == [4, 0, 4, 0])
    // A note that the user wrote again is not missing.
    try library.commit(
      [
        .deleteNote(.numbered(3), ayah("2:1")), .addNote(.numbered(9), ayah("2:1"), NoteText("b")),
      ], at: 9002)
    #expect(counts(try load(notes: notes, again: true), .notes) == [4, 0, 4, 0])
  }

  @Test func notesInTheTrashAreRestoredOnlyOnRequest() throws {
    try library.write {
      try $0.execute(
        sql: """
          INSERT INTO trash (id, surah, ayah, createdAt, modifiedAt, deletedAt, text)
          VALUES (?, 2, 1, 1, 1, 1, 'a')
          """,
        arguments: [UUID.numbered(1).uuidString])
    }
    let notes = [try note(1, "2:1", "a")]
    #expect(counts(try load(notes: notes), .notes) == [1, 0, 1, 0])
    #expect(counts(try load(notes: notes, again: true), .notes) == [1, 1, 0, 0])
    #expect(try library.number("SELECT count(*) FROM trash") == 0)
  }

  // MARK: All or nothing

  @Test func aDryRunReportsTheSameAndWritesNothing() throws {
    try library.commit([.addNote(.numbered(9), ayah("2:1"), NoteText("a"))], at: 7000)
    let before = try library.everything()
    let notes = [try note(1, "2:1", "a"), try note(2, "2:1", "b")]
    var report = try load(favorites: ["1:1"], notes: notes, progress: [(2, 3)], isDryRun: true)
    #expect(try library.everything() == before)
    #expect(try library.number("SELECT count(*) FROM imported") == 0)
    #expect(report.commit.isEmpty)
    report.commit = Commit([])
    var real = try load(favorites: ["1:1"], notes: notes, progress: [(2, 3)])
    real.commit = Commit([])
    #expect(report == real)
  }

  @Test func oneRefusedRowFailsTheWholeImport() throws {
    let before = try library.everything()
    try library.write {
      try $0.execute(
        sql: """
          CREATE TRIGGER refuse BEFORE INSERT ON note WHEN new.text = 'c'
          BEGIN SELECT RAISE(ABORT, 'no'); END
          """)
    }
    #expect(throws: LibraryFailure.self) {
      try load(
        favorites: ["1:1"],
        notes: [note(1, "2:1", "a"), note(2, "2:1", "b"), note(3, "2:1", "c")])
    }
    #expect(try library.everything() == before)
  }

  // MARK: Undo

  @Test func anImportIsUndoneAtOnceAndCanBeRepeated() throws {
    try library.commit([.advance(surah(2), to: 3)], at: 7000)
    let before = try library.rows("SELECT surah, lastReadAyah FROM progress")
    let notes = [try note(1, "2:1", "a"), try note(2, "2:1", "b")]
    let importDump = { (library: Result<Library, LibraryFailure>) -> Commit in
      let report = try? library.get().importLegacy(
        LegacyRows(favorites: [.first], notes: notes, progress: [(surah(2), 40)]),
        datedAt: 5000, at: 9000)
      return report?.commit ?? Commit([])
    }
    var handler = RequestHandler(.success(library))
    #expect(handler.run(importDump).edits.count == 4)
    #expect(try library.snapshot().noteCount == 2)

    _ = handler.perform(.undo, at: 9001)
    #expect(try library.number("SELECT count(*) FROM note") == 0)
    #expect(try library.number("SELECT count(*) FROM favorite") == 0)
    #expect(try library.rows("SELECT surah, lastReadAyah FROM progress") == before)
    #expect(try library.number("SELECT count(*) FROM imported") == 0)

    _ = handler.perform(.redo, at: 9002)
    #expect(try library.number("SELECT count(*) FROM note") == 2)
    #expect(try library.number("SELECT count(*) FROM imported") == 2)
    // After the redo, the notes count as imported, so a deleted note is not imported again.
    try library.commit([.deleteNote(.numbered(1), ayah("2:1"))], at: 9003)
    #expect(counts(try load(notes: notes), .notes) == [2, 0, 2, 0])

    // After an undo the dump can be imported again.
    var other = RequestHandler(.success(try .inMemory()))
    _ = other.run(importDump)
    _ = other.perform(.undo, at: now)
    #expect(other.run(importDump).edits.count == 4)
  }
}
