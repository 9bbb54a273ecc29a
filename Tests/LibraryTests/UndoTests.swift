import Foundation
import Quran
import TestSupport
import Testing

@testable import Library

struct UndoTests {
  private let library: Library
  private let id = UUID.numbered(1)
  private let a = ayah("2:255")

  init() throws {
    library = try .inMemory()
  }

  /// The entries of the library, without the times of changes.
  private func held() throws -> [String] {
    try library.rows("SELECT surah, ayah, favoritedAt FROM favorite ORDER BY 1, 2")
      + library.rows("SELECT id, surah, ayah, createdAt, text FROM note ORDER BY id")
      + library.rows("SELECT surah, lastReadAyah FROM progress WHERE lastReadAyah > 0")
      + library.rows("SELECT key, value FROM setting ORDER BY key")
  }

  @Test func undoAndRedoRestoreEachState() throws {
    let one = try NoteText("một")
    let two = try NoteText("hai")
    let steps: [[Change]] = [
      [.setFavorite(a, true)], [.setFavorite(a, false)], [.addNote(id, a, one)],
      [.editNote(id, a, two, basedOn: one)], [.deleteNote(id, a)],
      [.advance(surah(2), to: 5)], [.advance(surah(2), to: 9)], [.setProgress(surah(2), to: 0)],
      [.set("theme", "1")], [.set("theme", "2")], [.set("theme", nil)],
      [.setFavorite(a, true), .addNote(.numbered(2), a, one), .advance(surah(3), to: 4)],
      [
        .setFavorite(a, false), .deleteNote(.numbered(2), a), .setProgress(surah(3), to: 0),
        .set("x", "[]"),
      ],
    ]
    var now: Int64 = 1000
    var states = [try held()]
    var commits: [Commit] = []
    for step in steps {
      now += 1
      commits.append(try library.commit(step, at: now))
      states.append(try held())
    }
    #expect(Set(states).count == 10)
    var redoes: [Commit] = []
    for (commit, state) in zip(commits, states).reversed() {
      now += 1
      redoes.append(try library.reverse(commit, at: now))
      #expect(try held() == state)
    }
    for (commit, state) in zip(redoes.reversed(), states.dropFirst()) {
      now += 1
      try library.reverse(commit, at: now)
      #expect(try held() == state)
    }
  }

  @Test func undoingADeletionRestoresTheSameNote() throws {
    try library.commit([.addNote(id, a, NoteText("một"))], at: 10)
    let before = try library.note(id)
    let deletion = try library.commit([.deleteNote(id, a)], at: 20)
    try library.reverse(deletion, at: 30)
    let after = try library.note(id)
    #expect(after?.id == id)
    #expect(after?.text == before?.text)
    #expect(after?.createdAt == 10)
    // For other devices, the undo is a new change.
    #expect(after?.modifiedAt == 30)
    #expect(try library.outbox() == ["note \(id) save 3"])
  }

  @Test func aFavoriteKeepsTheTimeItWasFirstMarked() throws {
    try library.commit([.setFavorite(a, true)], at: 10)
    let removal = try library.commit([.setFavorite(a, false)], at: 20)
    try library.reverse(removal, at: 30)
    #expect(try library.everything() == ["favorite 2 255 10"])
  }

  @Test func undoingTheFirstProgressSetsItToZero() throws {
    let commit = try library.commit([.advance(surah(2), to: 5)], at: 10)
    let undo = try library.reverse(commit, at: 20)
    #expect(try library.everything() == ["progress 2 0 286 20"])
    #expect(try library.outbox() == ["progress 2 save 2"])
    try library.reverse(undo, at: 30)
    #expect(try library.everything() == ["progress 2 5 286 30"])
  }

  @Test func repeatedChangesOfATransactionAreUndoneAtOnce() throws {
    let s = surah(2)
    try library.commit([.addNote(id, a, NoteText("một")), .advance(s, to: 3)], at: 10)
    let commit = try library.commit(
      [
        .editNote(id, a, NoteText("hai"), basedOn: NoteText("một")),
        .editNote(id, a, NoteText("ba"), basedOn: NoteText("hai")), .setFavorite(a, true),
        .setFavorite(a, false), .advance(s, to: 5), .setProgress(s, to: 1), .advance(s, to: 9),
      ], at: 20)
    #expect(commit.edits.count == 7)
    let undo = try library.reverse(commit, at: 30)
    #expect(try library.note(id)?.text.text == "một")
    #expect(try library.snapshot().lastReadAyah(of: s) == 3)
    #expect(try library.snapshot().favoriteCount == 0)
    #expect(Set(undo.edits.map(\.thing)) == [.note(id), .progress(s)])
    try library.reverse(undo, at: 40)
    #expect(try library.note(id)?.text.text == "ba")
    #expect(try library.snapshot().lastReadAyah(of: s) == 9)
  }

