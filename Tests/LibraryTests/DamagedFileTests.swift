import Foundation
import GRDB
import Quran
import TestSupport
import Testing

@testable import Library

struct DamagedFileTests {
  private let place: TemporaryLibrary
  /// 2026-11-22T03:15:30Z.
  private let now: Int64 = 1_795_317_330_000
  private let aside = "library-set-aside-2026-11-22T031530.sqlite"

  init() throws {
    place = try TemporaryLibrary()
  }

  private func bytesAside(_ suffix: String = "") throws -> Data {
    try Data(contentsOf: URL(filePath: place.directory.path + "/" + aside + suffix))
  }

  /// Opens the library, whose file must be set aside unchanged.
  ///
  /// - Returns: The number of salvaged rows, and the new library.
  private func openSettingAside() throws -> (Int, Library) {
    let bytes = try place.bytes()
    let wal = try? place.bytes("-wal")
    let opening = try Library.open(place.path, at: now)
    guard case .setAside(let path, let salvaged, let hasBackup) = opening.notices.first else {
      opening.library.close()
      throw Failure("\(opening.notices)")
    }
    #expect(opening.notices.count == 1)
    #expect(path == place.directory.path + "/" + aside)
    #expect(hasBackup == !Backups(of: place.path).isEmpty)
    #expect(try bytesAside() == bytes)
    #expect((try? bytesAside("-wal")) == wal)
    #expect(try opening.library.isSound)
    return (salvaged, opening.library)
  }

  // MARK: Not a database

  static let garbage: [String: Data] = {
    var random = SeededGenerator(seed: 3)
    func noise(_ count: Int) -> Data {
      Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
    }
    return [
      "nothing": Data(), "a byte": Data([0]), "noise": noise(100_000), "a page": noise(4096),
      "zeros": Data(count: 50_000), "text": Data("favorites:\n2:255\n".utf8),
      "magic alone": Data("SQLite format 3\0".utf8),
      "half a header": Data("SQLite format 3\0".utf8) + noise(60),
      "another magic": Data("SQLite format 2\0".utf8) + noise(9000),
      "noise under the magic of ours": Data("SQLite format 3\0".utf8) + noise(44)
        + Data([0, 0, 0, 1, 0, 0, 0, 0]) + Data("QrVi".utf8) + noise(20_000),
    ]
  }()

  @Test(arguments: garbage.keys.sorted())
  func aFileThatIsNotADatabaseIsSetAside(name: String) throws {
    try place.writeOverLibrary(try #require(Self.garbage[name]))
    let (salvaged, library) = try openSettingAside()
    #expect(salvaged == 0)
    #expect(try library.everything() == [])
    try library.commit([.setFavorite(.first, true)], at: 1)
    library.close()
    let again = try Library.open(place.path, at: now)
    #expect(again.notices.isEmpty)
    #expect(again.snapshot.favoriteCount == 1)
    again.library.close()
    #expect(
      try place.contents == [
        aside, "library.sqlite", "library.sqlite.generation", "library.sqlite.lock",
      ])
  }

  @Test func filesThatWereSetAsideAreNotOverwritten() throws {
    for copy in 1...3 {
      try place.writeOverLibrary(Data("number \(copy)".utf8))
      try place.write(Data("wal \(copy)".utf8), "-wal")
      try Library.open(place.path, at: now).library.close()
    }
    let names = ["", "-2", "-3"].map { "library-set-aside-2026-11-22T031530\($0).sqlite" }
    for (name, copy) in zip(names, 1...) {
      let path = place.directory.path + "/" + name
      #expect(try String(contentsOfFile: path, encoding: .utf8) == "number \(copy)")
      #expect(try String(contentsOfFile: path + "-wal", encoding: .utf8) == "wal \(copy)")
    }
  }

