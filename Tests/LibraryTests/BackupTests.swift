import Foundation
import GRDB
import Quran
import TestSupport
import Testing

@testable import Library

struct BackupTests {
  private let place: TemporaryLibrary
  private let backups: Backups
  private let day: Int64 = 86_400_000
  /// 2026-11-22T03:15:30Z.
  private let now: Int64 = 1_795_317_330_000

  init() throws {
    place = try TemporaryLibrary()
    backups = Backups(of: place.path)
  }

  private func fill(_ library: Library) throws {
    try library.commit(
      [
        .setFavorite(ayah("2:255"), true), .addNote(.numbered(1), ayah("2:255"), NoteText("một")),
        .advance(surah(2), to: 5), .set("theme", "\"sepia\""),
      ], at: 10)
    try library.commit([.setFavorite(ayah("2:255"), false), .setFavorite(.last, true)], at: 20)
    try library.setDeviceValues(["position": "2:255"])
  }

  private var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: backups.directory).sorted() }
  }

  @Test func aBackupEqualsTheLibrary() throws {
    let library = try place.open()
    defer { library.close() }
    try fill(library)
    let name = try library.backUp(at: now)
    #expect(name == "library-2026-11-22T031530.sqlite")
    #expect(backups.all == [name])
    #expect(try permissions(of: backups.path(name)) == 0o600)
    #expect(try permissions(of: backups.directory) == 0o700)
    let everything = try library.everything()
    let outbox = try library.outbox()
    try library.commit([.setFavorite(.first, true)], at: 30)
    let copy = try Library.open(backups.path(name), at: 1)
    #expect(copy.notices.isEmpty)
    #expect(try copy.library.everything() == everything)
    #expect(try copy.library.outbox() == outbox)
    #expect(try copy.library.isSound)
    copy.library.close()
  }

  @Test func onlyTheSevenNewestBackupsAreKept() throws {
    try place.using { library in
      for number in 0..<10 { _ = try library.backUp(at: now + Int64(number) * day) }
    }
    #expect(backups.all.count == 7)
    #expect(backups.all.first == "library-2026-12-01T031530.sqlite")
    #expect(backups.all.last == "library-2026-11-25T031530.sqlite")
    #expect(try names.count == 7)
  }

  @Test func otherFilesInTheBackupDirectoryAreIgnored() throws {
    let others = [
      "library-mine.sqlite", "library-2026-11-22.sqlite", "library-2026-11-22T031530.sqlite.1.new",
      "library-2026-11-22T031530.sqlite.txt", "notes-2026-11-22T031530.sqlite",
      "library-2-2026-11-22T031530.sqlite", "library-2026-11-22T03153x.sqlite",
      "library-1-2026-11-01T031530.sqlite.1.new",
      "library-1-2026-11-01T031530.sqlite.1.new-journal",
    ]
    try FileManager.default.createDirectory(
      atPath: backups.directory, withIntermediateDirectories: true)
    for name in others { try Data().write(to: URL(filePath: backups.path(name))) }
    #expect(backups.all == [])
    try place.using { library in
      for number in 0..<10 { _ = try library.backUp(at: now + Int64(number)) }
      for number in 0..<10 { _ = try library.backUp(at: now + Int64(number) * 1000) }
    }
    #expect(Set(try names).isSuperset(of: others))
    #expect(try names.count == 7 + others.count)
    // Another library in the same directory has its own backups.
    let other = place.directory.path + "/other.sqlite"
    let library = try Library.open(other, at: 1).library
    let name = try library.backUp(at: now)
    library.close()
    #expect(name == "other-2026-11-22T031530.sqlite")
    #expect(Backups(of: other).all == [name])
    #expect(backups.all.count == 7)
  }

  @Test func aBackupIsDueOnceADay() throws {
    try place.using { library in
      #expect(backups.isDue(at: now))
      try #expect(library.check(at: now))
      #expect(backups.all.count == 1)
      try #expect(library.check(at: now + day - 1000))
      #expect(backups.all.count == 1)
      try #expect(library.check(at: now + day + 1000))
      #expect(backups.all.count == 2)
    }
  }

  @Test func backupsDatedInTheFutureAreNotCounted() throws {
    try place.using { library in
      // The clock was years ahead when more than seven backups were made.
      for number in 0..<9 { _ = try library.backUp(at: now + Int64(3000 + number) * day) }
      try #expect(library.check(at: now))
      #expect(backups.all.last == "library-2026-11-22T031530.sqlite")
      #expect(backups.all.count == 8)
      try #expect(library.check(at: now + 1000))
      #expect(backups.all.last == "library-2026-11-22T031530.sqlite")
      try #expect(library.check(at: now + 2 * day))
      let newest = ["library-2026-11-24T031530.sqlite", "library-2026-11-22T031530.sqlite"]
      #expect(backups.all.suffix(2) == newest)
      #expect(backups.newest(asOf: now + 2 * day) == newest[0])
    }
  }

  @Test func aMigrationBeginsWithABackup() throws {
    try place.using(fill)
    // A library as an earlier version might have left it.
    let queue = try DatabaseQueue(path: place.path)
    try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA user_version = 0") }
    try queue.close()
    let opening = try Library.open(place.path, at: now)
    #expect(opening.notices.isEmpty)
    #expect(try opening.library.number("PRAGMA user_version") == LibrarySchema.version)
    let everything = try opening.library.everything()
    opening.library.close()
    #expect(backups.all == ["library-2026-11-22T031530.sqlite"])
    let header = try Data(contentsOf: URL(filePath: backups.path(backups.all[0])))
    #expect(Array(header[60..<64]) == [0, 0, 0, 0])
    // Opening it again makes no backup.
    try place.using(at: now + 2 * day) { try #expect($0.everything() == everything) }
    #expect(backups.all.count == 1)
    #expect(try place.bytes()[60..<64].elementsEqual([0, 0, 0, UInt8(LibrarySchema.version)]))
  }

  @Test func restoringABackupSetsTheFormerLibraryAside() throws {
    let (name, everything) = try place.using { library in
      try fill(library)
      return (try library.backUp(at: now), try library.everything())
    }
    let former = try place.using { library in
      try library.commit([.deleteNote(.numbered(1), .first), .setFavorite(.first, true)], at: 30)
      return try library.everything()
    }
    let aside = try #require(try backups.restore(name, at: now + 5000))
    #expect(aside == place.directory.path + "/library-set-aside-2026-11-22T031535.sqlite")
    try place.using { library in
      try #expect(library.everything() == everything)
      try #expect(library.isSound)
      try library.commit([.setFavorite(.first, true)], at: 40)
    }
    #expect(try permissions(of: place.path) == 0o600)
    let old = try Library.open(aside, at: 1).library
    #expect(try old.everything() == former)
    old.close()
    // The backup is still there.
    #expect(backups.all == [name])
    unlink(aside + ".lock")
    #expect(
      try place.contents == [
        "backups", "library-set-aside-2026-11-22T031535.sqlite", "library.sqlite",
        "library.sqlite.lock",
      ])
  }

  /// The trash keeps notes for ninety days. It also keeps a text that a note of the backup has,
  /// because the next sync may replace that note.
  @Test func restoringKeepsTheTrash() throws {
    func note(_ number: Int, _ text: String) throws -> Note {
      Note(
        id: .numbered(number), ayah: .first, text: try NoteText(text), createdAt: 1, modifiedAt: 2)
    }
    func addToTrash(_ notes: Note...) throws {
      try place.using { library in
        _ = try library.sync { transaction in
          for note in notes { try transaction.addToTrash(note, at: 20) }
        }
      }
    }
    try addToTrash(note(7, "bảy"), note(8, "tám"))
    let name = try place.using { library in
      _ = try library.commit([.addNote(.numbered(9), .first, try NoteText("chín"))], at: 10)
      return try library.backUp(at: now)
    }
    try place.using { _ = try $0.commit([.deleteNote(.numbered(9), .first)], at: 30) }
    try addToTrash(note(8, "khác"), note(9, "chín"), note(10, "mười"))
    _ = try backups.restore(name, at: now + 5000)
    try place.using { library in
      let texts = try library.trash().map(\.note.text.text).sorted()
      #expect(texts == ["bảy", "chín", "khác", "mười", "tám"])
    }
    // Restoring the same backup again keeps the trash, too.
    _ = try backups.restore(name, at: now + 9000)
    #expect(try place.using { try $0.trash().count } == 5)
  }

  @Test func restoringKeepsDrafts() throws {
    let name = try place.using { try $0.backUp(at: now) }
    let draft = Draft(
      id: .numbered(1), noteID: .numbered(2), ayah: .first, base: nil, text: "dở dang",
      changedAt: 5)
    try place.using { try $0.save(draft) }
    _ = try backups.restore(name, at: now + 5000)
    #expect(try place.using { try $0.snapshot().drafts.map(\.text) } == ["dở dang"])
  }

  /// The library and the backup have different states of one draft.
  @Test(arguments: [
    ("một\nhai", "một", ["một\nhai"]), ("một", "một\nhai", ["một\nhai"]),
    ("một", "hai", ["hai", "một"]),
  ])
  func bothStatesOfADraftAreKept(backup: String, library: String, expected: [String]) throws {
    func save(_ text: String) throws {
      let draft = Draft(
        id: .numbered(1), noteID: .numbered(2), ayah: .first, base: nil, text: text, changedAt: 5)
      try place.using { try $0.save(draft) }
    }
    try save(backup)
    let name = try place.using { try $0.backUp(at: now) }
    try save(library)
    _ = try backups.restore(name, at: now + 5000)
    #expect(try place.using { try $0.snapshot().drafts.map(\.text).sorted() } == expected)
  }

  @Test func restoringKeepsTheTrashOfADamagedLibrary() throws {
    let name = try place.using { try $0.backUp(at: now) }
    try place.using { library in
      _ = try library.sync { transaction in
        try transaction.addToTrash(
          Note(
            id: .numbered(7), ayah: .first, text: try NoteText("bảy"), createdAt: 1, modifiedAt: 2),
          at: 20)
      }
    }
    let queue = try DatabaseQueue(path: place.path)
    try queue.writeWithoutTransaction { try $0.execute(sql: "DROP TABLE account") }
    try queue.close()
    _ = try backups.restore(name, at: now + 5000)
    #expect(try place.using { try $0.trash().map(\.note.text.text) } == ["bảy"])
  }

  /// A program of this version may restore a backup before it opens the library itself.
  @Test func restoringKeepsTheTrashAndTheAccountOfAnEarlierVersion() throws {
    let name = try place.using { try $0.backUp(at: now) }
    try FileManager.default.removeItem(atPath: place.path)
    let queue = try DatabaseQueue(path: place.path)
    try LibrarySchema.migrator.migrate(queue, upTo: "5")
    try queue.write { database in
      try database.execute(
        sql: """
          INSERT INTO trash (id, surah, ayah, createdAt, modifiedAt, text, deletedAt)
          VALUES ('\(UUID.numbered(7))', 1, 1, 1, 2, 'bảy', 20);
          INSERT INTO account (id, origin, container, environment, userRecordName, isConfirmed,
            hasProfile, listing)
          VALUES (1, 'https://records.example.org', 'c', 'production', '_an', TRUE, FALSE, 0);
          """)
    }
    try queue.close()
    _ = try backups.restore(name, at: now + 5000)
    try place.using { (library: Library) throws in
      #expect(try library.trash().map(\.note.text.text) == ["bảy"])
      #expect(try library.syncAccount()?.restoration == .undecided)
    }
  }

  @Test func restoringWithoutALibraryCreatesOne() throws {
    let name = try place.using { library in
      try fill(library)
      return try library.backUp(at: now)
    }
    unlink(place.path)
    #expect(try backups.restore(name, at: now) == nil)
    #expect(try place.using { try $0.snapshot().favoriteCount } == 1)
  }

  @Test func restoringSetsADamagedLibraryAsideWithItsWAL() throws {
    let name = try place.using { library in
      try fill(library)
      return try library.backUp(at: now)
    }
    try place.write(Data("x".utf8))
    try place.write(Data("y".utf8), "-wal")
    try place.write(Data(), ".damaged")
    let aside = try #require(try backups.restore(name, at: now))
    #expect(try String(contentsOfFile: aside, encoding: .utf8) == "x")
    #expect(try String(contentsOfFile: aside + "-wal", encoding: .utf8) == "y")
    let opening = try Library.open(place.path, at: now)
    #expect(opening.notices.isEmpty)
    #expect(opening.snapshot.noteCount == 1)
    opening.library.close()
  }

  @Test func anOpenLibraryIsNotReplacedByABackup() throws {
    let name = try place.using { try $0.backUp(at: now) }
    let writer = try WriterProcess(["--hold", place.path])
    #expect(writer.nextLine() == "open")
    #expect(throws: LibraryFailure.busy) { try backups.restore(name, at: now) }
    writer.closeInput()
    #expect(writer.wait() == 0)
    #expect(try backups.restore(name, at: now) != nil)
  }

  @Test func damagedOrNewerBackupsAreNotRestored() throws {
    try place.using { _ = try $0.backUp(at: now) }
    let before = try place.bytes()
    func restore(_ bytes: Data?) throws -> LibraryFailure? {
      let name = "library-2020-01-01T000000.sqlite"
      try bytes?.write(to: URL(filePath: backups.path(name)))
      do throws(LibraryFailure) {
        _ = try backups.restore(name, at: now)
        return nil
      } catch {
        return error
      }
    }
    let path = backups.path("library-2020-01-01T000000.sqlite")
    #expect(try restore(nil) == .unreadable(path: path, code: ENOENT))
    #expect(try restore(Data()) == .damagedBackup(path: path))
    #expect(try restore(Data("x".utf8)) == .damagedBackup(path: path))
    // The header of the backup is complete, and half of its pages are missing.
    #expect(try restore(before.prefix(before.count / 2)) == .damagedBackup(path: path))
    var zeroed = before
    zeroed.replaceSubrange(4096..., with: Data(count: before.count - 4096))
    #expect(try restore(zeroed) == .damagedBackup(path: path))
    var newer = before
    newer[63] = UInt8(LibrarySchema.version + 1)
    #expect(try restore(newer) == .newer(path: path))
    #expect(try place.bytes() == before)
    #expect(try place.setAside == [])
  }

  @Test func aDamagedLibraryIsNotBackedUp() throws {
    let original = try LibraryFixture.make()
    try original.write(to: place, damaging: [try #require(original.pages("note leaf").first)])
    let library = try place.open()
    defer { library.close() }
    #expect(try library.check(at: now) == false)
    #expect(backups.all == [])
  }

  @Test func simultaneousBackupsAreComplete() throws {
    try place.using { library in
      for number in 0..<40 {
        let text = String(repeating: "Ghi chú \(number). ", count: 2000)
        try library.commit([.addNote(.numbered(number), .first, try NoteText(text))], at: 1)
      }
    }
    // The processes use the same names, one for each second.
    let writers = try (0..<4).map { _ in try WriterProcess(["--back-up", place.path]) }
    for _ in 0..<12 {
      for writer in writers {
        #expect(writer.nextLine()?.hasPrefix("library-") == true)
      }
    }
    for writer in writers { writer.kill() }
    // Each killed process may have left a backup more than the seven that are kept.
    #expect((7...7 + writers.count).contains(backups.all.count))
    for name in backups.all {
      let copy = try Library.open(backups.path(name), at: 1)
      #expect(copy.notices.isEmpty)
      #expect(copy.snapshot.noteCount == 40)
      #expect(try copy.library.isSound)
      copy.library.close()
    }
  }

  @Test func aFailedBackupLeavesNoFiles() throws {
    let library = try place.open()
    defer { library.close() }
    try Data().write(to: URL(filePath: backups.directory))
    #expect(throws: LibraryFailure.self) { try library.backUp(at: now) }
    unlink(backups.directory)
    symlink("/dev/full", place.path + ".full")
    try FileManager.default.createDirectory(
      atPath: backups.directory + "/library-2026-11-22T031530.sqlite/x",
      withIntermediateDirectories: true)
    // A directory has the name of the backup.
    #expect(throws: LibraryFailure.self) { try library.backUp(at: now) }
    #expect(try names == ["library-2026-11-22T031530.sqlite"])
    try library.commit([.setFavorite(.first, true)], at: 1)
  }

  // MARK: Interrupted replacements

  /// Steps after which a replacement may be interrupted: the new file is complete, the WAL is
  /// moved, the old file is moved, the new file is in its place.
  @Test(arguments: 0...3, LibraryFile.Replacement.allCases)
  func anInterruptedReplacementIsCompleted(
    step: Int, replacement: LibraryFile.Replacement
  ) throws {
    let original = try LibraryFixture.make()
    let repaired = try TemporaryLibrary()
    let everything = try repaired.using { library in
      try fill(library)
      return try library.everything()
    }
    let aside = "library-set-aside-2026-11-22T031530.sqlite"
    let path = place.directory.path
    try original.write(to: place)
    try place.write(try repaired.bytes(), ".\(replacement.rawValue)")
    let time = timespec(tv_sec: Int(now / 1000), tv_nsec: 0)
    utimensat(AT_FDCWD, place.path + ".\(replacement.rawValue)", [time, time], 0)
    if replacement == .salvaged, step < 3 { try place.write(Data(), ".damaged") }
    if step > 0 { rename(place.path + "-wal", path + "/\(aside)-wal") }
    if step > 1 { rename(place.path, path + "/\(aside)") }
    if step > 2 { rename(place.path + ".\(replacement.rawValue)", place.path) }

    let opening = try Library.open(place.path, at: now + 77_000)
    let notice = Notice.setAside(path: path + "/\(aside)", salvaged: 4, hasBackup: false)
    // After the last step, no file shows that the user has not been notified.
    #expect(opening.notices == (replacement == .salvaged && step < 3 ? [notice] : []))
    #expect(try opening.library.everything() == everything)
    opening.library.close()
    #expect(try Data(contentsOf: URL(filePath: path + "/\(aside)")) == original.bytes)
    #expect(try Data(contentsOf: URL(filePath: path + "/\(aside)-wal")) == original.wal)
    #expect(
      try place.contents == [aside, aside + "-wal", "library.sqlite", "library.sqlite.lock"])
  }

  @Test func invalidReplacementFilesAreIgnored() throws {
    try place.using { _ = try $0.commit([.setFavorite(.first, true)], at: 1) }
    try place.write(Data("mine".utf8), ".restored")
    try place.write(Data(), ".salvaged")
    #expect(try place.using { try $0.snapshot().favoriteCount } == 1)
    #expect(
      try place.contents == [
        "library.sqlite", "library.sqlite.lock", "library.sqlite.restored",
        "library.sqlite.salvaged",
      ])
  }
}
