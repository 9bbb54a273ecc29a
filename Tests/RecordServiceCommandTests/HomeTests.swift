import Foundation
import TestSupport
import Testing

@Suite struct HomeTests {
  @Test func filesAreReadableByTheirOwnerOnly() throws {
    let home = try TestHome()
    try #require(home.run("user", "invite").status == 0)
    #expect(try permissions(of: home.data) == 0o700)
    for name in ["records.sqlite", "server.key", "api-token"] {
      #expect(try permissions(of: "\(home.data)/\(name)") == 0o600, "\(name)")
    }
  }

  @Test func theDirectoryIsNamedByOptionOrEnvironment() throws {
    let home = try TestHome()
    var environment = ["PATH": "/usr/bin:/bin", "HOME": "\(home.path)/home"]
    func made(at directory: String) throws -> Bool {
      let outcome = try home.run("user", "invite", environment: environment)
      return outcome.status == 0
        && FileManager.default.fileExists(atPath: "\(home.path)/\(directory)/records.sqlite")
    }
    #expect(try made(at: "home/.local/share/record-service"))
    environment["XDG_DATA_HOME"] = "relative"
    #expect(try made(at: "home/.local/share/record-service"))
    environment["XDG_DATA_HOME"] = "\(home.path)/xdg"
    #expect(try made(at: "xdg/record-service"))
    environment["RECORD_SERVICE_DATA"] = "\(home.path)/named"
    #expect(try made(at: "named"))
    let outcome = try home.run(
      "user", "invite", "--data", "\(home.path)/option/", environment: environment)
    #expect(outcome.status == 0)
    #expect(try permissions(of: "\(home.path)/option") == 0o700)
    #expect(try home.run("user", "invite", environment: [:]).status == 2)
  }

  @Test(
    arguments: [
      ["user", "list"], ["user", "remove", "an"], ["token", "list"], ["token", "revoke", "1"],
      ["record", "list", "--public"], ["schema", "export"], ["schema", "deploy"],
      ["schema", "reset", "--yes"], ["backup", "file"],
    ]) func commandsFailAndCreateNothingWithoutAService(_ arguments: [String]) throws
  {
    let home = try TestHome()
    let outcome = try home.run(arguments)
    #expect(outcome.status == 1, "\(outcome)")
    #expect(outcome.errors.contains("There is no record service in \(home.data) yet"))
    #expect(!FileManager.default.fileExists(atPath: home.data))
  }

  @Test func concurrentFirstStartsCreateOneService() throws {
    let home = try TestHome()
    let children = try (0..<6).map { _ in
      try ChildProcess(
        TestHome.program, ["user", "invite"], environment: home.environment, directory: home.path,
        input: .null, output: .null, errors: .null)
    }
    for child in children { #expect(try child.end() == .exited(0)) }
    #expect(try home.run("token", "list", "--json").objects.count == 1)
    #expect(try home.run("doctor").status == 0)
  }

  @Test func aDatabaseWithoutItsKeyIsNotOpened() throws {
    let home = try TestHome()
    try #require(home.run("user", "invite").status == 0)
    unlink("\(home.data)/server.key")
    for arguments in [["user", "invite"], ["user", "list"]] {
      let outcome = try home.run(arguments)
      #expect(outcome.status == 3)
      #expect(outcome.errors.contains("server.key is missing"))
      #expect(outcome.errors.contains("> '\(home.data)/server.key')"))
    }
    #expect(!FileManager.default.fileExists(atPath: "\(home.data)/server.key"))
  }

  @Test func aKeyThatOthersCanReadIsRefused() throws {
    let home = try TestHome()
    try #require(home.run("user", "invite").status == 0)
    chmod("\(home.data)/server.key", 0o644)
    let outcome = try home.run("user", "list")
    #expect(outcome.status == 3)
    #expect(outcome.errors.contains("chmod 600"))
  }

  @Test(
    arguments: [
      ["bogus"], ["user", "bogus"], ["user", "add"], ["user", "list", "--bogus"],
      ["token", "create"], ["token", "revoke", "first"], ["record", "list"],
      ["record", "list", "--user", "an", "--public"], ["record", "query", "--public"],
      ["record", "list", "--public", "--limit", "0"], ["schema", "import"],
      ["schema", "export", "--environment", "test"], ["schema", "export", "--container", "x"],
      ["backup"], ["restore"], ["doctor", "now"],
    ]) func wrongUsageIsStatus2(_ arguments: [String]) throws
  {
    let home = try TestHome()
    let outcome = try home.run(arguments)
    #expect(outcome.status == 2, "\(outcome)")
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors.hasPrefix("record-service: "))
    #expect(!FileManager.default.fileExists(atPath: home.data))
  }

  @Test func helpAndVersionAreOutput() throws {
    let home = try TestHome()
    let help = try home.run("--help")
    #expect(help.status == 0)
    for name in ["serve", "schema", "user", "token", "record", "backup", "restore", "doctor"] {
      #expect(help.output.contains("\n  \(name) "), "\(name)")
    }
    #expect(try home.run("--version").output == "0.1.0\n")
    let query = try home.run("record", "query", "--help").output
    #expect(query.contains("LIST_NOT_CONTAINS_ANY"))
    #expect(!query.contains("TOKENS"), "they are not served")
  }
}
