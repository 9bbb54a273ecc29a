import Editions
import Foundation
import Library
import Messages
import Quran
import TestSupport
import Testing
import Text

@testable import Commands

struct NoteCommandTests {
  private struct Entry: Decodable, Equatable {
    let id: String
    let ayah: String
    let surah: Int
    let number: Int
    let text: String
    let createdAt: Int64
    let modifiedAt: Int64
  }

  private let fixture: CommandFixture

  init() throws {
    fixture = try CommandFixture()
  }

  /// Adds two notes whose ids begin with the same digits, and returns the ids.
  private func twoNotes() throws -> [UUID] {
    let ids = try ["8C2A41D0", "8C2A4FFF"].map {
      try #require(UUID(uuidString: "\($0)-0000-4000-8000-000000000001"))
    }
    try fixture.commit(.addNote(ids[0], try ayah("2:255"), try NoteText("một\nhai")))
    fixture.now += 1000
    try fixture.commit(.addNote(ids[1], try ayah("2:255"), try NoteText("ba\u{1B}[31m")))
    return ids
  }

  private func input(_ bytes: [UInt8]) -> NoteSource {
    .input { limit throws(CommandFailure) in Array(bytes.prefix(limit)) }
  }

  private func editor(_ script: String) throws -> NoteSource {
    try fixture.directory.program("editor", script)
    return .editor(
      ExternalEditor(environment: ["EDITOR": "'\(fixture.directory.path)/editor'"]))
  }

  // MARK: Adding

  @Test func aNoteIsAdded() throws {
    let output = try fixture.note(.add(.given("- một\r\nhai")), "2:255")
    let note = try #require(try fixture.notes().first)
    #expect(note.text.text == "- một\nhai")
    #expect(note.createdAt == fixture.now)
    #expect(output.lines == ["✎ Saved note \(note.id.uuidString.prefix(8)) on 2:255"])
  }

