import ArgumentParser
import RecordServer

struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Check files, database and schemas, and say what is wrong.",
    discussion: "Exit status 1 where something is.")

  @OptionGroup var output: JSONOption
  @OptionGroup var home: HomeOptions

  func run() async throws {
    let home = try home.home()
    let findings = await Doctor(
      directory: home.directory, database: home.database, key: home.key, apiToken: home.apiToken
    ).findings()
    if output.json {
      try Output.json(findings)
    } else {
      for finding in findings { try Output.line("\(finding.ok ? "✓" : "!") \(finding.found)") }
    }
    let wrong = findings.filter { !$0.ok }.count
    guard wrong == 0 else {
      throw CommandFailure(.refused, "\(count(wrong, "thing")) should be put right.")
    }
  }
}
