import CloudRecords
import Foundation
import RecordServer
import TestSupport
import Testing

/// The options of commands as environment variables.
@Suite struct EnvironmentTests {
  /// An option of `serve` as ArgumentParser describes it.
  private struct ServeOption: CustomTestStringConvertible {
    let name: String
    let isFlag: Bool
    let help: String

    var variable: String {
      "RECORD_SERVICE_" + name.uppercased().replacing("-", with: "_")
    }
    var testDescription: String { name }

    static func all() throws -> [ServeOption] {
      let home = try TestHome()
      let output = try home.run("serve", "--experimental-dump-help").output
      let tool = try #require(
        try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any])
      let command = try #require(tool["command"] as? [String: Any])
      let arguments = try #require(command["arguments"] as? [[String: Any]])
      return arguments.compactMap { argument in
        let names = argument["names"] as? [[String: Any]]
        guard let name = names?.first(where: { $0["kind"] as? String == "long" })?["name"],
          let name = name as? String, !["help", "version"].contains(name)
        else { return nil }
        return ServeOption(
          name: name, isFlag: argument["kind"] as? String == "flag",
          help: argument["abstract"] as? String ?? "")
      }
    }
  }

  private func serve(
    _ arguments: [String] = [], _ variables: [String: String], in home: TestHome? = nil
  ) throws -> Outcome {
    let home = try home ?? TestHome()
    return try home.run(
      ["serve"] + arguments, environment: home.environment.merging(variables) { $1 })
  }

  /// Values that each option refuses. The options that are not here take any text.
  private static let invalid = [
    "port": "65536", "storage": "mysql://u:secret@h/x", "container": "x", "url": "x",
    "trusted-proxy": "127.0.0.1,x",
    "registration": "x", "quota-bytes": "0", "quota-records": "many",
    "operations-per-second": "0", "operations-burst": "199", "log-level": "loud",
    "tls-certificate": "c.pem", "tls-key": "k.pem",
  ]
  private static let texts = ["data", "address", "schema", "user"]

  @Test func anInvalidValueIsReportedWithItsVariable() throws {
    let options = try ServeOption.all()
    #expect(options.count > 15)
    for option in options where !Self.texts.contains(option.name) {
      let value = try option.isFlag ? "maybe" : #require(Self.invalid[option.name], "\(option)")
      var variables = [option.variable: value]
      if option.name == "container" { variables["RECORD_SERVICE_EPHEMERAL"] = "1" }
      let outcome = try serve([], variables)
      #expect(outcome.status == 2, "\(option): \(outcome)")
      #expect(
        outcome.errors.hasPrefix("record-service: \(option.variable): "), "\(option): \(outcome)")
    }
  }

  /// An address that is refused when the service starts, after the options were read.
  private static let refused = ["--address", "0.0.0.0"]

  @Test func anOptionWinsOverItsVariableAndAnEmptyOneIsUnset() throws {
    for (name, value) in Self.invalid where !name.hasPrefix("tls-") && name != "container" {
      let variable = "RECORD_SERVICE_" + name.uppercased().replacing("-", with: "_")
      let valid = [
        "port": "0", "storage": "postgresql:///x", "url": "http://127.0.0.1",
        "trusted-proxy": "127.0.0.1",
        "registration": "closed", "operations-per-second": "none", "operations-burst": "200",
        "log-level": "error",
      ]
      let own = valid[name] ?? "1"
      for given in [["--\(name)", own], ["--\(name)=\(own)"]] {
        let outcome = try serve(given + Self.refused, [variable: value])
        #expect(!outcome.errors.contains(variable), "\(outcome)")
        #expect(outcome.errors.contains("0.0.0.0"), "\(outcome)")
      }
      let empty = try serve(Self.refused, [variable: ""])
      #expect(!empty.errors.contains(variable), "\(empty)")
      #expect(empty.errors.contains("0.0.0.0"), "\(empty)")
    }
  }

  /// Two places for the data are refused, even if a variable names one of them.
  @Test func dataAndStorageAreRefusedTogether() throws {
    let home = try TestHome()
    let other = "\(home.path)/other"
    for address in ["postgresql:///none?host=\(home.path)", "mysql://h/x"] {
      let variables = ["RECORD_SERVICE_STORAGE": address]
      let environment = home.environment.merging(variables) { $1 }
      for place in [["--data", other], ["--data=\(other)"]] {
        let outcome = try home.run(["user", "invite"] + place, environment: environment)
        #expect(outcome.status == 2, "\(outcome)")
        #expect(outcome.errors.contains("RECORD_SERVICE_STORAGE"), "\(outcome)")
      }
    }
    #expect(!FileManager.default.fileExists(atPath: other))
    let storage = "postgresql:///none"
    let option = try home.run("restore", "copy", "--storage", storage)
    #expect(option.errors.contains("pg_restore"), "\(option)")
    let variable = try home.run(
      "restore", "copy",
      environment: home.environment.merging(["RECORD_SERVICE_STORAGE": storage]) { $1 })
    #expect(variable.errors.contains("pg_restore"), "\(variable)")
    let both = try home.run("restore", "copy", "--storage", storage, "--data", other)
    #expect(both.status == 2)
    #expect(both.errors.contains("--data and --storage"), "\(both)")
  }

  @Test func variablesTakeEffect() throws {
    let outcome = try serve([], ["RECORD_SERVICE_ADDRESS": "0.0.0.0"])
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("0.0.0.0"), "\(outcome)")
    // The variable of a flag can turn it off or on.
    for (value, isMissing) in [("0", false), ("1", true), ("true", true)] {
      let outcome = try serve(
        Self.refused,
        ["RECORD_SERVICE_BEHIND_PROXY": value])
      #expect(outcome.status == 2)
      #expect(outcome.errors.contains("--url") == isMissing, "\(value): \(outcome)")
    }
  }

  @Test func anOptionAndAVariableCanBelongTogether() throws {
    let outcome = try serve(
      ["--tls-certificate", "c.pem"] + Self.refused, ["RECORD_SERVICE_TLS_KEY": "k.pem"])
    #expect(outcome.errors.contains("--url"), "\(outcome)")
    // Help needs no valid variables, and wrong arguments are not blamed on variables.
    let variables = ["RECORD_SERVICE_PORT": "x", "RECORD_SERVICE_BEHIND_PROXY": "maybe"]
    #expect(try serve(["--help"], variables).status == 0)
    #expect(try TestHome().run("help").status == 0)
    let wrong = try serve(["--bogus"], ["RECORD_SERVICE_PORT": "0"])
    #expect(wrong.status == 2)
    #expect(wrong.errors.hasPrefix("record-service: Unknown option '--bogus'"), "\(wrong)")
  }

  @Test func theOtherCommandsHaveTheDirectoryOnly() throws {
    let home = try TestHome()
    let variables = [
      "RECORD_SERVICE_DATA": "\(home.path)/other", "RECORD_SERVICE_PORT": "x",
      "RECORD_SERVICE_USER": "nobody", "RECORD_SERVICE_CONTAINER": "x",
    ]
    let environment = home.environment.merging(variables) { $1 }
    let outcome = try home.run("token", "list", "--json", environment: environment)
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("\(home.path)/other"))
    #expect(try home.run("user", "invite", environment: environment).status == 0)
    #expect(FileManager.default.fileExists(atPath: "\(home.path)/other/records.sqlite"))
    // What follows `--` is an argument.
    #expect(
      try home.run("user", "remove", "--yes", "--", "an", environment: environment).status == 1)
  }

  // MARK: Documentation

  private static let readme: String =
    (try? String(
      contentsOf: checkout.appending(path: "Resources/record-service/README.md"), encoding: .utf8))
    ?? ""

  @Test func theReadmeListsTheVariables() throws {
    let rows = Self.readme.split(separator: "\n").filter { $0.hasPrefix("| `RECORD_SERVICE_") }
    let options = try ServeOption.all()
    #expect(
      rows.map { $0.split(separator: "|").prefix(2).joined(separator: "|") }
        == options.map { " `\($0.variable)` | `--\($0.name)` " })
  }

  @Test func theReadmeAndTheHelpListWhatIsNotServed() throws {
    let help = try TestHome().run("serve", "--help").output
      .split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let text = Self.readme.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    for feature in UnservedFeature.allCases {
      #expect(help.contains(feature.name), "\(feature)")
      #expect(text.contains("`\(feature.sentence)`"), "\(feature)")
    }
  }
}
