import Foundation
import GRDB
import RecordServer
import TestSupport
import Testing

@Suite struct DoctorCommandTests {
  private func home() throws -> TestHome {
    let home = try TestHome()
    try #require(home.run("user", "invite").status == 0)
    return home
  }

  private func failedChecks(_ home: TestHome) throws -> [String] {
    let outcome = try home.run("doctor", "--json")
    let failedChecks = outcome.objects.filter { $0["ok"] as? Bool == false }
    #expect(outcome.status == (failedChecks.isEmpty ? 0 : 1), "\(outcome)")
    return failedChecks.compactMap { $0["id"] as? String }
  }

  @Test func aHealthyServicePassesAllChecks() throws {
    let home = try home()
    let outcome = try home.run("doctor")
    #expect(outcome.status == 0, "\(outcome)")
    #expect(outcome.lines.allSatisfy { $0.hasPrefix("✓ ") })
    #expect(outcome.output.contains("iCloud.donald.kvietnamisht has 5 record types in production."))
    #expect(outcome.output.contains("Accounts: 0, records: 0, unfinished jobs: 0."))
    #expect(outcome.output.contains("No server seems to be running."))
    let json = try home.run("doctor", "--json")
    #expect(
      json.objects.map { $0["id"] as? String } == [
        "directory", "key", "database", "api-token", "space", "contents", "schema", "counts",
        "history",
        "server",
      ])
    #expect(json.objects.allSatisfy { Set($0.keys) == ["id", "ok", "found"] })
  }

  @Test func aMissingServiceFailsAndIsNotCreated() throws {
    let home = try TestHome()
    #expect(try failedChecks(home) == ["directory", "key", "database", "space"])
    #expect(!FileManager.default.fileExists(atPath: home.data))
  }

  @Test func filesReadableByOthersAreReported() throws {
    let home = try home()
    chmod(home.data, 0o750)
    chmod("\(home.data)/server.key", 0o640)
    chmod("\(home.data)/api-token", 0o604)
    chmod("\(home.data)/records.sqlite", 0o644)
    #expect(try failedChecks(home) == ["directory", "key", "database", "api-token"])
    #expect(try home.run("doctor").output.contains("Run chmod 0700 on it."))
  }

  @Test(.enabled(if: geteuid() == 0)) func filesOfAnotherUserAreReported() throws {
    let home = try home()
    chown("\(home.data)/records.sqlite", 1, 1)
    #expect(try failedChecks(home) == ["database"])
  }

  @Test func aMissingOrDamagedKeyIsReported() throws {
    let home = try home()
    try "none\n".write(toFile: "\(home.data)/server.key", atomically: false, encoding: .utf8)
    #expect(try failedChecks(home) == ["key"])
    unlink("\(home.data)/server.key")
    #expect(try failedChecks(home) == ["key"])
    #expect(!FileManager.default.fileExists(atPath: "\(home.data)/server.key"))
  }

  @Test func faultsOfTheDatabaseAreReported() async throws {
    let home = try home()
    try await home.withService { service in
      try await service.storage.database.write { database in
        try database.execute(sql: "INSERT INTO usage VALUES (7, 7, 100, 1)")
      }
    }
    let outcome = try home.run("doctor")
    #expect(outcome.status == 1)
    #expect(outcome.output.contains("! The database has a fault: 1 accounts whose usage"))
    #expect(outcome.errors == "record-service: Found 1 problem.\n")
  }

  @Test func aFileThatIsNoDatabaseIsReported() throws {
    let home = try home()
    try "something".write(
      toFile: "\(home.data)/records.sqlite", atomically: false, encoding: .utf8)
    #expect(try failedChecks(home) == ["contents"])
  }

  @Test func undeployedChangesAndARunningServerAreReported() async throws {
    let home = try home()
    let schema = try home.write("DEFINE SCHEMA RECORD TYPE A (a STRING);", to: "1.ckdb")
    _ = try home.run("schema", "import", schema, "--container", "iCloud.org.example.app")
    try await home.withService { service in
      _ = try await service.accountService.accounts()
      let outcome = try home.run("doctor")
      #expect(outcome.status == 0, "\(outcome)")
      #expect(
        outcome.output.contains(
          "iCloud.org.example.app has 0 record types in production; changes that are not "
            + "deployed: 1."))
      #expect(outcome.output.contains("process \(getpid()) has the database open."))
    }
  }
}
