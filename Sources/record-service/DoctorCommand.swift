import ArgumentParser
import RecordServer

/// The command `doctor`, which checks a data directory and fails if it finds a problem.
struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: CommandHelp.doctor,
    discussion: CommandHelp.doctorDiscussion)

  @OptionGroup var output: JSONOption
  @OptionGroup var home: HomeOptions

  private struct Row: Encodable {
    let id: String
    let ok: Bool
    /// The finding as a sentence.
    let found: String
  }

  private func findings() async throws -> [Doctor.Finding] {
    if let storage = home.storage { return await Doctor.findings(inPostgreSQL: storage) }
    let home = try home.home()
    return await Doctor(
      directory: home.directory, database: home.database, key: home.key, apiToken: home.apiToken
    ).findings()
  }

  func run() async throws {
    let findings = try await findings()
    if output.json {
      try Output.json(
        findings.map { Row(id: $0.check.rawValue, ok: $0.isOK, found: $0.sentence) })
    } else {
      for finding in findings { try Output.line(CommandMessages.line(of: finding)) }
    }
    let wrong = findings.filter { !$0.isOK }.count
    guard wrong == 0 else {
      throw ServiceCommandFailure(.refused, CommandMessages.problemsFound(wrong))
    }
  }
}
