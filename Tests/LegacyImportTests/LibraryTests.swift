import Foundation
import LegacyImport
import Library
import Quran
import Testing

/// The import of a file into a library.
struct LibraryTests {
  private let date: Int64 = 5000
  private let now: Int64 = 9000

  /// The imported entries as text.
  private func contents(of library: Library) throws -> [String] {
    let snapshot = try library.snapshot()
    var contents = snapshot.favorites.map { "favorite \($0.ayah) \($0.favoritedAt)" }
    contents += snapshot.progress.map { "progress \($0.surah) \($0.lastReadAyah)" }
    try library.eachNote {
      contents.append("note \($0.id) \($0.ayah) \($0.createdAt) \($0.modifiedAt) \($0.text.text)")
    }
    return contents
  }

  @discardableResult
  private func load(_ dump: LegacyDump, into library: Library) throws -> ImportReport.Count {
    try library.importLegacy(dump.rows, datedAt: date, at: now).total
  }

  @Test func filesOfTheSameLibraryImportEqualEntriesOnce() throws {
    let names = Fixtures.names("same")
    let dumps = try names.map { try LegacyDump(try Fixtures.bytes($0)) }
    var first: [String]?
    for (name, dump) in zip(names, dumps) {
      let library = try Library.inMemory()
      let count = try load(dump, into: library)
      #expect((count.found, count.imported) == (28, 28), "\(name)")
      let after = try contents(of: library)
      first = first ?? after
      #expect(after == first, "\(name)")
      for (other, dump) in zip(names, dumps) {
        let count = try load(dump, into: library)
        #expect((count.imported, count.alreadyThere) == (0, 28), "\(other) after \(name)")
      }
      #expect(try contents(of: library) == after, "\(name)")
    }
    #expect(first?.count == 12 + 9 + 7)
  }

  @Test func editedOrDeletedNotesAreNotImportedAgain() throws {
    let names = Fixtures.names("same")
    let library = try Library.inMemory()
    try load(try LegacyDump(try Fixtures.bytes(names[0])), into: library)
    let ayah = try #require(AyahID("2:255"))
    let notes = try library.notes(of: ayah)
    try library.commit(
      [
        .editNote(notes[0].id, ayah, NoteText("sửa"), basedOn: notes[0].text),
        .deleteNote(notes[1].id, ayah), .deleteNote(notes[2].id, ayah),
      ], at: now)
    let before = try contents(of: library)
    for name in names {
      #expect(try load(try LegacyDump(try Fixtures.bytes(name)), into: library).imported == 0)
    }
    #expect(try contents(of: library) == before)
  }

  @Test(arguments: ["same", "wrong"].flatMap(Fixtures.names))
  func everyFoundEntryIsImportedPresentOrReported(name: String) throws {
    let dump = try LegacyDump(try Fixtures.bytes(name))
    let library = try Library.inMemory()
    for _ in 1...2 {
      let report = try library.importLegacy(dump.rows, datedAt: date, at: now)
      for (key, table) in [
        (LegacyKey.favorites, ExportDocument.List.favorites), (.notes, .notes),
        (.progress, .progress),
      ] {
        let reported = dump.problems.count { $0.key == key }
        #expect(
          dump.entryCount(of: key) == report[table].imported + report[table].alreadyThere
            + reported,
          "\(name) \(key)")
      }
    }
  }
}
