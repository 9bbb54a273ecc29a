import ArgumentParser
import Commands
import Words

struct BackupCommands: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "backup", abstract: Launch.words.helpBackup,
      subcommands: [BackupMake.self, BackupList.self, BackupRestore.self],
      defaultSubcommand: BackupMake.self)
  }
}

struct BackupMake: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(commandName: "make", abstract: Launch.words.helpBackupMake)
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
    CommandConfiguration(commandName: "list", abstract: Launch.words.helpBackupList)
  }

  @OptionGroup var options: LibraryOptions

  func run() throws {
    try BackupCommand(.list, asJSON: options.json, access: Launch.libraryAccess)
      .run(Launch.console)
  }
}

struct BackupRestore: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(commandName: "restore", abstract: Launch.words.helpBackupRestore)
  }

  @Argument(
    help: ArgumentHelp(Launch.words.helpBackupName, valueName: Launch.words.helpCopyName))
  var name: String?

  @Flag(help: ArgumentHelp(Launch.words.helpYes))
  var yes = false

  @OptionGroup var options: LibraryOptions

  func run() throws {
    try BackupCommand(
      .restore(name: name, isConfirmed: yes), asJSON: options.json,
      access: Launch.libraryAccess, progress: Launch.progressBar(),
      ask: StandardInput.isTerminal ? { Launch.ask($0) } : nil
    ).run(Launch.console)
  }
}
