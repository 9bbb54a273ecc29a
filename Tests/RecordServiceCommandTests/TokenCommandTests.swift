import CloudRecords
import Foundation
import RecordServer
import TestSupport
import Testing

@Suite struct TokenCommandTests {
  @Test func theFirstTokenIsWrittenToItsFile() throws {
    let home = try TestHome()
    try #require(home.run("user", "invite").status == 0)
    func secret() throws -> String {
      try String(contentsOfFile: "\(home.data)/api-token", encoding: .utf8)
    }
    let first = try secret()
    #expect(first.utf8.count == 65)
    let rows = try home.run("token", "list", "--json").objects
    #expect(rows.map { $0["label"] as? String } == ["Quran-vi"])
    // The token is created once, and again only if it was revoked.
    _ = try home.run("user", "invite")
    #expect(try secret() == first)
    #expect(try home.run("token", "revoke", "1").status == 0)
    #expect(try home.run("token", "list", "--json").output == "[]\n")
    _ = try home.run("user", "invite")
    #expect(try secret() != first)
    #expect(try home.run("token", "list", "--json").objects.map { $0["id"] as? Int } == [2])
  }

  @Test func aTokenIsShownOnceAndKeepsItsTerms() async throws {
    let home = try TestHome()
    let created = try home.run(
      "token", "create", "Reader \u{1B}[31m", "--environment", "development", "--origin",
      "https://a.example", "--origin", "https://b.example:8443", "--callback",
      "https://a.example/done")
    #expect(created.status == 0, "\(created)")
    let secret = try #require(created.lines.first)
    #expect(secret.utf8.count == 64)
    #expect(created.lines == [secret])
    #expect(!created.errors.contains(secret))
    try await home.withService { service in
      _ = try await service.accountService.check(
        apiToken: secret, container: TestHome.container, environment: .development, origin: nil)
    }

    let list = try home.run("token", "list")
    #expect(!list.output.contains("\u{1B}"))
    let json = try home.run("token", "list", "--json")
    let first = try String(contentsOfFile: "\(home.data)/api-token", encoding: .utf8).dropLast()
    for output in [list.output, json.output] {
      #expect(!output.contains(secret))
      #expect(!output.contains(first))
    }
    let row = try #require(json.objects.last)
    #expect(row["label"] as? String == "Reader \u{1B}[31m")
    #expect(row["container"] as? String == TestHome.container.name)
    #expect(row["environment"] as? String == "development")
    #expect(row["origins"] as? [String] == ["https://a.example", "https://b.example:8443"])
    #expect(row["callbacks"] as? [String] == ["https://a.example/done"])
    #expect(
      Set(row.keys) == [
        "id", "label", "container", "environment", "origins", "callbacks", "createdAt",
      ])
  }

  @Test(
    arguments: [
      ["create", " "], ["create", "a", "--origin", "a.example"],
      ["create", "a", "--callback", "http://a.example/"],
      ["create", "a", "--container", "iCloud.none"], ["revoke", "7"],
    ]) func invalidTokenArgumentsAreRefused(_ arguments: [String]) throws
  {
    let home = try TestHome()
    try #require(home.run("user", "invite").status == 0)
    let outcome = try home.run(["token"] + arguments)
    let isMissing = ["iCloud.none", "7"].contains(arguments.last)
    #expect(outcome.status == (isMissing ? 1 : 2), "\(outcome)")
    #expect(outcome.output.isEmpty)
    #expect(try home.run("token", "list", "--json").objects.count == 1)
  }
}
