import Foundation
import GRDB
import Quran
import TestSupport
import Testing

@testable import Library

@Suite struct SchemaCheckTests {
  private let place: TemporaryLibrary

  init() throws {
    place = try TemporaryLibrary()
  }

  /// Creates a library of an earlier version, and executes statements in it.
  private func make(_ version: Int, _ statements: String = "") throws {
    let queue = try DatabaseQueue(path: place.path)
    try LibrarySchema.migrator.migrate(queue, upTo: "\(version)")
    try queue.writeWithoutTransaction { try $0.execute(sql: statements) }
    try queue.close()
  }

  private var check: SchemaCheck? { SchemaCheck.ofFile(LibraryFile(path: place.path)) }

  @Test(arguments: 1...LibrarySchema.version)
  func theSchemaOfEachVersionIsKnown(version: Int) throws {
    try make(version, "INSERT INTO imported VALUES ('a'); ANALYZE; VACUUM")
    #expect(check == .version(version))
    try place.using { try #expect($0.number("SELECT count(*) FROM imported") == 1) }
    #expect(check == .version(LibrarySchema.version))
  }

  /// After a migration is added, the failure of this test shows the new fingerprint.
  @Test func theFingerprintIsThatOfTheMigrations() throws {
    let queue = try DatabaseQueue()
    try LibrarySchema.migrator.migrate(queue)
    #expect(try queue.inDatabase(SchemaCheck.fingerprint) == LibrarySchema.fingerprint)
  }

  @Test func aMissingTableMakesTheSchemaIncomplete() throws {
    try make(LibrarySchema.version, "DROP TABLE note")
    #expect(check == .incomplete)
  }

  private static let endless = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"

  static let strange = [
    "CREATE TABLE more (a)", "CREATE INDEX more ON note (text)",
    "CREATE TRIGGER more AFTER INSERT ON note BEGIN DELETE FROM note; END",
    "CREATE VIEW more AS SELECT * FROM note",
    "DROP TABLE favorite; CREATE VIEW favorite AS \(endless) SELECT 1, 1, i FROM n",
    "DROP TABLE setting; CREATE TABLE setting (key, value, lastModifiedAt)",
    "DROP TABLE device; CREATE TABLE device (key TEXT PRIMARY KEY, value AS (hex(key)))",
    "DROP INDEX noteByAyah; CREATE INDEX noteByAyah ON note (surah, hex(text))",
  ]

  /// A file in WAL mode keeps SQLite's files beside it.
  @Test(arguments: strange, [1, LibrarySchema.version])
  func aFileWithOtherObjectsIsRefusedUnchanged(statements: String, version: Int) throws {
    try make(version, statements)
    try expectRefusal(leaving: ["", ".lock"])
    try make(version, "PRAGMA journal_mode = WAL")
    try expectRefusal(leaving: ["", "-shm", "-wal", ".lock"])
  }

  private func expectRefusal(leaving suffixes: [String]) throws {
    #expect(check == .strange)
    let bytes = try place.bytes()
    for setsAside in [true, false] {
      #expect(throws: LibraryFailure.strangeSchema(path: place.path)) {
        try Library.open(place.path, at: 1, setsAside: setsAside)
      }
    }
    #expect(try place.contents == suffixes.map { "library.sqlite" + $0 })
    #expect(try place.bytes() == bytes)
  }

  /// SQLite can read this schema only if the file is opened read-only.
  @Test func aSchemaThatCannotBeUsedIsRefusedUnchanged() throws {
    try make(
      LibrarySchema.version,
      """
      CREATE TABLE more (a);
      PRAGMA writable_schema = 1;
      UPDATE sqlite_schema SET sql = replace(sql, 'CHECK (lastReadAyah', 'CHECK (noColumn')
      WHERE name = 'progress'
      """)
    try expectRefusal(leaving: ["", ".lock"])
  }

  /// SQLite would undo an interrupted transaction when it opens the file.
  @Test func aFileWithAJournalAndOtherObjectsIsRefusedUnchanged() throws {
    try make(LibrarySchema.version, Self.strange[0])
    let queue = try DatabaseQueue(path: place.path)
    let copy = try TemporaryLibrary()
    try queue.writeWithoutTransaction { database in
      try database.execute(
        sql: """
          PRAGMA cache_size = 1;
          BEGIN;
          INSERT INTO more \(Self.endless) SELECT i FROM n LIMIT 9999
          """)
      for suffix in ["", "-journal"] {
        let program = try WriterProcess(
          [place.path + suffix, copy.path + suffix], program: "/bin/cp")
        #expect(program.wait() == 0)
      }
      try database.execute(sql: "ROLLBACK")
    }
    try queue.close()
    let bytes = try copy.bytes() + copy.bytes("-journal")
    #expect(throws: LibraryFailure.strangeSchema(path: copy.path)) { try copy.open() }
    #expect(try copy.bytes() + copy.bytes("-journal") == bytes)
  }

  @Test func otherObjectsInTheWALAreRefused() throws {
    try place.using { _ in }
    let queue = try DatabaseQueue(path: place.path)
    try queue.writeWithoutTransaction { try $0.execute(sql: Self.strange[4]) }
    let copy = try TemporaryLibrary()
    for suffix in ["", "-wal"] {
      let program = try WriterProcess(
        [place.path + suffix, copy.path + suffix], program: "/bin/cp")
      #expect(program.wait() == 0)
    }
    try queue.close()
    let bytes = try copy.bytes() + copy.bytes("-wal")
    #expect(throws: LibraryFailure.strangeSchema(path: copy.path)) { try copy.open() }
    #expect(try copy.bytes() + copy.bytes("-wal") == bytes)
  }

  @Test func aBackupWithOtherObjectsIsNotRestored() throws {
    let backup = try place.using { library in
      try library.commit([.setFavorite(.first, true)], at: 1)
      return try library.backUp(at: 1)
    }
    let backups = Backups(of: place.path)
    let queue = try DatabaseQueue(path: backups.path(backup))
    try queue.writeWithoutTransaction { try $0.execute(sql: Self.strange[4]) }
    try queue.close()
    #expect(throws: LibraryFailure.strangeSchema(path: backups.path(backup))) {
      try backups.restore(backup, at: 1)
    }
    #expect(try place.using { try $0.snapshot().favoriteCount } == 1)
  }

  @Test func onlyKnownTablesOfADamagedLibraryAreSalvaged() throws {
    try place.using { library in
      _ = try library.commit([.setFavorite(.first, true), .set("a", "1")], at: 1)
    }
    let queue = try DatabaseQueue(path: place.path)
    try queue.writeWithoutTransaction { try $0.execute(sql: Self.strange[4]) }
    try queue.close()
    try place.write(Data(), ".damaged")
    try place.using { try #expect($0.everything() == ["setting a 1 1"]) }
  }

  @Test func theSchemaOfALibraryIsNotTrusted() throws {
    try place.using { library in
      #expect(try library.number("PRAGMA trusted_schema") == 0)
      try library.commit([.set("a", "{\"b\": [1]}")], at: 1)
      #expect(throws: LibraryFailure.self) { try library.commit([.set("a", "{")], at: 1) }
      _ = try library.backUp(at: 1)
      #expect(try library.number("PRAGMA trusted_schema") == 0)
      #expect(throws: DatabaseError.self) {
        try library.database.write {
          try $0.execute(sql: "PRAGMA writable_schema = 1; DELETE FROM sqlite_schema")
        }
      }
    }
  }
}
