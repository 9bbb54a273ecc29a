import ArgumentParser
import Commands
import Library
import Messages

struct BackupCommands: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "backup", abstract: Launch.messages.helpBackup,
      subcommands: [BackupMake.self, BackupList.self, BackupRestore.self],
      defaultSubcommand: BackupMake.self)
  }
}

struct BackupMake: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(commandName: "make", abstract: Launch.messages.helpBackupMake)
  }

  @OptionGroup var options: LibraryOptions

  func run() throws {
    try BackupCommand(
      .make, asJSON: options.json, access: Launch.libraryAccess, progress: Launch.progressBar()
    ).run(Launch.console)
  }
}

struct BackupList: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(commandName: "list", abstract: Launch.messages.helpBackupList)
  }

  @OptionGroup var options: LibraryOptions

  func run() throws {
    try BackupCommand(.list, asJSON: options.json, access: Launch.libraryAccess)
      .run(Launch.console)
  }
}

struct BackupRestore: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(commandName: "restore", abstract: Launch.messages.helpBackupRestore)
  }

  @Argument(
    help: ArgumentHelp(Launch.messages.helpBackupName, valueName: Launch.messages.helpCopyName))
  var name: String?

  @Flag(help: ArgumentHelp(Launch.messages.helpYes))
  var yes = false

  @OptionGroup var answer: RestorationAnswer
  @OptionGroup var options: LibraryOptions

  func run() throws {
    try BackupCommand(
      .restore(name: name, isConfirmed: yes, restoration: try answer.restoration),
      asJSON: options.json,
      access: Launch.libraryAccess, progress: Launch.progressBar(),
      ask: StandardInput.isTerminal ? { Launch.ask($0) } : nil
    ).run(Launch.console)
  }
}

/// The options that say which version wins if an earlier state of a synced library is restored.
struct RestorationAnswer: ParsableArguments {
  @Flag(help: ArgumentHelp(Launch.messages.helpKeepRestored))
  var keepRestored = false

  @Flag(help: ArgumentHelp(Launch.messages.helpKeepService))
  var keepService = false

  /// The answer of the options, or nil if none of them is given.
  var restoration: SyncAccount.Restoration? {
    get throws {
      guard !keepRestored || !keepService else {
        throw CommandFailure(
          .usage, Launch.messages.notTogether("--keep-restored", "--keep-service"))
      }
      return keepRestored ? .keepRestored : keepService ? .keepService : nil
    }
  }
}
