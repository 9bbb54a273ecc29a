import Foundation
import Quran
import Testing

@testable import Library

/// Texts in the files of external editors whose process was killed.
struct EditorFileTests {
  private let place: TemporaryLibrary

  init() throws {
    place = try TemporaryLibrary()
  }

  private func draft(_ text: String, base: String? = nil) throws -> Draft {
    Draft(
      id: .numbered(1), noteID: .numbered(2), ayah: ayah("2:255"),
      base: try base.map { try NoteText.of($0) }, text: text, changedAt: 1)
  }

  /// Creates the file of a draft as if a process had started the editor and the editor had written
  /// to it. Returns the path of its directory.
  @discardableResult private func write(_ data: Data, of draft: Draft) throws -> String {
    let file = EditorFile(draft, library: place.path)
    let directory = file.directoryPrefix + "a1B2c3"
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: true)
    try data.write(to: URL(filePath: "\(directory)/\(file.name)"))
    return directory
  }

  /// Stores a draft, opens the library after an editor wrote a text, and returns the drafts.
  private func recovered(_ stored: Draft?, _ text: String) throws -> [Draft] {
    try place.using { if let stored { try $0.save(stored) } }
    let directory = try write(Data(text.utf8), of: stored ?? draft(""))
    let drafts = try place.using { try $0.snapshot().drafts }
    #expect(!FileManager.default.fileExists(atPath: directory))
    #expect(!FileManager.default.fileExists(atPath: place.path + ".editing"))
    return drafts
  }

  @Test func whatWasSavedInTheEditorBecomesTheDraft() throws {
    let stored = try draft("cũ", base: "cũ")
    let drafts = try recovered(stored, "mới\n")
    #expect(drafts.map(\.text) == ["mới"] && drafts.first?.changedAt ?? 0 > stored.changedAt)
    #expect(drafts.first?.noteID == stored.noteID && drafts.first?.base == stored.base)
  }

  @Test func aTextThatWasNotChangedIsNoDraft() throws {
    #expect(try recovered(draft("cũ", base: "cũ"), "cũ\n").isEmpty)
    #expect(try recovered(draft(""), "").isEmpty)
    // An unfinished note stays as it was.
    #expect(try recovered(draft("dở", base: "cũ"), "dở").map(\.text) == ["dở"])
  }

  /// The draft was edited after the editor had written its file.
  @Test func aNewerDraftIsNotReplaced() throws {
    var stored = try draft("mới hơn", base: "cũ")
    stored.changedAt = .max
    let drafts = try recovered(stored, "mới\n")
    #expect(drafts.contains(stored))
    #expect(drafts.map(\.text).sorted() == ["mới", "mới hơn"])
    // It is not added if its lines are there.
    stored.text = "mới\nhơn"
    #expect(try recovered(stored, "mới\n").count == 2)
  }

  /// nano saves the text under this name if the terminal is closed.
  @Test func anEmergencyFileIsNewerThanTheFile() throws {
    let stored = try draft("cũ", base: "cũ")
    try place.using { try $0.save(stored) }
    let directory = try write(Data("cũ\n".utf8), of: stored)
    let file = "\(directory)/2-255.txt"
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: file)
    try Data("mới\n".utf8).write(to: URL(filePath: file + ".save"))
    let drafts = try place.using { try $0.snapshot().drafts }
    #expect(drafts.map(\.text) == ["mới"] && drafts.first?.base == stored.base)
    #expect(!FileManager.default.fileExists(atPath: directory))
  }

  @Test func aTextWithoutItsDraftIsANewNoteOfTheAyah() throws {
    let drafts = try recovered(nil, "mới")
    #expect(drafts.map(\.text) == ["mới"] && drafts.first?.ayah == ayah("2:255"))
    #expect(drafts.first?.base == nil)
  }

  @Test func aTextThatWasSavedAsANoteIsNoDraft() throws {
    try place.using {
      _ = try $0.commit([.addNote(.numbered(9), ayah("2:255"), try .of("mới"))], at: 1)
    }
    #expect(try recovered(nil, "mới\n").isEmpty)
  }

  @Test func aRunningEditorIsLeftAlone() throws {
    let stored = try draft("cũ", base: "cũ")
    try place.using { try $0.save(stored) }
    let directory = try write(Data("mới".utf8), of: stored)
    let descriptor = Glibc.open(directory, O_RDONLY | O_CLOEXEC)
    try #require(flock(descriptor, LOCK_EX) == 0)
    #expect(try place.using { try $0.snapshot().drafts } == [stored])
    #expect(FileManager.default.fileExists(atPath: "\(directory)/2-255.txt"))
    close(descriptor)
    #expect(try place.using { try $0.snapshot().drafts.map(\.text) } == ["mới"])
  }

  @Test func whatIsNotTextOrNotOursStaysInItsFile() throws {
    let stored = try draft("dở", base: "cũ")
    try place.using { try $0.save(stored) }
    let directory = try write(Data([0xFF, 0xFE]), of: stored)
    try Data("x".utf8).write(to: URL(filePath: "\(directory)/.2-255.txt.swp"))
    let opened = try Library.open(place.path, at: 1)
    #expect(opened.notices == [.filesOfEditor(path: directory)])
    #expect(opened.snapshot.drafts == [stored])
    opened.library.close()
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
        == [".2-255.txt.swp", "2-255.txt"])
  }

  /// Such a draft is empty, and would be offered although the text is elsewhere.
  @Test func aDraftThatWasStoredForTheEditorIsNotOfferedWithoutItsText() throws {
    let stored = try draft("")
    try place.using { try $0.save(stored) }
    try write(Data([0xFF, 0xFE]), of: stored)
    #expect(try place.using { try $0.snapshot().drafts }.isEmpty)
  }

  @Test func theTextOfAnEditorIsNilIfItWroteNothing() {
    #expect(NoteText.edited("a\r\nb\n", from: "a") == "a\nb")
    #expect(NoteText.edited("a\n", from: "b\n") == "a\n")
    for written in ["a", "a\n", "", " \n"] { #expect(NoteText.edited(written, from: "a") == nil) }
  }
}