  @Test func anUndoIsALaterVersionOfTheNote() throws {
    let one = try NoteText("một")
    try library.commit([.addNote(id, a, one)], at: 10)
    let edit = try library.commit([.editNote(id, a, NoteText("hai"), basedOn: one)], at: 10)
    // The undo has the time of the edit, as after the clock was set back.
    try library.reverse(edit, at: 10)
    let note = try #require(try library.note(id))
    #expect(note.modifiedAt > 11)
    let lost = try library.commit(
      [.editNote(id, a, NoteText("ba"), basedOn: NoteText("hai"))], at: 20)
    #expect(lost.edits.first?.thing != .note(id))
    #expect(try library.note(id)?.text == one)
  }

  @Test(arguments: 0..<5)
  func undoFailsIfAThingWasChangedMeanwhile(which: Int) throws {
    let place = try TemporaryLibrary()
    let mine = try place.open()
    let others = try place.open()
    defer {
      mine.close()
      others.close()
    }
    let s = surah(2)
    try mine.commit([.addNote(id, a, NoteText("một")), .set("theme", "1")], at: 5)
    let commit = try mine.commit(
      [
        .setFavorite(a, true), .editNote(id, a, NoteText("hai"), basedOn: NoteText("một")),
        .advance(s, to: 3), .set("theme", "2"),
      ], at: 10)
    let (change, thing): (Change, Thing) =
      switch which {
      case 0: (.setFavorite(a, false), .favorite(a))
      case 1: (.editNote(id, a, try NoteText("ba"), basedOn: try NoteText("hai")), .note(id))
      case 2: (.deleteNote(id, a), .note(id))
      case 3: (.advance(s, to: 4), .progress(s))
      default: (.set("theme", nil), .setting("theme"))
      }
    try others.commit([change], at: 20)
    let before = try mine.everything() + mine.outbox()
    #expect(throws: LibraryFailure.changedMeanwhile(thing)) { try mine.reverse(commit, at: 30) }
    #expect(try mine.everything() + mine.outbox() == before)
  }

  @Test func undoFailsIfAThingWasChangedAndChangedBack() throws {
    let commit = try library.commit([.setFavorite(a, true)], at: 10)
    try library.commit([.setFavorite(a, false)], at: 20)
    try library.commit([.setFavorite(a, true)], at: 30)
    #expect(throws: LibraryFailure.changedMeanwhile(.favorite(a))) {
      try library.reverse(commit, at: 40)
    }
  }
}

struct RequestHandlerTests {
  private let library: Library
  private var handler: RequestHandler

  init() throws {
    library = try .inMemory()
    handler = RequestHandler(.success(library))
  }

