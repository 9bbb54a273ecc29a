import Foundation
import Quran
import TestSupport
import Testing

@testable import Library

struct CommitTests {
  private let library: Library
  private let id = UUID.numbered(1)

  init() throws {
    library = try .inMemory()
  }

  private func text(_ text: String) throws -> NoteText { try NoteText(text) }

  @Test func aFavoriteIsSetOnceAndRemoved() throws {
    let a = ayah("2:255")
    let commit = try library.commit([.setFavorite(a, true)], at: 10)
    let favorite = Favorite(a, favoritedAt: 10)
    #expect(commit.edits == [Edit(.favorite(a), from: nil, to: .favorite(favorite))])
    #expect(try library.outbox() == ["favorite 2:255 save 1"])
    #expect(try library.commit([.setFavorite(a, true)], at: 20).isEmpty)
    #expect(try library.everything() == ["favorite 2 255 10"])
    #expect(try library.outbox() == ["favorite 2:255 save 1"])
    #expect(
      try library.commit([.setFavorite(a, false)], at: 30).edits
        == [Edit(.favorite(a), from: .favorite(favorite), to: nil)])
    #expect(try library.everything() == [])
    #expect(try library.outbox() == ["favorite 2:255 delete 2"])
    #expect(try library.commit([.setFavorite(a, false)], at: 40).isEmpty)
    #expect(try library.rows("SELECT generation, changedAt FROM outbox") == ["2 30"])
  }

  @Test func notesAreAddedEditedAndDeleted() throws {
    let a = ayah("18:10")
    try library.commit([.addNote(id, a, text("một"))], at: 10)
    #expect(
      try library.notes(of: a)
        == [Note(id: id, ayah: a, text: text("một"), createdAt: 10, modifiedAt: 10)])
    #expect(try library.commit([.addNote(id, a, text("một"))], at: 11).isEmpty)
    #expect(
      try library.commit([.editNote(id, a, text("một"), basedOn: text("một"))], at: 15).isEmpty)
    #expect(try library.outbox() == ["note \(id) save 1"])
    try library.commit([.editNote(id, a, text("hai"), basedOn: text("một"))], at: 20)
    #expect(
      try library.note(id)
        == Note(id: id, ayah: a, text: text("hai"), createdAt: 10, modifiedAt: 20))
    try library.commit([.deleteNote(id, a)], at: 30)
    #expect(try library.note(id) == nil)
    #expect(try library.outbox() == ["note \(id) delete 3"])
    #expect(try library.commit([.deleteNote(id, a)], at: 40).isEmpty)
    #expect(try library.outbox() == ["note \(id) delete 3"])
  }

  @Test func anAyahMayHaveSeveralNotes() throws {
    let a = ayah("1:1")
    try library.commit(
      [
        .addNote(.numbered(3), a, text("một")), .addNote(.numbered(1), a, text("hai")),
        .addNote(.numbered(2), ayah("1:2"), text("ba")),
      ], at: 10)
    try library.commit([.addNote(.numbered(4), a, text("một"))], at: 5)
    #expect(try library.notes(of: a).map(\.id) == [4, 1, 3].map(UUID.numbered))
    #expect(try library.noteList().map(\.id) == [4, 1, 3, 2].map(UUID.numbered))
    var all: [Note] = []
    try library.eachNote { all.append($0) }
    #expect(all.map(NoteSummary.init) == (try library.noteList()))
    let some = try library.notes(withIDs: [2, 9, 4].map(UUID.numbered))
    #expect(some.map(\.text.text) == ["ba", "một"])
  }

  @Test func editingAChangedNoteKeepsBothTexts() throws {
    let a = ayah("1:1")
    try library.commit([.addNote(id, a, text("một"))], at: 10)
    try library.commit([.editNote(id, a, text("hai"), basedOn: text("một"))], at: 20)
    let commit = try library.commit(
      [.editNote(id, a, text("ba"), basedOn: text("một"))], at: 30)
    #expect(commit.edits.count == 1)
    #expect(commit.edits.first?.thing != .note(id))
    #expect(try library.notes(of: a).map(\.text.text) == ["hai", "ba"])
    #expect(try library.outbox().count == 2)
    // The same text adds no second note.
    #expect(
      try library.commit([.editNote(id, a, text("hai"), basedOn: text("một"))], at: 40).isEmpty)
  }

  @Test func anEditOfAnOlderTextIsMergedLineByLine() throws {
    let a = ayah("1:1")
    try library.commit([.addNote(id, a, text("A\n\nb"))], at: 10)
    // Sync merges another device's edit, and the time of the note is unchanged.
    let merged = Note(id: id, ayah: a, text: try text("A\n\nB"), createdAt: 10, modifiedAt: 10)
    try library.sync { try $0.apply(.note(merged), as: .note(id)) }
    let commit = try library.commit(
      [.editNote(id, a, text("A2\n\nb"), basedOn: text("A\n\nb"))], at: 20)
    #expect(commit.edits.map(\.thing) == [.note(id)])
    #expect(try library.notes(of: a).map(\.text.text) == ["A2\n\nB"])
    // Both edits of the same line are kept.
    try library.commit([.editNote(id, a, text("A\n\nb2"), basedOn: text("A\n\nb"))], at: 30)
    #expect(try library.notes(of: a).map(\.text.text) == ["A2\n\nB", "A\n\nb2"])
    // An edit whose text is already stored changes nothing.
    #expect(
      try library.commit([.editNote(id, a, text("A\n\nB"), basedOn: text("A\n\nb"))], at: 40)
        .isEmpty)
  }

  @Test func editsTooLongToMergeAreBothKept() throws {
    let a = ayah("1:1")
    let long = String(repeating: "a", count: NoteText.limit / 2)
    try library.commit([.addNote(id, a, text("x\ny"))], at: 10)
    try library.commit([.editNote(id, a, text("x\ny\n\(long)"), basedOn: text("x\ny"))], at: 20)
    try library.commit([.editNote(id, a, text("\(long)\nx\ny"), basedOn: text("x\ny"))], at: 30)
    #expect(
      try library.notes(of: a).map(\.text.text) == ["x\ny\n\(long)", "\(long)\nx\ny"])
  }

  @Test func editsAtEqualOrEarlierTimesAreDistinguished() throws {
    let a = ayah("1:1")
    try library.commit([.addNote(id, a, text("một"))], at: 10)
    try library.commit([.editNote(id, a, text("hai"), basedOn: text("một"))], at: 10)
    #expect(try library.note(id)?.modifiedAt == 11)
    try library.commit([.editNote(id, a, text("ba"), basedOn: text("một"))], at: 10)
    try library.commit([.editNote(id, a, text("bốn"), basedOn: text("hai"))], at: 3)
    #expect(try library.notes(of: a).map(\.text.text).sorted() == ["ba", "bốn"])
    #expect(try library.note(id)?.modifiedAt == 12)
  }

  @Test func editingADeletedNoteBringsItBack() throws {
    let a = ayah("1:1")
    try library.commit([.addNote(id, a, text("một"))], at: 10)
    try library.commit([.deleteNote(id, a)], at: 20)
    try library.commit([.editNote(id, a, text("hai"), basedOn: text("một"))], at: 30)
    #expect(try library.note(id)?.text.text == "hai")
    #expect(try library.outbox() == ["note \(id) save 3"])
  }

  @Test func addingANoteWithAUsedIDKeepsBothTexts() throws {
    try library.commit([.addNote(id, ayah("1:1"), text("một"))], at: 10)
    try library.commit([.addNote(id, ayah("1:1"), text("hai"))], at: 20)
    try library.commit([.addNote(id, ayah("1:2"), text("một"))], at: 30)
    #expect(try library.notes(of: ayah("1:1")).map(\.text.text) == ["một", "hai"])
    #expect(try library.notes(of: ayah("1:2")).map(\.text.text) == ["một"])
  }

  @Test func progressAdvancesAndIsSetBack() throws {
    let s = surah(2)
    #expect(try library.commit([.advance(s, to: 0), .setProgress(s, to: 0)], at: 5).isEmpty)
    try library.commit([.advance(s, to: 100)], at: 10)
    #expect(try library.commit([.advance(s, to: 100)], at: 20).isEmpty)
    #expect(try library.commit([.advance(s, to: 99)], at: 20).isEmpty)
    #expect(try library.commit([.setProgress(s, to: 100)], at: 20).isEmpty)
    #expect(try library.everything() == ["progress 2 100 286 10"])
    #expect(try library.outbox() == ["progress 2 save 1"])
    try library.commit([.setProgress(s, to: 0)], at: 30)
    #expect(try library.everything() == ["progress 2 0 286 30"])
    try library.commit([.advance(s, to: 1000)], at: 40)
    #expect(try library.everything() == ["progress 2 286 286 40"])
    #expect(try library.commit([.advance(s, to: 2000)], at: 50).isEmpty)
    #expect(try library.commit([.setProgress(s, to: 300)], at: 50).isEmpty)
    #expect(try library.outbox() == ["progress 2 save 3"])
    try library.commit([.setProgress(s, to: -5)], at: 35)
    // The new time is later than the stored one, although the clock went back.
    #expect(try library.everything() == ["progress 2 0 286 41"])
  }

  @Test func settingsAreSetAndRemoved() throws {
    try library.commit([.set("theme", "\"sepia\"")], at: 10)
    #expect(try library.commit([.set("theme", "\"sepia\"")], at: 20).isEmpty)
    #expect(try library.snapshot().string(.theme) == "sepia")
    try library.commit([.set("theme", "\"dark\"")], at: 20)
    try library.commit([.set("theme", nil)], at: 30)
    #expect(try library.commit([.set("theme", nil)], at: 40).isEmpty)
    #expect(try library.everything() == [])
    #expect(try library.outbox() == ["setting theme delete 3"])
  }

  @Test func oneTransactionMayChangeAThingTwice() throws {
    let a = ayah("1:1")
    let commit = try library.commit([.setFavorite(a, true), .setFavorite(a, false)], at: 10)
    #expect(commit.edits.count == 2)
    #expect(try library.outbox() == ["favorite 1:1 delete 2"])
  }

  @Test func aFailedChangeRollsBackTheWholeCommit() throws {
    let a = ayah("1:1")
    try library.commit([.setFavorite(a, true)], at: 1)
    try library.save(
      Draft(id: id, noteID: id, ayah: a, base: nil, text: "một", changedAt: 1))
    let before = try library.everything()
    #expect(throws: LibraryFailure.self) {
      try library.commit(
        [
          .setFavorite(a, false), .addNote(id, a, text("một")), .advance(surah(3), to: 3),
          .set("theme", "\"dark\""), .set("layout", "no JSON"), .setFavorite(ayah("1:2"), true),
        ], at: 10)
    }
    #expect(try library.everything() == before)
    #expect(try library.outbox() == ["favorite 1:1 save 1"])
    try library.commit([.setFavorite(a, false)], at: 20)
    #expect(try library.outbox() == ["favorite 1:1 delete 2"])
  }

  @Test func savingANoteDropsItsDraftInTheSameTransaction() throws {
    let a = ayah("1:1")
    func draft(_ text: String) -> Draft {
      Draft(id: id, noteID: id, ayah: a, base: nil, text: text, changedAt: 5)
    }
    try library.save(draft("m"))
    try library.save(draft("mộ"))
    #expect(try library.snapshot().drafts == [draft("mộ")])
    #expect(throws: LibraryFailure.self) {
      try library.commit([.addNote(id, a, text("một")), .deleteDraft(id), .set("x", "")], at: 10)
    }
    #expect(try library.snapshot().drafts == [draft("mộ")])
    try library.commit([.addNote(id, a, text("một")), .deleteDraft(id)], at: 10)
    #expect(try library.snapshot().drafts == [])
    try library.save(draft("hai"))
    try library.commit(
      [.editNote(id, a, text("hai"), basedOn: text("một")), .deleteDraft(id)], at: 20)
    #expect(try library.snapshot().drafts == [])
    // The draft is also deleted if the note already has its text.
    try library.save(draft("hai"))
    #expect(
      try library.commit(
        [.editNote(id, a, text("hai"), basedOn: text("một")), .deleteDraft(id)], at: 30
      ).isEmpty)
    #expect(try library.snapshot().drafts == [])
  }

  @Test func aResumedDraftReplacesTheOriginal() throws {
    let first = Draft(
      id: id, noteID: .numbered(5), ayah: .last, base: try text("cũ"), text: "một", changedAt: 1)
    try library.save(first)
    // Two processes resume it.
    var resumed = [2, 3].map { Draft(resuming: first, id: .numbered($0)) }
    for index in resumed.indices {
      resumed[index].text = "\(index)"
      try library.save(resumed[index])
    }
    let drafts = try library.snapshot().drafts
    #expect(drafts.map(\.id) == [.numbered(2), .numbered(3)])
    #expect(drafts.map(\.text) == ["0", "1"])
    #expect(drafts.allSatisfy { $0.noteID == first.noteID && $0.base == first.base })
    _ = try library.discard(Draft(resuming: resumed[0], id: .numbered(4)))
    #expect(try library.snapshot().drafts.map(\.text) == ["1"])
  }

  @Test func draftsAreKeptAsTyped() throws {
    let texts = ["", " \r\n\t", "e\u{301}", "\u{1B}[31m", String(repeating: "a", count: 950_000)]
    for (number, text) in texts.enumerated() {
      try library.save(
        Draft(
          id: .numbered(number), noteID: .numbered(number + 100), ayah: .last,
          base: number == 1 ? .of("cũ") : nil, text: text, changedAt: Int64(number)))
    }
    let drafts = try library.snapshot().drafts
    #expect(drafts.map { Array($0.text.utf8) } == texts.map { Array($0.utf8) })
    #expect(try drafts.map(\.base) == [nil, .of("cũ"), nil, nil, nil])
    try library.deleteDraft(.numbered(1))
    try library.deleteDraft(.numbered(77))
    #expect(try library.snapshot().drafts.map(\.id) == [0, 2, 3, 4].map(UUID.numbered))
    // A NUL character would end a bound text. The text after it is kept.
    try library.save(
      Draft(
        id: .numbered(0), noteID: .numbered(0), ayah: .first, base: nil, text: "a\u{0}b",
        changedAt: 9))
    #expect(try library.snapshot().drafts.last?.text == "ab")
  }

  @Test func dataOfThisDeviceIsNotInTheOutbox() throws {
    try library.setDeviceValues(["position": "2:255", "cue1": "1:1"])
    let gone: String? = nil
    try library.setDeviceValues(["position": "2:256", "cue1": gone, "cue2": gone])
    try library.save(Draft(id: id, noteID: id, ayah: .first, base: nil, text: "a", changedAt: 1))
    try library.deleteDraft(id)
    var reading = ReadingChanges()
    reading.device = ["position": "3:1"]
    reading.ayahsRead = [Day(number: 20_000): 3, Day(number: 20_001): 0]
    #expect(try library.save(reading, at: 1).isEmpty)
    #expect(try library.save(reading, at: 2).isEmpty)
    #expect(try library.everything() == ["device position 3:1", "readingDay 2024-10-04 6"])
    #expect(try library.outbox() == [])
  }

  @Test func readingChangesAreSavedAtomically() throws {
    var reading = ReadingChanges()
    #expect(reading.isEmpty)
    reading.progress = [surah(2): 5, surah(1): 7]
    reading.device = ["position": "2:5"]
    reading.ayahsRead = [Day(number: 20_000): 12]
    let commit = try library.save(reading, at: 10)
    #expect(commit.edits.map(\.thing) == [.progress(surah(1)), .progress(surah(2))])
    #expect(
      try library.everything() == [
        "progress 1 7 7 10", "progress 2 5 286 10", "device position 2:5",
        "readingDay 2024-10-04 12",
      ])
    #expect(try library.outbox() == ["progress 1 save 1", "progress 2 save 1"])
    // A day that cannot be stored makes the whole change fail.
    reading.ayahsRead = [Day(number: 5_000_000): 1]
    reading.progress = [surah(2): 9]
    #expect(throws: LibraryFailure.self) { try library.save(reading, at: 20) }
    #expect(try library.snapshot().lastReadAyah(of: surah(2)) == 5)
  }

  @Test func theGenerationCountsTheChangesOfAThing() throws {
    var random = SeededGenerator(seed: 1)
    var counts: [String: Int] = [:]
    let ayahs = (1...20).compactMap { AyahID(index: $0 * 300) }
    for step in 0..<2000 {
      let a = ayahs[Int.random(in: 0..<20, using: &random)]
      let note = UUID.numbered(Int.random(in: 0..<20, using: &random))
      let change: Change =
        switch Int.random(in: 0..<6, using: &random) {
        case 0: .setFavorite(a, .random(using: &random))
        case 1: .addNote(note, a, try text("\(step % 3)"))
        case 2: .deleteNote(note, a)
        case 3: .advance(a.surah, to: .random(in: 0..<10, using: &random))
        case 4: .setProgress(a.surah, to: .random(in: 0..<10, using: &random))
        default: .set("k\(step % 5)", [nil, "1", "2"][Int.random(in: 0..<3, using: &random)])
        }
      var commit = try library.commit([change], at: Int64(step))
      for _ in 0..<Int.random(in: 0..<3, using: &random) {
        for edit in commit.edits { counts["\(edit.thing.kind) \(edit.thing.key)", default: 0] += 1 }
        commit = try library.reverse(commit, at: Int64(step))
      }
      for edit in commit.edits { counts["\(edit.thing.kind) \(edit.thing.key)", default: 0] += 1 }
    }
    let found = try library.rows("SELECT kind || ' ' || key || ' ' || generation FROM outbox")
    #expect(Set(found) == Set(counts.map { "\($0.key) \($0.value)" }))
    // The outbox saves the things that exist, and deletes the others.
    let things = Set(
      try library.rows(
        """
        SELECT 'favorite ' || surah || ':' || ayah FROM favorite UNION ALL
        SELECT 'note ' || id FROM note UNION ALL SELECT 'progress ' || surah FROM progress
        UNION ALL SELECT 'setting ' || key FROM setting
        """))
    #expect(
      Set(try library.rows("SELECT kind || ' ' || key FROM outbox WHERE op = 'save'")) == things)
    #expect(counts.count > 60)
  }
}
