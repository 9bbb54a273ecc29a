import Foundation
import Quran
import Testing

@testable import Library

struct TrashTests {
  private let library: Library
  private let note = Note(
    id: .numbered(1), ayah: ayah("2:255"), text: try! .of("một"), createdAt: 1, modifiedAt: 2)

  init() throws {
    library = try .inMemory()
    try library.sync { try $0.addToTrash(note, at: 10) }
  }

  @Test func restoredNotesAreSent() throws {
    let other = Note(
      id: .numbered(2), ayah: ayah("1:1"), text: try .of("hai"), createdAt: 1, modifiedAt: 2)
    try library.sync { try $0.addToTrash(other, at: 11) }
    #expect(
      try library.trash() == [
        TrashedNote(note: other, deletedAt: 11), TrashedNote(note: note, deletedAt: 10),
      ])
    let commit = try library.restoreNote(note.id, at: 20)
    let back = Note(
      id: note.id, ayah: note.ayah, text: note.text, createdAt: 1, modifiedAt: 20)
    #expect(commit.edits == [Edit(.note(note.id), from: nil, to: .note(back))])
    #expect(try library.note(note.id) == back)
    #expect(try library.outbox() == ["note \(note.id) save 1"])
    #expect(try library.trash().map(\.note.id) == [other.id])
    #expect(try library.restoreNote(note.id, at: 21).isEmpty)
  }

  @Test func restoringDoesNotOverwriteAnExistingNote() throws {
    try library.commit([.addNote(note.id, note.ayah, .of("khác"))], at: 15)
    let commit = try library.restoreNote(note.id, at: 20)
    #expect(commit.edits.count == 1)
    #expect(try library.notes(of: note.ayah).map(\.text.text).sorted() == ["khác", "một"])
    #expect(try library.trash() == [])
    // A note with the same text is not added again.
    let found = try library.note(note.id)!
    try library.sync { try $0.addToTrash(found, at: 30) }
    #expect(try library.restoreNote(note.id, at: 40).isEmpty)
    #expect(try library.notes(of: note.ayah).count == 2)
  }

  @Test func theTrashIsEmptiedAfterNinetyDays() throws {
    let day: Int64 = 86_400_000
    for number in 0..<Int64(Library.trashDays) {
      // Several rounds of a day count once.
      for hour in 0..<3 {
        try library.sync { try $0.deleteExpired(at: 10 + number * day + Int64(hour) * 3_600_000) }
      }
    }
    #expect(try library.trash().count == 1)
    try library.sync { try $0.deleteExpired(at: 90 * day) }
    #expect(try library.trash() == [])
  }

  @Test func aWrongClockDoesNotEmptyTheTrash() throws {
    let day: Int64 = 86_400_000
    for jump in [3 * 365 * day, 0, day, 5000 * day, 2 * day] {
      try library.sync { try $0.deleteExpired(at: 10 + jump) }
      #expect(try library.trash().count == 1)
    }
    // The device was off for a long time.
    try library.sync { try $0.deleteExpired(at: 10 + 400 * day) }
    #expect(try library.trash().count == 1)
  }
}