  @Test func filesOfAMissingLibraryAreNotUsedByANewOne() throws {
    let lost = try LibraryFixture.make()
    try place.write(lost.wal, "-wal")
    try place.write(Data(count: 32_768), "-shm")
    try place.write(Data(), ".damaged")
    let opening = try Library.open(place.path, at: now)
    let kept = place.directory.path + "/\(aside)-wal"
    #expect(opening.notices == [.gone(wal: kept, hasBackup: false)])
    #expect(try opening.library.everything() == [])
    #expect(try opening.library.isSound)
    opening.library.close()
    #expect(try place.bytes().count < 200_000)
    #expect(try Data(contentsOf: URL(filePath: kept)) == lost.wal)
    #expect(try Library.open(place.path, at: now).notices.isEmpty)
  }

  @Test func aMissingLibraryIsReportedIfItHasABackup() throws {
    try place.using { library in
      try library.commit([.setFavorite(.first, true)], at: now)
      _ = try library.backUp(at: now)
    }
    try FileManager.default.removeItem(atPath: place.path)
    let opening = try Library.open(place.path, at: now)
    opening.library.close()
    #expect(opening.notices == [.gone(wal: nil, hasBackup: true)])
    #expect(try Library.open(place.path, at: now).notices.isEmpty)
  }