  @Test func jsonContainsTheAddedNote() throws {
    let entries = try fixture.note(.add(.given("một")), "baqarah", "255", asJSON: true)
      .decoded([Entry].self)
    let note = try #require(try fixture.notes().first)
    #expect(
      entries == [
        Entry(
          id: note.id.uuidString, ayah: "2:255", surah: 2, number: 255, text: "một",
          createdAt: fixture.now, modifiedAt: fixture.now)
      ])
  }

  @Test func theInputIsANoteWithoutTheLastLineFeed() throws {
    for (given, kept) in [
      ("một\n", "một"), ("một", "một"), ("một\n\n", "một\n"), ("một\r\n", "một\n"),
      ("\nmột", "\nmột"),
    ] {
      try fixture.note(.add(input(Array(given.utf8))), "1:1")
      #expect(try fixture.notes().last?.text.text == kept, "\(given.debugDescription)")
      fixture.now += 1
    }
  }

  @Test func emptyTooLongOrInvalidNotesAreRefused() throws {
    for source in [NoteSource.given(" \n"), input([]), input([0x0A])] {
      #expect(
        try failure { try fixture.note(.add(source), "1:1") }
          == CommandFailure(.usage, fixture.messages.explain(NoteText.Problem.empty)))
    }
    let long = input([UInt8](repeating: 0x61, count: 10_000_000))
    #expect(try failure { try fixture.note(.add(long), "1:1") }.status == .badData)
    // The limit of the input can be inside a character.
    for start in ["", "a", "ab"] {
      let long = input(Array((start + String(repeating: "ế", count: NoteText.limit * 2)).utf8))
      let failure = try failure { try fixture.note(.add(long), "1:1") }
      #expect(failure.message.contains("too long"), "\(failure)")
    }
    #expect(
      try failure { try fixture.note(.add(input([0xFF, 0x61])), "1:1") }
        == CommandFailure(.badData, fixture.messages.textIsNotUTF8))
    #expect(try fixture.notes().isEmpty)
  }

  @Test func aNoteBelongsToOneAyah() throws {
    for subject in ["2", "2:1-5", "juz 30", "4:4 5:5", "2:255 2"] {
      #expect(
        try failure { try fixture.note(.add(.given("x")), subject) }
          == CommandFailure(.usage, fixture.messages.noteNeedsAyah))
    }
    for subject in ["2:300", "xyz"] {
      #expect(try failure { try fixture.note(.add(.given("x")), subject) }.status == .usage)
    }
    #expect(try failure { try fixture.note(.add(.given("x"))) }.status == .usage)
    for subject in ["2:255 sách hay", "2:255 2 chữ", "2:255 quá"] {
      #expect(
        try failure { try fixture.note(.add(.given("x")), subject) }
          == CommandFailure(.usage, fixture.messages.noteTextBelongsToOption("2:255")))
    }
    #expect(try fixture.isEmpty)
  }

  // MARK: The editor

  @Test func theEditorWritesANote() throws {
    let output = try fixture.note(.add(try editor("printf 'một\\n\\nhai\\n' > \"$1\"")), "2:255")
    #expect(try fixture.notes().map(\.text.text) == ["một\n\nhai"])
    #expect(output.lines.count == 1)
  }

  @Test func theEditorGetsTheTextOfTheNote() throws {
    try fixture.note(.add(.given("một\nhai")), "2:255")
    fixture.now += 10
    try fixture.note(.edit(try editor("sed -i s/hai/ba/ \"$1\"")), "2:255")
    let note = try #require(try fixture.notes().first)
    #expect(note.text.text == "một\nba")
    #expect(note.modifiedAt == fixture.now && note.createdAt == fixture.now - 10)
  }

  @Test func unchangedOrEmptyEditorTextChangesNothing() throws {
    try fixture.note(.add(.given("một")), "2:255")
    let notes = try fixture.notes()
    for script in ["true", "echo >> \"$1\"", ": > \"$1\"", "echo > \"$1\"", "rm \"$1\""] {
      #expect(
        try fixture.note(.edit(try editor(script)), "2:255").lines
          == [fixture.messages.nothingChanged], "\(script)")
      #expect(try fixture.note(.add(try editor(script)), "1:1", asJSON: true).text == "[]\n")
    }
    #expect(try fixture.notes() == notes)
  }

  @Test func aFailingEditorKeepsTheOldNote() throws {
    try fixture.note(.add(.given("một")), "2:255")
    let notes = try fixture.notes()
    let name = "\(fixture.directory.path)/editor"
    #expect(
      try failure { try fixture.note(.edit(try editor("kill -9 $$")), "2:255") }
        == CommandFailure(.badData, fixture.messages.editorEnded(name, 137)))
    #expect(try fixture.drafts().isEmpty)
    // A text that is not UTF-8 stays in the file that the message names.
    for (script, reason) in [
      ("printf '\\377x' > \"$1\"", fixture.messages.textIsNotUTF8),
      ("printf '\\377x' > \"$1\"; exit 3", fixture.messages.editorEnded(name, 3)),
    ] {
      let message = try failure { try fixture.note(.edit(try editor(script)), "2:255") }.message
      let path = try #require(message.split(separator: " ").last.map(String.init))
      #expect(message == "\(reason) \(fixture.messages.textIsKeptAt(path))")
      let file = URL(filePath: path)
      #expect(try Array(Data(contentsOf: file)) == [0xFF, 0x78])
      try FileManager.default.removeItem(at: file.deletingLastPathComponent())
    }
    #expect(try fixture.notes() == notes && fixture.drafts().isEmpty)
    // Another text becomes an unfinished note.
    let message = try failure {
      try fixture.note(.edit(try editor("echo hai > \"$1\"; exit 3")), "2:255")
    }.message
    #expect(
      message == "\(fixture.messages.editorEnded(name, 3)) "
        + fixture.messages.textIsUnfinishedNote("2:255"))
    let draft = try #require(try fixture.drafts().first)
    #expect(draft.text == "hai" && draft.noteID == notes[0].id && draft.base == notes[0].text)
    #expect(try fixture.notes() == notes)
  }

  @Test func aTextThatCannotBeSavedBecomesAnUnfinishedNote() throws {
    let long = try editor("head -c 1000000 /dev/zero | tr '\\0' x > \"$1\"")
    let failure = try failure { try fixture.note(.add(long), "2:255") }
    #expect(failure.status == .badData)
    #expect(failure.message.hasSuffix(fixture.messages.textIsUnfinishedNote("2:255")))
    #expect(try fixture.drafts().map(\.text.utf8.count) == [1_000_000])
    // The list, which has no notes, says so.
    #expect(try fixture.note(.list).text.isEmpty)
    #expect(
      fixture.warnings
        == [fixture.messages.unfinishedNotesNotListed(1), fixture.messages.noNotesToList])
  }

  /// The copy is what a process that is killed while the editor runs leaves.
  @Test func whatTheEditorWroteIsFoundIfTheProcessIsKilled() throws {
    try fixture.note(.add(.given("một")), "2:255")
    let note = try #require(try fixture.notes().first)
    let copy = fixture.directory.path + "/copy"
    let script = "echo hai > \"$1\"; cp -R \"$(dirname \"$1\")/../..\" '\(copy)'"
    try fixture.note(.edit(try editor(script)), "2:255")
    #expect(try fixture.notes().map(\.text.text) == ["hai"])
    #expect(try fixture.drafts().isEmpty)
    let library = try Library.open(copy + "/library.sqlite", at: fixture.now).library
    defer { library.close() }
    let draft = try #require(try library.snapshot().drafts.first)
    #expect(draft.text == "hai" && draft.noteID == note.id && draft.base == note.text)
  }

  // MARK: Editing and removing

  @Test func aNoteIsFoundByTheStartOfItsId() throws {
    let ids = try twoNotes()
    for name in [
      ids[0].uuidString, ids[0].uuidString.lowercased(), "8c2a41", "8C2A41D00000", "8C2A41D0-00",
    ] {
      fixture.now += 1
      let text = "mới \(name)"
      #expect(
        try fixture.note(.edit(.given(text)), name).lines == ["✎ Changed note 8C2A41D0 on 2:255"])
      #expect(try fixture.notes().map(\.text.text).contains(text))
    }
    try fixture.note(.remove, "8C2A4F")
    #expect(try fixture.notes().map(\.id) == [ids[0]])
    // The other note is now the only one of its ayah.
    #expect(try fixture.note(.remove, "2:255").lines == ["Removed note 8C2A41D0 on 2:255"])
    #expect(try fixture.notes().isEmpty)
  }

  @Test func ambiguousNotesAreListed() throws {
    _ = try twoNotes()
    for subject in ["8C2A", "2:255", "8c2a4"] {
      let failure = try failure { try fixture.note(.remove, subject) }
      #expect(failure.status == .usage)
      #expect(
        failure.message
          == "“\(subject)” could be several notes, use an id: 8C2A41D0 (2:255 “một”), "
          + "8C2A4FFF (2:255 “ba[31m”).")
    }
    #expect(try fixture.notes().count == 2)
  }

  @Test func unknownNotesExitWithStatus1() throws {
    _ = try twoNotes()
    for subject in ["1:1", "ABCD", "8C2", "xyz", "8C2A41D0-0000-4000-8000-000000000002"] {
      #expect(try failure { try fixture.note(.remove, subject) }.status == .notFound, "\(subject)")
      #expect(try failure { try fixture.note(.edit(.given("x")), subject) }.status == .notFound)
    }
    #expect(
      try failure { try fixture.note(.remove, "xyz") }.message == fixture.messages.noSuchNote("xyz")
    )
    for subject in ["2:300", "2", ""] {
      #expect(try failure { try fixture.note(.remove, subject) }.status == .usage, "\(subject)")
    }
    #expect(try fixture.notes().count == 2)
  }

  @Test func theSameTextAgainIsNoChange() throws {
    try fixture.note(.add(.given("một")), "2:255")
    #expect(
      try fixture.note(.edit(.given("một")), "2:255").lines == [fixture.messages.nothingChanged])
  }

  @Test func concurrentChangesOfANoteAreBothKept() throws {
    let ids = try twoNotes()
    let path = fixture.path
    let source = NoteSource.input { _ throws(CommandFailure) in
      // Another process changes the note first.
      let library = try? Library.open(path, at: 1).library
      guard let old = try? library?.note(ids[0])?.text else { return [] }
      _ = try? library?.commit(
        [.editNote(ids[0], .first, try NoteText("của nơi khác"), basedOn: old)],
        at: 1_795_000_009_000)
      return Array("của đây".utf8)
    }
    let lines = try fixture.note(.edit(source), "8C2A41").lines
    #expect(lines.count == 1 && lines[0].hasPrefix("The note was changed elsewhere meanwhile"))
    #expect(
      Set(try fixture.notes().map(\.text.text))
        == ["của nơi khác", "của đây", "ba\u{1B}[31m"])
  }

  // MARK: Listing

  @Test func notesAreListedWithTheirText() throws {
    _ = try twoNotes()
    try fixture.commit(.addNote(UUID(), .first, try NoteText("đầu")))
    let lines = try fixture.note(.list).lines
    #expect(lines[1...1] == ["  đầu"])
    #expect(
      lines[2...] == [
        "2:255  8C2A41D0  \(LocalTime(fixture.now - 1000))", "  một", "  hai",
        "2:255  8C2A4FFF  \(LocalTime(fixture.now))", "  ba[31m",
      ])
    #expect(try fixture.note(.list, "2").lines == Array(lines[2...]))
    let entries = try fixture.note(.list, asJSON: true)
    #expect(!entries.text.unicodeScalars.contains("\u{1B}"))
    #expect(
      try entries.decoded([Entry].self).map(\.text) == ["đầu", "một\nhai", "ba\u{1B}[31m"])
  }

  @Test func anEmptyListIsNoFailure() throws {
    #expect(try fixture.note(.list).text == "")
    #expect(try fixture.note(.list, asJSON: true).text == "[]\n")
    #expect(fixture.warnings == [fixture.messages.noNotesToList])
    #expect(try failure { try fixture.note(.list, "2:255") }.status == .notFound)
    #expect(try fixture.isEmpty)
  }

  @Test func jsonListsAThousandNotes() throws {
    let library = try fixture.library()
    try library.commit(
      try (1...1000).map { .addNote(UUID(), .first, try NoteText("\($0)\u{202E}")) },
      at: fixture.now)
    library.close()
    let entries = try fixture.note(.list, asJSON: true).decoded([Entry].self)
    #expect(Set(entries.map(\.text)).count == 1000)
  }
}
