import Foundation
import Quran
import TestSupport
import Testing

@testable import Library

struct SnapshotTests {
  /// Random changes, most of which take effect: many of a few things, and a few of many things.
  private struct Changes {
    var random: SeededGenerator
    var notes: [Note] = []

    mutating func next(_ step: Int) throws -> Change {
      let ayahs = 1...(Bool.random(using: &random) ? 40 : AyahID.count)
      let a = try #require(AyahID(index: .random(in: ayahs, using: &random)))
      let text = try NoteText("ghi chú \(step)")
      switch Int.random(in: 0..<9, using: &random) {
      case 0, 1: return .setFavorite(a, .random(using: &random))
      case 2: return .addNote(.random(using: &random), a, text)
      case 3:
        // An existing note, based on its text or on another one.
        guard let note = notes.randomElement(using: &random) else { return .setFavorite(a, true) }
        let base = try Bool.random(using: &random) ? note.text : NoteText("khác")
        return .editNote(note.id, note.ayah, text, basedOn: base)
      case 4:
        guard let note = notes.randomElement(using: &random) else { return .setFavorite(a, true) }
        return .deleteNote(note.id, note.ayah)
      case 5: return .advance(a.surah, to: a.ayah)
      case 6: return .setProgress(a.surah, to: .random(in: 0..<a.ayah, using: &random))
      default:
        let value = ["\"a\"", "1", nil, "null"].randomElement(using: &random) ?? nil
        return .set("key\(Int.random(in: 0..<4, using: &random))", value)
      }
    }
  }

