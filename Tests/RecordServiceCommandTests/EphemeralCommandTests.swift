import CloudRecords
import Foundation
import RecordServer
import TestSupport
import Testing

/// `serve --ephemeral` as a program.
struct EphemeralCommandTests {
  /// Runs the program while `body` runs, which gets the description that the program printed.
  private static func serve(
    _ arguments: String..., home: TestHome, environment: [String: String] = [:],
    flag: [String] = ["--ephemeral"], _ body: (EphemeralService.Description) throws -> Void
  ) throws -> (ending: Ending, output: String) {
    let (reading, writing) = try makePipe()
    let errors = open("\(home.path)/errors", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    defer { for descriptor in [reading, errors] { close(descriptor) } }
    let child = try ChildProcess(
      TestHome.program, ["serve"] + flag + arguments,
      environment: home.environment.merging(environment) { $1 }, directory: home.path,
      input: .null, output: .open(writing), errors: .open(errors))
    close(writing)
    var output: [UInt8] = []
    let deadline = Deadline()
    while output.last != UInt8(ascii: "\n") {
      let isOpen = readAvailable(reading, into: &output)
      let said = try String(contentsOfFile: "\(home.path)/errors", encoding: .utf8)
      try #require(isOpen && !deadline.hasPassed, "\(said)")
      waitForEvents([(reading, POLLIN)], milliseconds: deadline.milliseconds(atMost: 1000))
    }
    try body(JSONDecoder().decode(EphemeralService.Description.self, from: Data(output)))
    child.send(signal: SIGTERM)
    return (try child.end(), String(decoding: output, as: UTF8.self))
  }

  @Test func oneLineSaysWhatATestNeedsAndNothingIsWritten() throws {
    let home = try TestHome()
    let schema = try home.write("DEFINE SCHEMA RECORD TYPE Note (text STRING);", to: "app.ckdb")
    let before = try FileManager.default.contentsOfDirectory(atPath: home.path)
    let (ending, output) = try Self.serve(
      "--schema", schema, "--user", "chi", "--user", "Dung", home: home
    ) { service in
      #expect(service.url.hasPrefix("http://127.0.0.1:"))
      #expect(service.container == EphemeralService.defaultContainer.name)
      #expect(service.users.map(\.name) == ["chi", "dung"])
      #expect(!service.apiToken.isEmpty)
      #expect(service.users.allSatisfy { $0.webAuthToken.count >= 128 })
    }
    #expect(ending == .exited(0))
    #expect(output.split(separator: "\n").count == 1)
    let after = try FileManager.default.contentsOfDirectory(atPath: home.path)
    #expect(Set(after) == Set(before).union(["errors"]))
  }

  @Test func environmentVariablesAreItsOptions() throws {
    let home = try TestHome()
    let schema = try home.write("DEFINE SCHEMA RECORD TYPE Note (text STRING);", to: "app.ckdb")
    // Variables of an ordinary service are ignored.
    _ = try Self.serve(
      "--user", "own", home: home,
      environment: [
        "RECORD_SERVICE_EPHEMERAL": "1", "RECORD_SERVICE_SCHEMA": schema,
        "RECORD_SERVICE_CONTAINER": "iCloud.org.example.own", "RECORD_SERVICE_USER": "chi",
        "RECORD_SERVICE_URL": "https://records.example.org", "RECORD_SERVICE_BEHIND_PROXY": "1",
      ], flag: []
    ) { service in
      #expect(service.container == "iCloud.org.example.own")
      #expect(service.users.map(\.name) == ["own"])
    }
    _ = try Self.serve(home: home, environment: ["RECORD_SERVICE_USER": "chi, Dung"]) { service in
      #expect(service.users.map(\.name) == ["chi", "dung"])
    }
  }

  @Test func withoutASchemaItServesTheReadersContainer() throws {
    let home = try TestHome()
    _ = try Self.serve("--container", "iCloud.org.example.own", home: home) { service in
      #expect(service.container == "iCloud.org.example.own")
    }
    let other = try TestHome()
    _ = try Self.serve(home: other) { service in
      #expect(service.container == TestHome.container.name)
      #expect(service.users.map(\.name) == ["an", "binh"])
    }
  }

  @Test(arguments: [
    (["--data", "/nowhere"], "--data"), (["--url", "https://example.org"], "--url"),
    (["--tls-certificate", "/c", "--tls-key", "/k"], "--tls-certificate"),
    (["--behind-proxy"], "--behind-proxy"), (["--trusted-proxy", "127.0.0.1"], "--trusted-proxy"),
    (["--registration", "closed"], "--registration"),
    (["--operations-per-second", "none"], "--operations-per-second"),
    (["--operations-burst", "200"], "--operations-burst"),
  ])
  func optionsThatContradictAreRefused(_ arguments: [String], _ option: String) throws {
    let outcome = try TestHome().run(["serve", "--ephemeral"] + arguments)
    #expect(outcome.status == 2)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors.contains("\(option) and --ephemeral cannot be used together."))
  }

  @Test func otherMachinesCannotReachIt() throws {
    let outcome = try TestHome().run("serve", "--ephemeral", "--address", "0.0.0.0")
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("is for programs on this machine alone"))
  }

  @Test(arguments: [["--schema", "a.ckdb"], ["--container", "iCloud.a"], ["--user", "an"]])
  func optionsOfAnEphemeralServiceAreOnlyForOne(_ arguments: [String]) throws {
    let outcome = try TestHome().run(["serve"] + arguments)
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("\(arguments[0]) is only for --ephemeral."))
  }

  @Test func aSchemaThatCannotBeReadIsRefused() throws {
    let home = try TestHome()
    let missing = try home.run("serve", "--ephemeral", "--schema", "missing.ckdb")
    #expect(missing.status == 1)
    #expect(missing.errors.contains("missing.ckdb"))
    let broken = try home.write("DEFINE SCHEMA RECORD", to: "broken.ckdb")
    let invalid = try home.run("serve", "--ephemeral", "--schema", broken)
    #expect(invalid.status == 3)
    #expect(invalid.errors.contains("1:21"))
    let name = try home.run("serve", "--ephemeral", "--user", "_")
    #expect(name.status == 1)
  }
}
