import Foundation
import RecordServer
import TestSupport
import Testing

@Suite struct BackupCommandTests {
  @Test func aBackupIsRestored() async throws {
    let home = try await TestHome.withOneRecord()
    let file = "\(home.path)/copy.sqlite"
    let backup = try home.run("backup", file)
    #expect(backup.status == 0, "\(backup)")
    #expect(backup.output == "1 record and all accounts were copied to \(file).\n")
    #expect(backup.errors.contains("server.key"))
    #expect(try permissions(of: file) == 0o600)

    _ = try home.run("user", "remove", "an", "--yes")
    let restore = try home.run("restore", file)
    #expect(restore.status == 0, "\(restore)")
    let former = "\(home.data)/records.sqlite.before-restore-1"
    #expect(
      restore.lines == [
        "\(home.data)/records.sqlite was restored from \(file).",
        "The previous database was moved to \(former).",
      ])
    #expect(FileManager.default.fileExists(atPath: former))
    #expect(try permissions(of: "\(home.data)/records.sqlite") == 0o600)
    let list = try home.run("user", "list", "--json")
    #expect(list.objects.map { $0["name"] as? String } == ["an"])
    #expect(list.objects.first?["records"] as? Int == 1)
  }

  @Test func aBackupIsRestoredToANewDirectory() async throws {
    let home = try await TestHome.withOneRecord()
    let file = "\(home.path)/copy.sqlite"
    _ = try home.run("backup", file)
    let other = "\(home.path)/other"
    let restore = try home.run("restore", file, "--data", other)
    #expect(restore.status == 0, "\(restore)")
    #expect(restore.lines.count == 1)
    #expect(try permissions(of: other) == 0o700)
    // The key is not in the backup.
    #expect(try home.run("user", "list", "--data", other).status == 3)
    try FileManager.default.copyItem(
      atPath: "\(home.data)/server.key", toPath: "\(other)/server.key")
    #expect(try home.run("user", "list", "--json", "--data", other).objects.count == 1)
  }

  @Test func nothingIsRestoredWhileAServerHasTheDatabaseOpen() async throws {
    let home = try await TestHome.withOneRecord()
    let file = "\(home.path)/copy.sqlite"
    _ = try home.run("backup", file)
    try await home.withService { service in
      _ = try await service.accountService.accounts()
      let restore = try home.run("restore", file)
      #expect(restore.status == 1)
      #expect(
        restore.errors
          == "record-service: A server is using \(home.data)/records.sqlite; stop it and try again. "
          + "Nothing was changed.\n")
      #expect(try home.run("backup", "\(home.path)/second.sqlite").status == 0)
      #expect(try home.run("user", "list").status == 0)
    }
    #expect(!FileManager.default.fileExists(atPath: "\(home.data)/records.sqlite.before-restore-1"))
    #expect(try home.run("restore", file).status == 0)
  }

  @Test func anExistingFileIsNotReplacedByABackup() async throws {
    let home = try await TestHome.withOneRecord()
    let file = try home.write("mine", to: "copy.sqlite")
    let outcome = try home.run("backup", file)
    #expect(outcome.status == 3)
    #expect(outcome.errors.contains("File exists"))
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "mine")
  }

  @Test func invalidBackupsAreNotRestored() async throws {
    let home = try await TestHome.withOneRecord()
    let file = try home.write("no database", to: "copy.sqlite")
    for path in [file, "\(home.path)/none.sqlite"] {
      let outcome = try home.run("restore", path)
      #expect(outcome.status == 3, "\(outcome)")
    }
    #expect(try home.run("user", "list", "--json").objects.count == 1)
  }

  /// An address can have a password, which errors must not repeat.
  @Test(arguments: ["--storage", "RECORD_SERVICE_STORAGE"])
  func otherStorageIsRefusedWithoutItsAddress(_ place: String) throws {
    let home = try TestHome()
    let isOption = place.hasPrefix("-")
    for address in [
      "mysql://u:secret@h/x", "u:secret@h", "postgresql://u:secret%zz@h/x",
      "postgresql://u:secret%@h/x", "postgresql://u:secret@x/y@h/x",
      "postgresql://u:secret/y@h/x",
    ] {
      let outcome = try home.run(
        ["user", "list"] + (isOption ? [place, address] : []),
        environment: home.environment.merging(isOption ? [:] : [place: address]) { $1 })
      #expect(outcome.status == 2)
      #expect(
        outcome.errors.contains(address.hasPrefix("postgresql") ? "%40" : "postgresql://"),
        "\(outcome)")
      #expect(!outcome.errors.contains("secret"), "\(outcome)")
    }
  }

  @Test func aPostgreSQLDatabaseIsNotRestored() throws {
    let home = try TestHome()
    let outcome = try home.run("restore", "copy", "--storage", "postgresql:///records")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("pg_restore"), "\(outcome)")
  }
}
