import Foundation
import GRDB
import Quran
import TestSupport
import Testing

@testable import Library

/// Libraries that can be read but not changed. `library-writer` runs in a mount namespace of its
/// own, because root may write to a file of any mode.
@Suite(.enabled(if: WriterProcess.mayMount, "needs the right to mount"))
struct ReadOnlyLibraryTests {
  private let place: TemporaryLibrary
  /// The `TMPDIR` of `library-writer`.
  private let temporary: TemporaryDirectory

  init() throws {
    place = try TemporaryLibrary()
    temporary = try TemporaryDirectory()
  }

  private var directory: String { place.directory.path }

  /// The output of `library-writer` after a script of the shell has run in its mount namespace.
  private func run(_ mode: String, _ others: [String] = [], after script: String) throws -> [String]
  {
    try WriterProcess.run(
      [mode, place.path] + others, after: "cd /\n" + script,
      environment: ["TMPDIR": temporary.path])
  }

  private var readOnly: String {
    "mount --bind \(directory) \(directory)\nmount -o remount,bind,ro \(directory)"
  }

  private let notice = "notice unchangeable(Library.LibraryFailure.readOnly)"

  private func fill() throws {
    _ = try place.using { library in
      try library.commit(
        (1...50).map { .setFavorite(AyahID.first.advanced(by: $0), true) }
          + [.addNote(.numbered(1), ayah("1:7"), NoteText("một"))], at: 1)
    }
  }

  /// Leaves changes that only the WAL has.
  private func changeAndBeKilled() throws {
    let writer = try WriterProcess([place.path, "1"])
    while let line = writer.nextLine(), line != "!" {}
    let lines = try WriterProcess.run(["--open", place.path, "6231"])
    #expect(lines == ["done"] || lines == ["same"])
    writer.kill()
    #expect(try place.contents.contains("library.sqlite-wal"))
  }

  /// The names and bytes of all files of the library.
  private func state() throws -> [String: Data] {
    var state: [String: Data] = [:]
    for name in try place.contents {
      state[name] = try? Data(contentsOf: URL(filePath: directory + "/" + name))
    }
    return state
  }

  // MARK: Read-only