  private func toggled(_ index: Int, _ isFavorite: Bool = true) throws -> LibraryRequest {
    .commit([.setFavorite(try #require(AyahID(index: index)), isFavorite)])
  }

  /// The favourites, by their places in the book.
  private func marked() throws -> [Int] {
    try library.snapshot().favorites.map(\.ayah.index)
  }

  @discardableResult
  private mutating func undo() throws -> Int {
    guard case .done(.undo, let commit) = handler.perform(.undo, at: 1) else { return -1 }
    return commit.edits.count
  }

  @discardableResult
  private mutating func redo() throws -> Int {
    guard case .done(.redo, let commit) = handler.perform(.redo, at: 1) else { return -1 }
    return commit.edits.count
  }

  @Test mutating func undoAndRedoWorkStepByStep() throws {
    #expect(try undo() == 0)
    #expect(try redo() == 0)
    for index in 1...5 { _ = handler.perform(try toggled(index), at: 1) }
    for count in stride(from: 4, through: 0, by: -1) {
      #expect(try undo() == 1)
      #expect(try marked() == Array(1...5).prefix(count).map { $0 })
    }
    #expect(try undo() == 0)
    for count in 1...5 {
      #expect(try redo() == 1)
      #expect(try marked() == Array(1...count))
    }
    #expect(try redo() == 0)
    try undo()
    try undo()
    try redo()
    try undo()
    #expect(try marked() == [1, 2, 3])
  }

  @Test mutating func aNewChangeClearsTheRedoHistory() throws {
    for index in 1...3 { _ = handler.perform(try toggled(index), at: 1) }
    try undo()
    // Requests that change nothing do not clear the redo history.
    _ = handler.perform(try toggled(1), at: 1)
    _ = handler.perform(.saveReading(ReadingChanges()), at: 1)
    try redo()
    #expect(try marked() == [1, 2, 3])
    try undo()
    _ = handler.perform(try toggled(9), at: 1)
    #expect(try redo() == 0)
    try undo()
    #expect(try marked() == [1, 2])
  }

  @Test mutating func aHundredChangesCanBeUndone() throws {
    for index in 1...150 { _ = handler.perform(try toggled(index), at: 1) }
    var count = 0
    while try undo() == 1 { count += 1 }
    #expect(count == 100)
    #expect(try marked() == Array(1...50))
    while try redo() == 1 { count -= 1 }
    #expect(count == 0)
    #expect(try marked() == Array(1...150))
  }

  @Test mutating func readingSettingsAndDraftsAreNotUndone() throws {
    var reading = ReadingChanges()
    reading.progress = [surah(2): 3]
    _ = handler.perform(.saveReading(reading), at: 1)
    _ = handler.perform(.commit([.set("theme", "1")]), at: 1)
    _ = handler.perform(
      .save(Draft(id: UUID(), noteID: UUID(), ayah: .first, base: nil, text: "", changedAt: 1)),
      at: 1)
    #expect(try undo() == 0)
  }

  @Test mutating func aChangeThatCannotBeUndoneIsSkippedNextTime() throws {
    _ = handler.perform(try toggled(1), at: 1)
    _ = handler.perform(try toggled(2), at: 2)
    try library.commit([.setFavorite(try #require(AyahID(index: 2)), false)], at: 3)
    #expect(
      handler.perform(.undo, at: 4)
        == .refused(.undo, .changedMeanwhile(.favorite(try #require(AyahID(index: 2))))))
    #expect(try undo() == 1)
    #expect(try marked() == [])
  }

  @Test mutating func undoIsPossibleAfterATemporaryFailure() throws {
    let place = try TemporaryLibrary()
    let library = try place.open()
    defer { library.close() }
    handler = RequestHandler(.success(library))
    _ = handler.perform(try toggled(1), at: 1)
    _ = handler.perform(try toggled(2), at: 1)
    // The file is away for a while.
    func away(_ body: () throws -> Void) throws {
      try FileManager.default.moveItem(atPath: place.path, toPath: place.path + ".away")
      try body()
      try FileManager.default.moveItem(atPath: place.path + ".away", toPath: place.path)
    }
    let failure = LibraryFailure.replaced(path: place.path)
    try away { #expect(handler.perform(.undo, at: 1) == .refused(.undo, failure)) }
    #expect(try undo() == 1)
    try away { #expect(handler.perform(.redo, at: 1) == .refused(.redo, failure)) }
    try away { #expect(handler.perform(.undo, at: 1) == .refused(.undo, failure)) }
    #expect(try redo() == 1)
    #expect(try library.snapshot().favoriteCount == 2)
    #expect(try undo() + undo() == 2)
    #expect(try undo() == 0)
  }

  /// The discarded draft is restored with its last text, whether or not this text was stored.
  @Test mutating func aSaveThatDiscardsADraftIsUndoneAndRedone() throws {
    let a = ayah("2:255")
    let stored = Draft(
      id: .numbered(1), noteID: .numbered(2), ayah: a, base: nil, text: "mộ", changedAt: 1)
    try library.save(stored)
    var draft = Draft(resuming: stored, id: .numbered(3))
    draft.text = "một"
    let text = try NoteText("một")
    _ = handler.perform(.commit([.addNote(.numbered(2), a, text), .discardDraft(draft)]), at: 5)
    #expect(try library.notes(of: a).count == 1 && library.snapshot().drafts.isEmpty)
    _ = handler.perform(.undo, at: 6)
    #expect(try library.notes(of: a).isEmpty)
    #expect(try library.snapshot().drafts.map(\.text) == ["một"])
    _ = handler.perform(.redo, at: 7)
    #expect(try library.notes(of: a).map(\.text) == [text])
    #expect(try library.snapshot().drafts.isEmpty)
  }

  @Test mutating func everyRequestIsAnswered() throws {
    let id = UUID.numbered(1)
    let a = ayah("2:255")
    _ = handler.perform(.commit([.addNote(id, a, try NoteText("\n một "))]), at: 5)
    let note = try #require(try library.note(id))
    #expect(handler.perform(.notes(a), at: 1) == .notes(a, [note]))
    #expect(handler.perform(.notes(.first), at: 1) == .notes(.first, []))
    #expect(handler.perform(.noteList, at: 1) == .noteList([NoteSummary(note)]))
    let draft = Draft(
      id: id, noteID: id, ayah: a, base: try NoteText("w"), text: "x", changedAt: 6)
    #expect(handler.perform(.save(draft), at: 1) == .done(.save(draft), Commit([])))
    #expect(handler.perform(.deleteDraft(id), at: 1) == .done(.deleteDraft(id), Commit([])))
    #expect(try library.snapshot().drafts == [])
  }

  @Test func withoutALibraryEverythingIsRefused() throws {
    var handler = RequestHandler(.failure(.noHomeDirectory))
    for request in [
      LibraryRequest.undo, .redo, .noteList, .notes(.first), .commit([]),
      .saveReading(ReadingChanges()),
    ] {
      #expect(handler.perform(request, at: 1) == .refused(request, .noHomeDirectory))
    }
  }
}