  @Test(arguments: 1...3)
  func aSnapshotWithAppliedCommitsEqualsANewOne(seed: UInt64) throws {
    let library = try Library.inMemory()
    var changes = Changes(random: SeededGenerator(seed: seed))
    var snapshot = try library.snapshot()
    var commits: [Commit] = []
    for step in 0..<1000 {
      let commit: Commit
      if !commits.isEmpty, Int.random(in: 0..<4, using: &changes.random) == 0 {
        guard let undone = try? library.reverse(commits.removeLast(), at: Int64(step)) else {
          continue
        }
        commit = undone
      } else {
        let count = Int.random(in: 1...3, using: &changes.random)
        commit = try library.commit(
          try (0..<count).map { _ in try changes.next(step) }, at: Int64(step))
      }
      commits.append(commit)
      snapshot.apply(commit)
      if step % 20 == 0 {
        #expect(snapshot == (try library.snapshot()), "step \(step)")
      }
      if step % 50 == 0 {
        changes.notes = []
        try library.eachNote { changes.notes.append($0) }
      }
    }
    #expect(snapshot == (try library.snapshot()))
    // The counts are those of the entries.
    #expect(snapshot.favoriteCount == snapshot.favorites.count)
    #expect(snapshot.noteCount == (try library.noteList().count))
    #expect(snapshot.readCount == snapshot.progress.reduce(0) { $0 + $1.lastReadAyah })
    for surah in SurahNumber.all {
      #expect(
        snapshot.favoriteCount(of: surah)
          == snapshot.favorites.count { $0.ayah.surah == surah })
      let ayahs = (1...surah.ayahCount).map { surah.ayah(clamping: $0) }
      #expect(snapshot.noteCount(of: surah) == ayahs.reduce(0) { $0 + snapshot.noteCount(of: $1) })
    }
    #expect(snapshot.noteCount > 50)
  }

  @Test(arguments: 1...2)
  func anAnticipatedSnapshotEqualsTheCommittedOne(seed: UInt64) throws {
    let library = try Library.inMemory()
    var changes = Changes(random: SeededGenerator(seed: seed))
    var stored = try library.snapshot()
    for step in 0..<700 {
      let change = try changes.next(step)
      let anticipated = {
        var copy = stored
        copy.anticipate(change, at: Int64(step))
        return copy
      }()
      let commit = try library.commit([change], at: Int64(step))
      stored.apply(commit)
      // An edit may add a note, if the note changed in the meantime. This cannot be anticipated.
      if case .editNote = change, stored.noteCount == anticipated.noteCount + 1 { continue }
      #expect(anticipated == stored, "step \(step): \(change)")
      if step % 50 == 0 {
        changes.notes = []
        try library.eachNote { changes.notes.append($0) }
      }
      if case .deleteNote(let id, _) = change { changes.notes.removeAll { $0.id == id } }
    }
  }

  @Test func noCountFallsBelowZero() {
    var snapshot = Snapshot()
    snapshot.anticipate(.deleteNote(.numbered(1), .first), at: 1)
    snapshot.anticipate(.setFavorite(.first, false), at: 1)
    snapshot.anticipate(.setProgress(surah(1), to: -3), at: 1)
    #expect(snapshot == Snapshot())
    let note = Note(
      id: .numbered(1), ayah: .first, text: NoteText(stored: "a"), createdAt: 1, modifiedAt: 1)
    snapshot.apply(Commit([Edit(.note(note.id), from: .note(note), to: nil)]))
    #expect(snapshot == Snapshot())
  }

  @Test func aMovedNoteIsCountedAtItsNewAyah() {
    func note(_ a: String) -> Entry {
      .note(
        Note(
          id: .numbered(1), ayah: ayah(a), text: NoteText(stored: "a"), createdAt: 1,
          modifiedAt: 1))
    }
    var snapshot = Snapshot()
    snapshot.apply(Commit([Edit(.note(.numbered(1)), from: nil, to: note("2:1"))]))
    snapshot.apply(Commit([Edit(.note(.numbered(1)), from: note("2:1"), to: note("3:1"))]))
    #expect(snapshot.noteCount(of: ayah("2:1")) == 0)
    #expect(snapshot.noteCount(of: ayah("3:1")) == 1)
    #expect(snapshot.noteCount(of: surah(2)) == 0)
    #expect(snapshot.noteCount == 1)
  }

  @Test func readingContinuesAtThePositionOrTheLastProgress() throws {
    let library = try Library.inMemory()
    #expect(try library.snapshot().continueReading == nil)
    try library.commit([.advance(surah(2), to: 5)], at: 10)
    try library.commit([.advance(surah(3), to: 7)], at: 20)
    try library.commit([.setProgress(surah(4), to: 3)], at: 25)
    try library.commit([.setProgress(surah(4), to: 0)], at: 30)
    #expect(try library.snapshot().continueReading == ayah("3:7"))
    try library.setDeviceValues([DeviceKey.position: "1:2", DeviceKey.cue(3): "2:255"])
    #expect(try library.snapshot().continueReading == ayah("1:2"))
    #expect(try library.snapshot().cue(3) == ayah("2:255"))
    #expect(try library.snapshot().cue(4) == nil)
    try library.setDeviceValues([DeviceKey.position: "1:9", DeviceKey.cue(3): "x"])
    #expect(try library.snapshot().continueReading == ayah("3:7"))
    #expect(try library.snapshot().cue(3) == nil)
  }

  @Test func onlySettingsThatAreStringsHaveAString() throws {
    let library = try Library.inMemory()
    for (value, string) in [
      ("\"a\\u0301\\n\\\"\"", "a\u{301}\n\""), ("1", nil), ("null", nil), ("[\"a\"]", nil),
      ("\"\"", ""),
    ] as [(String, String?)] {
      try library.commit([.set("theme", value)], at: 1)
      #expect(try library.snapshot().string(.theme) == string)
    }
    #expect(try library.snapshot().string(.layout) == nil)
  }

  @Test func aListShowsTheBeginningOfLongNotes() throws {
    let library = try Library.inMemory()
    let texts = [
      "\n\n  một\nhai", String(repeating: "بِسْمِ ", count: 100), "a", "\u{1B}[31m x",
      String(repeating: "\n", count: 300) + "xa", String(repeating: "👨‍👩‍👧‍👦", count: 100),
    ]
    try library.commit(
      try texts.enumerated().map {
        .addNote(.numbered($0.offset), .first, try NoteText($0.element))
      },
      at: 1)
    var notes: [Note] = []
    try library.eachNote { notes.append($0) }
    let list = try library.noteList()
    #expect(list == notes.map(NoteSummary.init))
    #expect(list.map(\.firstLine.unicodeScalars.count) == [5, 200, 1, 7, 0, 200])
    #expect(list.first?.firstLine == "  một")
  }
}