  @Test func directoriesPipesAndBrokenLinksAreRefused() throws {
    mkdir(place.path, 0o700)
    try Data("x".utf8).write(to: URL(filePath: place.path + "/a"))
    #expect(throws: LibraryFailure.unreadable(path: place.path, code: EISDIR)) { try place.open() }
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.path) == ["a"])
    let pipe = place.path + ".pipe"
    mkfifo(pipe, 0o600)
    #expect(throws: LibraryFailure.unreadable(path: pipe, code: EINVAL)) {
      try Library.open(pipe, at: 1)
    }
    let link = place.path + ".link"
    symlink("nowhere.sqlite", link)
    #expect(throws: LibraryFailure.unreadable(path: link, code: ENOENT)) {
      try Library.open(link, at: 1)
    }
    #expect(
      try place.contents == ["library.sqlite", "library.sqlite.link", "library.sqlite.pipe"])
  }

  @Test func symbolicLinksAreFollowedButNotSetAside() throws {
    try place.using { _ = try $0.commit([.setFavorite(.first, true)], at: 1) }
    let link = place.directory.path + "/linked"
    symlink(place.path, link)
    let one = try place.open()
    let two = try Library.open(link, at: 1).library
    try one.commit([.setFavorite(.last, true)], at: 1)
    #expect(try two.snapshot().favoriteCount == 2)
    #expect(two.path == place.path)
    one.close()
    two.close()
    // A damaged file behind a link is not set aside.
    try place.writeOverLibrary(Data("x".utf8))
    let before = try state()
    #expect(throws: LibraryFailure.damagedBehindLink(path: place.path)) {
      try Library.open(link, at: now)
    }
    #expect(try state() == before)
    unlink(place.path + ".generation")
    #expect(throws: LibraryFailure.foreign(path: link)) { try Library.open(link, at: now) }
  }

  @Test(arguments: ["-wal", "-shm", "-journal", ".new", ".damaged"])
  func aForeignFileBesideAMissingLibraryIsUnchanged(suffix: String) throws {
    let own = Data("my own notes".utf8)
    try place.write(own, suffix)
    #expect(throws: LibraryFailure.foreign(path: place.path + suffix)) {
      try Library.open(place.path, at: now)
    }
    #expect(try place.bytes(suffix) == own)
    #expect(try !place.contents.contains("library.sqlite"))
  }

  @Test(arguments: garbage.keys.sorted().filter { $0 != "noise under the magic of ours" })
  func aFileThatWasNeverALibraryIsUnchanged(name: String) throws {
    try place.write(try #require(Self.garbage[name]))
    // The lock file of another program.
    try place.write(Data("locked by 17".utf8), ".lock")
    let before = try state()
    for setsAside in [true, false] {
      #expect(throws: LibraryFailure.foreign(path: place.path)) {
        try Library.open(place.path, at: now, setsAside: setsAside)
      }
    }
    #expect(try state() == before)
  }

  /// The backup shows that a library was at this path.
  @Test(arguments: garbage.keys.sorted())
  func aFileThatABackupReplacesIsSetAside(name: String) throws {
    let garbage = try #require(Self.garbage[name])
    try place.write(garbage)
    let aside = try #require(
      try Backups(of: place.path).restore(try place.addBackupOfEmptyLibrary(), at: 1))
    #expect(try Data(contentsOf: URL(filePath: aside)) == garbage)
    #expect(try place.using { try $0.snapshot().favoriteCount } == 0)
  }

  @Test func withoutSetsAsideADamagedLibraryIsUnchanged() throws {
    try LibraryFixture.make().write(to: place)
    try place.write(Data(), ".damaged")
    let before = try state()
    #expect(throws: LibraryFailure.damaged(path: place.path)) {
      try Library.open(place.path, at: now, setsAside: false)
    }
    #expect(try state() == before)
    let (_, repaired) = try openSettingAside()
    repaired.close()
  }

  @Test func anEmptyFileInTheDefaultPlaceIsSetAside() throws {
    let place = try TemporaryLibrary("quran-vi/library.sqlite")
    mkdir(LibraryFile(path: place.path).directory, 0o700)
    try place.write(Data())
    let opening = try Library.open(place.path, at: now)
    opening.library.close()
    guard case .setAside? = opening.notices.first else {
      Issue.record("\(opening.notices)")
      return
    }
  }

  // MARK: Files that must not be changed

  /// The name, inode, time, mode and content of each file in the directory.
  private func state() throws -> [String] {
    try place.contents.sorted().map { name in
      let path = place.directory.path + "/" + name
      var status = stat()
      stat(path, &status)
      let bytes = try? Data(contentsOf: URL(filePath: path)).base64EncodedString()
      return "\(name) \(status.st_ino) \(status.st_mtim) \(status.st_mode) \(bytes ?? "")"
    }
  }

  private func sql(
    _ statements: String, keepingWAL: Bool = false, at path: String? = nil
  ) throws {
    let queue = try DatabaseQueue(path: path ?? place.path)
    try queue.writeWithoutTransaction { try $0.execute(sql: statements) }
    for suffix in keepingWAL ? ["", "-wal"] : [] {
      _ = try WriterProcess(
        [place.path + suffix, place.path + suffix + ".copy"], program: "/bin/cp"
      )
      .wait()
    }
    try queue.close()
    for suffix in keepingWAL ? ["", "-wal"] : [] {
      rename(place.path + suffix + ".copy", place.path + suffix)
    }
  }

  @Test func aLibraryOfANewerVersionIsUnchanged() throws {
    let backup = try place.using {
      try $0.commit([.setFavorite(.first, true)], at: 1)
      return try $0.backUp(at: 1)
    }
    try sql("PRAGMA user_version = \(LibrarySchema.version + 1)")
    let before = try state()
    #expect(throws: LibraryFailure.newer(path: place.path)) { try place.open() }
    #expect(throws: LibraryFailure.newer(path: place.path)) {
      try Backups(of: place.path).restore(backup, at: 1)
    }
    #expect(try state() == before)
  }

  @Test func aNewerVersionInTheWALIsRefused() throws {
    try place.using { _ in }
    try sql(
      "PRAGMA journal_mode = WAL; PRAGMA user_version = \(LibrarySchema.version + 1)",
      keepingWAL: true)
    #expect(throws: LibraryFailure.newer(path: place.path)) { try place.open() }
  }

  @Test(arguments: [
    "CREATE TABLE a (b); INSERT INTO a VALUES (1)", "PRAGMA user_version = 1; CREATE TABLE a (b)",
    "PRAGMA application_id = 5", "PRAGMA application_id = 5; PRAGMA user_version = 1",
    "CREATE TABLE favorite (surah, ayah, favoritedAt)",
    "CREATE TABLE a (b); INSERT INTO a VALUES (zeroblob(100000))",
  ])
  func aForeignDatabaseIsUnchanged(statements: String) throws {
    try sql(statements)
    let before = try state()
    #expect(throws: LibraryFailure.foreign(path: place.path)) { try place.open() }
    #expect(try state() == before)
  }

  @Test func aForeignDatabaseWithAWALIsUnchanged() throws {
    try sql(
      """
      PRAGMA journal_mode = WAL; CREATE TABLE a (b); INSERT INTO a VALUES (zeroblob(100000));
      PRAGMA wal_checkpoint; INSERT INTO a VALUES (2)
      """, keepingWAL: true)
    let before = try state()
    #expect(throws: LibraryFailure.foreign(path: place.path)) { try place.open() }
    #expect(try state() == before)
  }

  @Test func anEmptyDatabaseInTheDefaultPlaceBecomesALibrary() throws {
    let place = try TemporaryLibrary("quran-vi/library.sqlite")
    mkdir(LibraryFile(path: place.path).directory, 0o700)
    try sql("CREATE TABLE a (b); DROP TABLE a; VACUUM", at: place.path)
    let opening = try Library.open(place.path, at: now)
    #expect(opening.notices.isEmpty)
    try opening.library.commit([.setFavorite(.first, true)], at: 1)
    opening.library.close()
    #expect(try place.using { try $0.snapshot().favoriteCount } == 1)
    #expect(try place.setAside == [])
  }

  // MARK: Damaged

  @Test func aDamagedPageOfNotesIsFoundByTheCheckAndTheRestSalvaged() throws {
    let original = try LibraryFixture.make()
    let pages = original.pages("note leaf")
    let page = try #require(pages.dropFirst(pages.count / 2).first)
    try original.write(to: place, damaging: [page])
    let opening = try Library.open(place.path, at: now)
    #expect(opening.notices.isEmpty)
    let library = opening.library
    #expect(try library.check(at: now) == false)
    #expect(Backups(of: place.path).all.isEmpty)
    // The library is used until it is closed.
    try library.commit([.set("late", "1")], at: 1)
    library.close()

    let (salvaged, repaired) = try openSettingAside()
    defer { repaired.close() }
    let found = try repaired.everything()
    let expected = original.everything + ["setting late 1 1"]
    #expect(Set(found).isSubset(of: expected))
    #expect(expected.count - found.count == original.rowCount(ofLeaf: page))
    #expect(salvaged == found.count { !$0.hasPrefix("device") })
    // Lost rows are not sent as deletions.
    let sent = try repaired.number("SELECT count(*) FROM outbox WHERE op = 'save'")
    #expect(sent == found.count { ["favo", "note", "prog", "sett"].contains($0.prefix(4)) })
    #expect(try repaired.number("SELECT count(*) FROM outbox") == sent)
  }

  @Test func aDamagedPageOfFavoritesIsFoundByOpening() throws {
    let original = try LibraryFixture.make()
    let page = try #require(original.pages("favorite leaf").dropFirst(3).first)
    try original.write(to: place, damaging: [page])
    let (_, repaired) = try openSettingAside()
    defer { repaired.close() }
    let found = try repaired.everything()
    #expect(Set(found).isSubset(of: original.everything))
    #expect(original.everything.count - found.count == original.rowCount(ofLeaf: page))
  }

  @Test func rowsBetweenDamagedPagesAreSalvaged() throws {
    let original = try LibraryFixture.make()
    let notes = original.pages("note leaf")
    let favorites = original.pages("favorite leaf")
    try #require(notes.count > 8 && favorites.count > 5)
    let pages = [notes[2], notes[notes.count - 3], favorites[1], favorites[favorites.count - 2]]
    try original.write(to: place, damaging: pages)
    let (_, repaired) = try openSettingAside()
    defer { repaired.close() }
    let found = try repaired.everything()
    #expect(Set(found).isSubset(of: original.everything))
    let lost = pages.reduce(0) { $0 + original.rowCount(ofLeaf: $1) }
    #expect(original.everything.count - found.count == lost)
  }

  @Test func aDamagedOverflowPageLosesOnlyItsNote() throws {
    let original = try LibraryFixture.make()
    let page = try #require(original.pages("note overflow").dropFirst(2).first)
    try original.write(to: place, damaging: [page])
    try place.write(Data(), ".damaged")
    let (_, repaired) = try openSettingAside()
    defer { repaired.close() }
    let found = try repaired.everything()
    #expect(original.everything.filter { !found.contains($0) }.count == 1)
  }

  @Test func aDamagedRootPageLosesOnlyItsTable() throws {
    let original = try LibraryFixture.make()
    let root = try #require(original.pages("note internal", all: true).first)
    try original.write(to: place, damaging: [root])
    unlink(place.path + "-wal")
    try place.write(Data(), ".damaged")
    let (_, repaired) = try openSettingAside()
    defer { repaired.close() }
    let rest = original.older.filter { !$0.hasPrefix("note") }
    #expect(try repaired.everything() == rest)
  }

  /// SQLite cannot read any table of the library. Only the backup can be used.
  @Test func aBackupIsOfferedIfTheSchemaPagesAreDamaged() throws {
    let original = try LibraryFixture.make()
    let backup = try place.addBackupOfEmptyLibrary()
    #expect(!original.pages("sqlite_schema leaf", all: true).isEmpty)
    // The WAL is removed, because it may have the pages that were overwritten.
    try original.write(to: place, damaging: [1] + original.pages("sqlite_schema leaf", all: true))
    unlink(place.path + "-wal")
    let (salvaged, repaired) = try openSettingAside()
    defer { repaired.close() }
    #expect(salvaged == 0)
    #expect(try repaired.everything() == [])
    #expect(Backups(of: place.path).all.first == backup)
  }

  @Test func theRemainingPartOfATruncatedLibraryIsSalvaged() throws {
    let original = try LibraryFixture.make()
    var counts: [Int] = []
    for part in [0.01, 0.2, 0.5, 0.9, 0.999] {
      let place = try TemporaryLibrary()
      try place.write(original.bytes.prefix(Int(Double(original.bytes.count) * part)))
      try place.write(Data(), ".damaged")
      try place.using(at: now) { library in
        // A note whose end was cut off may be salvaged in part.
        let strange = try Set(library.everything()).subtracting(original.older).filter { row in
          !row.hasPrefix("note") || !original.older.contains { $0.hasPrefix(row) }
        }
        #expect(strange.isEmpty)
        try counts.append(library.everything().count)
      }
    }
    #expect(counts == counts.sorted())
    #expect(counts.count { $0 > 0 } == 4)
    #expect(try #require(counts.last) > original.older.count * 9 / 10)
  }

  /// SQLite would use a foreign file with this name as the WAL of the library that is set aside.
  @Test func namesAsideWithAForeignWALAreNotUsed() throws {
    let original = try LibraryFixture.make()
    try original.write(to: place)
    try place.write(Data(), ".damaged")
    let foreign = place.directory.path + "/" + aside + "-wal"
    try Data("foreign".utf8).write(to: URL(filePath: foreign))
    try place.using(at: now) { try #expect($0.everything() == original.everything) }
    let other = place.directory.path + "/" + aside.replacing(".sqlite", with: "-2.sqlite")
    #expect(try Data(contentsOf: URL(filePath: other)) == original.bytes)
    #expect(try Data(contentsOf: URL(filePath: other + "-wal")) == original.wal)
    #expect(try Data(contentsOf: URL(filePath: foreign)) == Data("foreign".utf8))
  }

  @Test func aMissingTableIsTreatedAsDamage() throws {
    try place.using { _ = try $0.commit([.setFavorite(.first, true)], at: 1) }
    try sql("DROP TABLE note; DROP TABLE device")
    let (salvaged, repaired) = try openSettingAside()
    defer { repaired.close() }
    #expect(salvaged == 1)
    #expect(try repaired.everything() == ["favorite 1 1 1"])
  }

  @Test func randomDamageIsSalvagedOrTheFileIsUnchanged() throws {
    let original = try LibraryFixture.make()
    var random = SeededGenerator(seed: 5)
    for round in 0..<40 {
      let place = try TemporaryLibrary()
      var bytes = original.bytes
      for _ in 0..<(1 << (round % 9)) {
        let offset = Int.random(in: round % 2 == 0 ? 0..<bytes.count : 0..<5000, using: &random)
        bytes[offset] = .random(in: 0...255, using: &random)
      }
      try place.write(bytes)
      if round % 3 == 0 { try place.write(original.wal, "-wal") }
      do {
        let noteCount = try repair(place)
        // A single byte damages no more than a few pages.
        #expect(round % 9 > 0 || noteCount > 300, "round \(round)")
      } catch {
        // The header may now be that of a newer version or of another program.
        let isLeft: [LibraryFailure?] = [
          .newer(path: place.path), .foreign(path: place.path), .strangeSchema(path: place.path),
        ]
        #expect(isLeft.contains(error as? LibraryFailure), "round \(round): \(error)")
        #expect(try place.bytes() == bytes)
      }
    }
  }

  /// Opens a library, checks it, and opens it again, which repairs it if the check found damage.
  ///
  /// - Returns: The number of remaining notes.
  @discardableResult
  private func repair(_ place: TemporaryLibrary) throws -> Int {
    let opening = try Library.open(place.path, at: now)
    _ = try opening.library.check(at: now)
    opening.library.close()
    let again = try Library.open(place.path, at: now + 1000)
    #expect(try again.library.check(at: now))
    try again.library.commit([.set("late", "1")], at: 1)
    defer { again.library.close() }
    return try again.library.snapshot().noteCount
  }

  @Test func aDamagedLibraryInUseIsNotMoved() throws {
    let original = try LibraryFixture.make()
    try original.write(to: place, damaging: [original.pages("note leaf")[3]])
    let writer = try WriterProcess(["--hold", place.path])
    #expect(writer.nextLine() == "open")
    LibraryFile(path: place.path).markDamaged()
    let before = try place.contents
    #expect(throws: LibraryFailure.damagedInUse(path: place.path)) { try place.open() }
    #expect(throws: LibraryFailure.busy) {
      try Backups(of: place.path).restore(
        try place.addBackupOfEmptyLibrary(), at: 1)
    }
    #expect(try place.contents.filter { $0 != "backups" } == before)
    writer.closeInput()
    #expect(writer.wait() == 0)
    let (_, repaired) = try openSettingAside()
    repaired.close()
  }

  // MARK: The WAL

  @Test func aTruncatedWALLosesOnlyItsLastChanges() throws {
    let original = try LibraryFixture.make()
    let size = original.wal.count
    var counts: [Int] = []
    for length in [0, 1, 31, 32, 33, 5000, size / 4, size / 2, size * 3 / 4, size - 1, size] {
      let place = try TemporaryLibrary()
      try place.write(original.bytes)
      try place.write(original.wal.prefix(length), "-wal")
      let opening = try Library.open(place.path, at: now)
      #expect(opening.notices.isEmpty)
      #expect(try opening.library.isSound)
      let found = try opening.library.everything()
      let unchanging = original.older.filter { $0.hasPrefix("favorite") || $0.hasPrefix("note") }
      #expect(Set(unchanging).isSubset(of: found))
      if length < 5000 { #expect(found == original.older) }
      counts.append(found.count)
      opening.library.close()
      #expect(try place.contents == ["library.sqlite", "library.sqlite.lock"])
    }
    #expect(counts == counts.sorted())
    #expect(counts.last == original.everything.count)
    #expect(Set(counts).count > 4)
  }

  @Test func randomBytesInTheWALAreIgnored() throws {
    let original = try LibraryFixture.make()
    var random = SeededGenerator(seed: 4)
    for kind in 0..<3 {
      let place = try TemporaryLibrary()
      var wal = original.wal
      let start = [0, 32, wal.count / 2][kind]
      for offset in start..<min(start + 9000, wal.count) {
        wal[offset] = .random(in: 0...255, using: &random)
      }
      try place.write(original.bytes)
      try place.write(wal, "-wal")
      let opening = try Library.open(place.path, at: now)
      #expect(opening.notices.isEmpty)
      #expect(try opening.library.isSound)
      if kind < 2 { #expect(try opening.library.everything() == original.older) }
      try opening.library.commit([.set("late", "1")], at: 1)
      opening.library.close()
    }
  }
}

extension TemporaryLibrary {
  /// Adds a backup of another library, which is empty.
  ///
  /// - Returns: The name of the backup.
  fileprivate func addBackupOfEmptyLibrary() throws -> String {
    let other = try TemporaryLibrary()
    let name = try other.using { try $0.backUp(at: 1) }
    let backups = Backups(of: path)
    try FileManager.default.createDirectory(
      atPath: backups.directory, withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      atPath: Backups(of: other.path).path(name), toPath: backups.path(name))
    return name
  }
}
