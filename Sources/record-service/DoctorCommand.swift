import ArgumentParser
import RecordServer

struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Check the files, the database and the schemas, and report problems.",
    discussion: "The exit status is 1 if there is a problem.")

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
      throw CommandFailure(.refused, "Found \(count(wrong, "problem")).")
    }
  }
}
