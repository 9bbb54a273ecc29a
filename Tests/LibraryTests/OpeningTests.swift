import Foundation
import GRDB
import Quran
import Synchronization
import TestSupport
import Testing

@testable import Library

struct OpeningTests {
  @Test func openingWithoutAPathFails() {
    #expect(throws: LibraryFailure.noHomeDirectory) { try Library.open(nil, at: 1) }
  }

  @Test func theFirstOpeningCreatesOnlyTheLibraryAndItsLock() throws {
    let place = try TemporaryLibrary("một nơi/a?b#c%20d/library.sqlite")
    let opening = try Library.open(place.path, at: 1)
    #expect(opening.notices.isEmpty)
    #expect(opening.snapshot == Snapshot())
    #expect(opening.library.refusal == nil)
    try opening.library.commit([.setFavorite(.first, true)], at: 1)
    opening.library.close()
    let directory = Directory.containing(place.path)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
        == ["library.sqlite", "library.sqlite.lock"])
    #expect(try place.using { try $0.snapshot().favoriteCount } == 1)
  }

  @Test func aFileOfAnyNameMayBeTheLibrary() throws {
    let place = try TemporaryLibrary("ghi chú")
    try place.writeOverLibrary(Data("x".utf8))
    let library = try place.open(at: 0)
    let name = try library.backUp(at: 0)
    library.close()
    #expect(name == "ghi chú-1970-01-01T000000.sqlite")
    #expect(
      try place.contents == [
        "backups", "ghi chú", "ghi chú-set-aside-1970-01-01T000000.sqlite",
        "ghi chú.generation", "ghi chú.lock",
      ])
  }

  @Test(arguments: [
    ("/a/b.sqlite", "/a", "b"), ("/b", "/", "b"), ("b.sqlite", ".", "b"), ("a/b.c", "a", "b.c"),
    ("/a/.sqlite", "/a", ""), ("./b.sqlite.sqlite", ".", "b.sqlite"),
  ])
  func aPathHasADirectoryAndAName(path: String, directory: String, name: String) {
    #expect(LibraryFile(path: path).directory == directory)
    #expect(LibraryFile(path: path).name == name)
  }

  /// A library is created with its directory, so the space is checked before the directory exists.
  @Test func theSpaceForADirectoryIsThatOfItsParent() throws {
    let directory = try TemporaryDirectory()
    #expect(Directory.freeSpace(in: directory.path) > 0)
    #expect(Directory.freeSpace(in: directory.path + "/a/b") > 0)
    #expect(Directory.freeSpace(in: "a/b") > 0)
    // This file system has no space.
    #expect(Directory.freeSpace(in: "/proc/a/b") == 0)
  }

  @Test func timesInNamesAreInUTC() {
    #expect(FileTimestamp(1_795_317_330_999).description == "2026-11-22T031530")
    #expect(FileTimestamp(0).description == "1970-01-01T000000")
    #expect(FileTimestamp(-1000).description == "1969-12-31T235959")
    #expect(FileTimestamp.isValid("2026-11-22T031530"))
    for text in ["", "2026-11-22", "2026-11-22T03153", "2026-11-22t031530", "2026-11-22T0315300"] {
      #expect(!FileTimestamp.isValid(text[...]))
    }
  }

  /// Opening waits while another process creates, migrates or repairs the library.
  @Test func openingWaitsForAnExclusiveLock() throws {
    let place = try TemporaryLibrary()
    try place.using { _ in }
    var lock: FileLock? = try FileLock(place.path + ".lock", .exclusive)
    let group = DispatchGroup()
    let hasBegun = DispatchSemaphore(value: 0)
    let path = place.path
    DispatchQueue.global().async(group: group) {
      hasBegun.signal()
      guard let library = try? Library.open(path, at: 1).library else { return }
      _ = try? library.commit([.setFavorite(.first, true)], at: 1)
      library.close()
    }
    withExtendedLifetime(lock) { hasBegun.wait() }
    lock = nil
    group.wait()
    #expect(try place.using { try $0.snapshot().favoriteCount } == 1)
  }

  /// If a descriptor is closed twice, it may belong to another thread the second time.
  @Test func aLockThatIsRefusedClosesItsDescriptorOnce() throws {
    let place = try TemporaryLibrary()
    let path = place.path + ".lock"
    let holder = try FileLock(path, .shared)
    let isDone = Mutex(false)
    let lost = Mutex(0)
    let group = DispatchGroup()
    for _ in 0..<3 {
      DispatchQueue.global().async(group: group) {
        while !isDone.withLock({ $0 }) {
          let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
          if close(descriptor) != 0 { lost.withLock { $0 += 1 } }
        }
      }
    }
    for _ in 0..<20_000 { _ = try? FileLock(path, .exclusive) }
    isDone.withLock { $0 = true }
    group.wait()
    #expect(lost.withLock { $0 } == 0)
    withExtendedLifetime(holder) {}
  }

  @Test(
    arguments: [
      (.SQLITE_FULL, 0, .diskFull), (.SQLITE_IOERR_WRITE, ENOSPC, .diskFull),
      (.SQLITE_IOERR_WRITE, EDQUOT, .diskFull), (.SQLITE_IOERR_FSYNC, EDQUOT, .diskFull),
      (.SQLITE_IOERR_WRITE, EFBIG, .diskFull), (.SQLITE_IOERR_SHMSIZE, 0, .diskFull),
      (.SQLITE_READONLY, 0, .readOnly), (.SQLITE_READONLY_DIRECTORY, 0, .readOnly),
      (.SQLITE_CANTOPEN, EROFS, .readOnly), (.SQLITE_CANTOPEN, 0, .readOnly),
      (.SQLITE_CANTOPEN, EMFILE, .unreadable(path: "p", code: EMFILE)),
      (.SQLITE_CANTOPEN, ENOSPC, .diskFull), (.SQLITE_BUSY, 0, .busy),
      (.SQLITE_BUSY_RECOVERY, 0, .busy), (.SQLITE_PROTOCOL, 0, .busy),
      (.SQLITE_CORRUPT, 0, .damaged(path: "p")), (.SQLITE_CORRUPT_INDEX, 0, .damaged(path: "p")),
      (.SQLITE_NOTADB, 0, .damaged(path: "p")),
      // A disk that fails is not a full one.
      (.SQLITE_IOERR_WRITE, EIO, .database(code: 778, message: "m")),
      (.SQLITE_IOERR_READ, EIO, .database(code: 266, message: "m")),
      (.SQLITE_CONSTRAINT_CHECK, 0, .database(code: 275, message: "m")),
    ] as [(ResultCode, Int32, LibraryFailure)])
  func databaseErrorsAreMappedToFailures(code: ResultCode, system: Int32, failure: LibraryFailure) {
    let error = DatabaseError(resultCode: code, message: "m")
    #expect(LibraryFailure(error, path: "p", system: system) == failure)
    #expect(LibraryFailure(LibraryFailure.noHomeDirectory, path: "p") == .noHomeDirectory)
  }
}
