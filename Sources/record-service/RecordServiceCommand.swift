import ArgumentParser
import Glibc

/// `record-service`: the server, and what its operator does beside it.
struct RecordServiceCommand: ParsableCommand {
  static let version = "0.1.0"

  static let configuration = CommandConfiguration(
    commandName: "record-service",
    abstract: "A server that speaks CloudKit Web Services.",
    discussion: """
      Without a command it serves. All commands work on the same directory, also while a \
      server runs on it.
      Exit status: 0 done, 1 not found or refused, 2 wrong usage, 3 bad data.
      """,
    version: version,
    subcommands: [
      ServeCommand.self, SchemaCommands.self, UserCommands.self, TokenCommands.self,
      RecordCommands.self, BackupCommand.self, RestoreCommand.self, DoctorCommand.self,
    ],
    defaultSubcommand: ServeCommand.self)
}

@main
enum Program {
  static func main() async {
    do {
      try await run(Array(CommandLine.arguments.dropFirst()))
    } catch {
      Output.warn(error.sentences)
      exit(error.status.rawValue)
    }
  }

  private static func run(_ arguments: [String]) async throws(CommandFailure) {
    do {
      var command = try RecordServiceCommand.parseAsRoot(arguments)
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch let failure as CommandFailure {
      throw failure
    } catch let code as ExitCode {
      exit(code.rawValue)
    } catch {
      // Help, the version and completion scripts come this way, too.
      switch RecordServiceCommand.exitCode(for: error) {
      case .success: try Output.verbatim(RecordServiceCommand.fullMessage(for: error) + "\n")
      case .validationFailure:
        let message = RecordServiceCommand.message(for: error)
        throw CommandFailure(.usage, "\(message)\nSee `record-service --help` for what there is.")
      default: throw CommandFailure(error)
      }
    }
  }
}