  @Test func aReadOnlyDirectoryCanBeRead() throws {
    try fill()
    let before = try state()
    #expect(
      try run("--show", after: readOnly)
        == [notice, "favorites 50", "notes 1", "last 2:44 0", "refused readOnly"])
    #expect(try state() == before)
    #expect(try temporary.contents == [])
  }

  @Test(arguments: 1..<LibrarySchema.version)
  func anEarlierVersionCanBeReadInAReadOnlyDirectory(version: Int) throws {
    let queue = try DatabaseQueue(path: place.path)
    try LibrarySchema.migrator.migrate(queue, upTo: "\(version)")
    try queue.writeWithoutTransaction {
      try $0.execute(
        sql: """
          PRAGMA journal_mode = WAL;
          PRAGMA application_id = \(LibrarySchema.applicationID);
          PRAGMA user_version = \(version);
          INSERT INTO favorite VALUES (2, 255, 1);
          """)
    }
    try queue.close()
    let before = try state()
    #expect(
      try run("--show", after: readOnly)
        == [notice, "favorites 1", "notes 0", "last 2:255 0", "refused readOnly"])
    #expect(try state() == before)
    #expect(try temporary.contents == [])
  }

  @Test(arguments: [false, true])
  func changesInTheWALAreRead(hasSharedMemory: Bool) throws {
    try fill()
    try changeAndBeKilled()
    // SQLite creates this file again if it can.
    if !hasSharedMemory { unlink(place.path + "-shm") }
    let before = try state()
    let lines = try run("--show", after: readOnly)
    #expect(lines.first == notice)
    #expect(lines.contains { $0.hasPrefix("last 114:") })
    #expect(lines.last == "refused readOnly")
    #expect(try state() == before)
    #expect(try temporary.contents == [])
    // A process that can write finds the same.
    let count = try place.using { try $0.snapshot().favoriteCount }
    #expect(lines.contains("favorites \(count)"))
  }

  @Test func aReadOnlyFileCanBeRead() throws {
    try fill()
    let script = "mount --bind \(place.path) \(place.path)\nmount -o remount,bind,ro \(place.path)"
    #expect(
      try run("--show", after: script)
        == [notice, "favorites 50", "notes 1", "last 2:44 0", "refused readOnly"])
    #expect(try temporary.contents == [])
    try place.using { try #expect($0.snapshot().favoriteCount == 50) }
  }

  @Test func changesOfAProcessThatHasTheLibraryOpenAreRead() throws {
    try fill()
    let library = try place.open()
    defer { library.close() }
    try library.commit([.setFavorite(.last, true)], at: 1)
    #expect(
      try run("--show", after: readOnly)
        == [notice, "favorites 51", "notes 1", "last 114:6 0", "refused readOnly"])
    try library.commit([.setFavorite(.last, false)], at: 1)
    #expect(try library.snapshot().favoriteCount == 50)
  }

  @Test func openingFailsInAnEmptyReadOnlyDirectory() throws {
    #expect(try run("--show", after: readOnly) == ["failure readOnly"])
    let inside = directory + "/a/b/library.sqlite"
    #expect(
      try WriterProcess.run(["--show", inside], after: "cd /\n" + readOnly) == ["failure readOnly"])
    #expect(try place.contents == [])
  }

  @Test func aDamagedFileInAReadOnlyDirectoryIsUnchanged() throws {
    for bytes in [Data(), Data("x".utf8), Data(count: 10_000)] {
      try place.writeOverLibrary(bytes)
      let before = try state()
      #expect(
        try run("--show", after: readOnly) == ["failure damaged(path: \"\(place.path)\")"])
      #expect(try state() == before)
    }
    #expect(try temporary.contents == [])
  }

  // MARK: A full disk

  /// A script that mounts a file system of this size, with the library and a file of `ballast`
  /// kilobytes.
  private func full(_ kilobytes: Int, ballast: Int) -> String {
    full("\(kilobytes)", ballast: ballast)
  }

  /// - Parameter kilobytes: a number, or an expression of the shell.
  private func full(_ kilobytes: String, ballast: Int) -> String {
    """
    cp -a \(directory) \(temporary.path)/saved
    mount -t tmpfs -o size=\(kilobytes)k none \(directory)
    cp -a \(temporary.path)/saved/. \(directory)
    rm -r \(temporary.path)/saved
    head -c \(ballast)k /dev/zero > \(directory)/ballast
    """
  }

  private let refused = "refused diskFull"

  @Test(arguments: [600, 900, 1200, 5000, 9000])
  func aFullDiskRefusesChangesAndLosesNothing(kilobytes: Int) throws {
    try fill()
    let lines = try run(
      "--fill", ["\(directory)/ballast"],
      after: full(kilobytes, ballast: kilobytes / 2)
        + "\n\"$0\" \"$@\"\nset -- --show \(place.path)")
    #expect(
      lines.prefix(9) == [
        "refused diskFull", "saved true", "reading true", "again diskFull", "again diskFull",
        "again diskFull", "reading true", "changed", "reading true",
      ])
    let saved = try #require(lines.dropFirst(9).first?.split(separator: " ").last)
    let isFavorite = try #require(Int(saved)) % 2 == 1
    #expect(
      lines.dropFirst(10) == [
        "favorites \(isFavorite ? 51 : 50)", "notes \(try #require(Int(saved)) + 1)",
        "last \(isFavorite ? "114:6" : "2:44") 0", "changed",
      ])
  }

  @Test func aLibraryOnAFullDiskCanBeRead() throws {
    try fill()
    let fillUp = "cat /dev/zero > \(directory)/more 2>/dev/null || true"
    #expect(
      try run("--show", after: full(600, ballast: 100) + "\n" + fillUp) == [
        "notice unchangeable(Library.LibraryFailure.diskFull)", "favorites 50", "notes 1",
        "last 2:44 0", refused,
      ])
    try changeAndBeKilled()
    unlink(place.path + "-shm")
    // How much was written before the kill depends on the speed of the machine.
    let enough = "$(($(du -sk \(directory) | cut -f1) + 1000))"
    let lines = try run("--show", after: full(enough, ballast: 100) + "\n" + fillUp)
    #expect(lines.contains { $0.hasPrefix("last 114:") })
    #expect(lines.last == refused)
    #expect(try temporary.contents == [])
  }

  @Test func aLibraryOnAFullDiskCanBeChangedOnceThereIsSpace() throws {
    try fill()
    let fillUp = "cat /dev/zero > \(directory)/more 2>/dev/null || true"
    #expect(
      try run("--recover", ["\(directory)/more"], after: full(600, ballast: 100) + "\n" + fillUp)
        == [
          "opened 50 [Library.Notice.unchangeable(Library.LibraryFailure.diskFull)]",
          "opened 50 []", "changed",
        ])
    // At first there is no space to create a library.
    unlink(place.path)
    #expect(
      try run("--recover", ["\(directory)/more"], after: full(600, ballast: 100) + "\n" + fillUp)
        .suffix(2) == ["opened 0 []", "changed"])
  }

  /// The free space is measured where the file is, not where the link to it is.
  @Test func aLinkedLibraryOnAFullDiskCanBeChangedOnceThereIsSpace() throws {
    try fill()
    let link = temporary.path + "/library.sqlite"
    let script = """
      cd /
      \(full(600, ballast: 100))
      cat /dev/zero > \(directory)/more 2>/dev/null || true
      mount -t tmpfs -o size=64k none \(temporary.path)
      ln -s \(place.path) \(link)
      """
    #expect(
      try WriterProcess.run(["--recover", link, "\(directory)/more"], after: script) == [
        "opened 50 [Library.Notice.unchangeable(Library.LibraryFailure.diskFull)]",
        "opened 50 []", "changed",
      ])
  }

  @Test func anOwnerThatWaitsForSpaceCanBeReleased() throws {
    try fill()
    let fillUp = "cat /dev/zero > \(directory)/more 2>/dev/null || true"
    #expect(
      try run("--release", after: full(600, ballast: 100) + "\n" + fillUp) == [
        "opened [Library.Notice.unchangeable(Library.LibraryFailure.diskFull)]", "released",
      ])
  }

  @Test func openingFailsOnAFullDisk() throws {
    let fillUp = "cat /dev/zero > \(directory)/more 2>/dev/null || true"
    #expect(
      try run("--show", after: full(100, ballast: 10) + "\n" + fillUp) == ["failure diskFull"])
    // A damaged file stays where it is.
    try place.writeOverLibrary(Data("x".utf8))
    let lines = try run(
      "--show",
      after: full(100, ballast: 10) + "\n" + fillUp
        + "\n\"$0\" \"$@\"; ls \(directory)\nset -- --day 0")
    #expect(
      lines == [
        "failure diskFull", "ballast", "library.sqlite", "library.sqlite.generation",
        "library.sqlite.lock", "more", "1970-01-01",
      ])
  }
}

struct FileSizeLimitTests {
  /// The limit of a file's size has the effect of a quota, and needs no root.
  @Test(arguments: [150_000, 300_000, 1_000_000])
  func aLimitReachedRefusesChangesAndLosesNothing(bytes: Int) throws {
    let place = try TemporaryLibrary()
    let lines = try WriterProcess.run(["--limit", place.path, "\(bytes)"])
    #expect(
      lines.prefix(9) == [
        "refused diskFull", "saved true", "reading true", "again diskFull", "again diskFull",
        "again diskFull", "reading true", "changed", "reading true",
      ])
    let saved = try #require(lines.last?.split(separator: " ").last)
    try place.using { library in
      try #expect(library.noteList().count == Int(saved))
      try #expect(library.isSound)
    }
  }
}
