import Foundation
import GRDB
import TestSupport
import Testing

/// Files that are no library of this program, given as the library.
@Suite struct NoLibraryTests {
  private let home: Home

  init() throws {
    home = try Home()
    mkdir("\(home.path)/files", 0o700)
  }

  /// Everything about the files that could change, their directory included.
  private func state() throws -> [String] {
    try ([""] + FileManager.default.subpathsOfDirectory(atPath: files)).map {
      var status = stat()
      lstat("\(files)/\($0)", &status)
      let bytes = try? Data(contentsOf: URL(filePath: "\(files)/\($0)")).base64EncodedString()
      return "\($0) \(status.st_ino) \(status.st_mtim) \(status.st_mode) \(bytes ?? "")"
    }.sorted()
  }

  private var files: String { "\(home.path)/files" }

  private func sqlite(_ file: String, _ statements: String) throws {
    let queue = try DatabaseQueue(path: file)
    try queue.writeWithoutTransaction { try $0.execute(sql: statements) }
    try queue.close()
  }

  @Test(
    arguments: ["a letter\n", "", "SQLite format 3\0", "{\"format\":\"quran-vi\"}"], [false, true])
  func aForeignFileIsRefusedAndNotChanged(contents: String, hasLock: Bool) throws {
    try home.write(contents, to: "files/letter")
    // Other programs create such lock files, too.
    if hasLock { try home.write("", to: "files/letter.lock") }
    symlink("letter", "\(files)/link")
    let before = try state()
    for file in ["letter", "link"] {
      let path = "\(files)/\(file)"
      for command in [["note", "list"], ["note", "add", "1:1", "-m", "x"], ["favorite"]] {
        for _ in 1...2 {
          let named = try home.quranVi(command + ["--library", path])
          #expect(named.ending == .exited(3), "\(named)")
          #expect(named.errors.contains(path), "\(named)")
        }
        let set = try home.quranVi(command, with: ["QURAN_VI_LIBRARY": path])
        #expect(set.ending == .exited(3), "\(set)")
      }
      for command in [["backup", "restore", "--yes"], ["sync"], ["sync", "now"], ["doctor"]] {
        // Only at the default path may an empty file become a library.
        let named = try home.quranVi(command + ["--library", path])
        #expect(named.ending == .exited(3), "\(named)")
        #expect(named.errors.contains(path), "\(named)")
      }
      let terminal = try PseudoTerminal(
        reader: [], in: home, with: ["QURAN_VI_LIBRARY": path], size: Size(200, 24))
      try terminal.read(until: path)
      try terminal.quit()
    }
    #expect(try state() == before)
  }

  @Test func aForeignDatabaseIsRefusedAndNotChanged() throws {
    try sqlite("\(files)/music", "CREATE TABLE song (name); INSERT INTO song VALUES ('a')")
    try sqlite("\(files)/empty", "CREATE TABLE song (name); DROP TABLE song")
    let before = try state()
    for file in ["music", "empty"] {
      for command in [["note", "list"], ["note", "add", "1:1", "-m", "x"]] {
        let outcome = try home.quranVi(command + ["--library", "\(files)/\(file)"])
        #expect(outcome.ending == .exited(3), "\(outcome)")
        #expect(outcome.errors.contains("\(files)/\(file)"), "\(outcome)")
      }
    }
    #expect(try state() == before)
  }

  /// An endless view in place of a table, an additional trigger, and a generated column.
  @Test(arguments: [
    """
    DROP TABLE favorite;
    CREATE VIEW favorite AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
      SELECT 1 AS surah, 1 AS ayah, max(i) AS favoritedAt FROM n;
    """,
    """
    CREATE TRIGGER late AFTER INSERT ON note BEGIN DELETE FROM favorite; END;
    """,
    """
    ALTER TABLE note ADD COLUMN more TEXT AS (printf('%.*c', 1000000, 'x'));
    """,
  ])
  func aLibraryWithAnotherSchemaIsRefused(statements: String) throws {
    let path = "\(files)/library.sqlite"
    let arguments = ["--library", path]
    #expect(try home.quranVi(["favorite", "add", "1:1"] + arguments).ending == .exited(0))
    try sqlite(path, "PRAGMA journal_mode = DELETE; \(statements)")
    let before = try state()
    for command in [["favorite"], ["note", "add", "1:1", "-m", "x"], ["backup"]] {
      let outcome = try home.quranVi(command + arguments)
      #expect(outcome.ending == .exited(3), "\(outcome)")
      #expect(outcome.errors.contains(path), "\(outcome)")
    }
    #expect(try state() == before)
  }

  @Test func readsAndLinksDoNotSetADamagedLibraryAside() throws {
    let path = "\(files)/library.sqlite"
    #expect(try home.quranVi("favorite", "add", "1:1", "--library", path).ending == .exited(0))
    #expect(try home.quranVi("backup", "--library", path).ending == .exited(0))
    try home.write("damaged", to: "files/library.sqlite")
    symlink("library.sqlite", "\(files)/link")
    let before = try state()
    for arguments in [
      ["favorite", "--library", path], ["favorite", "--library", "\(files)/link"],
      ["favorite", "add", "1:2", "--library", "\(files)/link"],
    ] {
      let outcome = try home.quranVi(arguments)
      #expect(outcome.ending == .exited(3) && outcome.errors.contains(path), "\(outcome)")
    }
    #expect(try state() == before)
    let changed = try home.quranVi("favorite", "add", "1:2", "--library", path)
    #expect(changed.ending == .exited(0) && changed.errors.shows("set-aside"), "\(changed)")
  }
}
