import Foundation
import GRDB
import Quran
import TestSupport
import Testing

@testable import Library

struct SchemaTests {
  private let library: Library

  init() throws {
    library = try .inMemory()
  }

  /// The result code of SQLite for a statement.
  private func answer(_ sql: String, _ arguments: StatementArguments = []) throws -> ResultCode {
    do {
      try library.database.write { try $0.execute(sql: sql, arguments: arguments) }
      return .SQLITE_OK
    } catch let error as DatabaseError {
      return error.resultCode
    }
  }

  private let id = "'8C2A0C0E-0000-4000-8000-00000000000A'"

  /// Numbers of surahs and ayahs that do not exist.
  static let nonexistentAyahs = [
    (2, 300), (2, 287), (1, 8), (114, 7), (115, 1), (0, 1), (1, 0), (-1, 1), (1, -1), (255, 2),
  ]

  @Test(arguments: nonexistentAyahs)
  func ayahsThatDoNotExistCannotBeStored(surah: Int, ayah: Int) throws {
    #expect(try answer("INSERT INTO favorite VALUES (\(surah), \(ayah), 1)") == .SQLITE_CONSTRAINT)
    #expect(
      try answer("INSERT INTO note VALUES (\(id), \(surah), \(ayah), 1, 1, 'a')")
        == .SQLITE_CONSTRAINT)
    #expect(
      try answer(
        """
        INSERT INTO trash (id, surah, ayah, createdAt, modifiedAt, deletedAt, text)
        VALUES (\(id), \(surah), \(ayah), 1, 1, 1, 'a')
        """)
        == .SQLITE_CONSTRAINT)
    #expect(
      try answer(
        """
        INSERT INTO draft (id, surah, ayah, changedAt, text)
        VALUES (\(id), \(surah), \(ayah), 1, '')
        """) == .SQLITE_CONSTRAINT)
    #expect(try library.everything() == [])
  }

  @Test func everyAyahOfTheBookCanBeStored() throws {
    try library.database.write { database in
      for ayah in AyahID.first...AyahID.last {
        try database.execute(
          sql: "INSERT INTO favorite VALUES (?, ?, 1)", arguments: [ayah.surah.rawValue, ayah.ayah])
      }
    }
    for surah in SurahNumber.all {
      #expect(
        try answer("INSERT INTO favorite VALUES (\(surah), \(surah.ayahCount + 1), 1)")
          == .SQLITE_CONSTRAINT)
      #expect(
        try answer(
          "INSERT INTO progress VALUES (\(surah), \(surah.ayahCount + 1), \(surah.ayahCount + 1), 1)"
        )
          == .SQLITE_CONSTRAINT)
      #expect(
        try answer("INSERT INTO progress VALUES (\(surah), \(surah.ayahCount), 286, 1)")
          == .SQLITE_OK)
    }
    #expect(try library.snapshot().favoriteCount == 6236)
    #expect(try answer("UPDATE favorite SET ayah = 300 WHERE surah = 2") == .SQLITE_CONSTRAINT)
  }

  @Test func progressIsWithinItsSurah() throws {
    for row in ["2, -1, 286", "2, 287, 287", "2, 5, 4", "0, 1, 7", "115, 1, 7"] {
      #expect(try answer("INSERT INTO progress VALUES (\(row), 1)") == .SQLITE_CONSTRAINT, "\(row)")
    }
    #expect(try answer("INSERT INTO progress VALUES (2, 0, 286, 1)") == .SQLITE_OK)
  }

  @Test func noteTextsHaveOneTo900000Bytes() throws {
    func store(_ text: String) throws -> ResultCode {
      try answer("INSERT OR REPLACE INTO note VALUES (\(id), 1, 1, 1, 1, ?)", [text])
    }
    #expect(try store("") == .SQLITE_CONSTRAINT)
    #expect(try store(String(repeating: "a", count: 900_001)) == .SQLITE_CONSTRAINT)
    #expect(try store(String(repeating: "ậ", count: 300_001)) == .SQLITE_CONSTRAINT)
    #expect(try store(String(repeating: "ậ", count: 300_000)) == .SQLITE_OK)
  }

  @Test func noteIDsAreUppercaseUUIDs() throws {
    for id in ["", "x", UUID().uuidString.lowercased(), UUID().uuidString + " ", "{\(UUID())}"] {
      #expect(
        try answer("INSERT INTO note VALUES (?, 1, 1, 1, 1, 'a')", [id]) == .SQLITE_CONSTRAINT)
    }
    #expect(
      try answer("INSERT INTO note VALUES (?, 1, 1, 1, 1, 'a')", [UUID().uuidString]) == .SQLITE_OK)
  }

  @Test func aSettingIsJSON() throws {
    for value in ["", "x", "{", "'a'", "{a: 1}", "[1,]", "nul", "\"a", "\u{FEFF}1"] {
      #expect(
        try answer("INSERT INTO setting VALUES ('k', ?, 1)", [value]) == .SQLITE_CONSTRAINT,
        "\(value)")
    }
    for value in ["null", "1", "\"a\"", "[1,{\"a\":true}]", " 1 "] {
      #expect(
        try answer("INSERT OR REPLACE INTO setting VALUES ('k', ?, 1)", [value]) == .SQLITE_OK)
    }
    #expect(try answer("INSERT INTO setting VALUES ('', '1', 1)") == .SQLITE_CONSTRAINT)
    do throws(LibraryFailure) {
      try library.commit([.set("theme", "{")], at: 1)
      Issue.record("that is no JSON")
    } catch {
      guard case .database = error else { throw error }
    }
    #expect(try library.outbox() == [])
  }

  @Test func columnTypesAndConstraintsAreEnforced() throws {
    for row in [
      "favorite VALUES (1, 1, 'a')", "favorite VALUES ('a', 1, 1)", "device VALUES (NULL, 'a')",
      "device VALUES ('a', NULL)", "favorite VALUES (1, 1, NULL)",
      "readingDay VALUES ('2026-11-22', 0)",
      "readingDay VALUES ('22.11.2026', 1)", "readingDay VALUES ('2026-11-22', 1.5)",
      "outbox (kind, key, op, generation, changedAt) VALUES ('note', 'a', 'save', 0, 1)",
      "outbox (kind, key, op, generation, changedAt) VALUES ('note', 'a', 'lose', 1, 1)",
      "outbox (kind, key, op, generation, changedAt) VALUES ('draft', 'a', 'save', 1, 1)",
    ] {
      #expect(try answer("INSERT INTO \(row)") == .SQLITE_CONSTRAINT, "\(row)")
    }
    let tables = try library.rows(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE '%STRICT%'")
    #expect(tables == ["grdb_migrations"])
  }

  @Test func commitsAreSyncedToDisk() throws {
    let place = try TemporaryLibrary()
    try place.using { library in
      let pragmas = try library.database.writeWithoutTransaction { database in
        try ["synchronous", "journal_mode", "foreign_keys", "query_only"].map {
          try String.fetchOne(database, sql: "PRAGMA \($0)")
        }
      }
      // 2 is FULL: every commit waits for the disk.
      #expect(pragmas == ["2", "wal", "1", "0"])
    }
  }

  @Test func theFileHeaderHasTheVersionAndApplicationID() throws {
    let place = try TemporaryLibrary()
    try place.using { _ in }
    let header = try place.bytes().prefix(100)
    #expect(header.prefix(16) == Data("SQLite format 3\0".utf8))
    #expect(Array(header[60..<64]) == [0, 0, 0, UInt8(LibrarySchema.version)])
    #expect(Array(header[68..<72]) == Array("QrVi".utf8))
  }

  @Test func onlyTheOwnerCanReadTheFiles() throws {
    let place = try TemporaryLibrary("a/b/library.sqlite")
    // Another process sets its umask, because the umask of this process applies to all tests.
    let writer = try WriterProcess(
      ["-c", "umask 0; exec \"$0\" --hold \"$1\"", WriterProcess.program, place.path],
      program: "/bin/sh")
    #expect(writer.nextLine() == "open")
    try place.using { library in
      try library.commit([.setFavorite(.first, true)], at: 1)
      #expect(try permissions(of: place.path) == 0o600)
      #expect(try permissions(of: place.path + "-wal") == 0o600)
      #expect(try permissions(of: place.path + "-shm") == 0o600)
      #expect(try permissions(of: place.path + ".lock") == 0o600)
      #expect(try permissions(of: place.directory.path + "/a/b") == 0o700)
      #expect(try permissions(of: place.directory.path + "/a") == 0o700)
    }
    writer.closeInput()
    #expect(writer.wait() == 0)
  }

  @Test func theVersionIsTheNumberOfMigrations() throws {
    // The version in the file is the number of migrations.
    #expect(LibrarySchema.migrator.migrations.count == LibrarySchema.version)
    #expect(try library.number("PRAGMA user_version") == LibrarySchema.version)
  }
}
