import ArgumentParser
import CSQLite
import Glibc
import RecordServer

/// The root command `record-service`.
struct RecordServiceCommand: ParsableCommand {
  static let version = "0.1.0"

  static let configuration = CommandConfiguration(
    commandName: "record-service",
    abstract: CommandHelp.root, discussion: CommandHelp.rootDiscussion,
    version: version,
    subcommands: [
      ServeCommand.self, SchemaCommands.self, UserCommands.self, TokenCommands.self,
      KeyCommands.self, RecordCommands.self, BackupCommand.self, RestoreCommand.self,
      MoveCommand.self, DoctorCommand.self,
    ],
    defaultSubcommand: ServeCommand.self)
}

@main
enum Program {
  static func main() async {
    // Requests that use the storage at the same time would wait for each other's allocations.
    _ = sqlite_disable_memory_statistics()
    do {
      try await run(Array(CommandLine.arguments.dropFirst()))
    } catch {
      Output.warn(error.sentences)
      exit(error.status.rawValue)
    }
  }

  private static func run(_ arguments: [String]) async throws(ServiceCommandFailure) {
    do {
      var command = try EnvironmentOptions().parse(arguments)
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch let failure as ServiceCommandFailure {
      throw failure
    } catch let code as ExitCode {
      exit(code.rawValue)
    } catch {
      // ArgumentParser also throws to print help, the version and completion scripts.
      switch RecordServiceCommand.exitCode(for: error) {
      case .success: try Output.verbatim(RecordServiceCommand.fullMessage(for: error) + "\n")
      case .validationFailure:
        let message = RecordServiceCommand.message(for: error)
        throw ServiceCommandFailure(.usage, "\(message)\n\(CommandMessages.usage)")
      default: throw ServiceCommandFailure(error)
      }
    }
  }
}
