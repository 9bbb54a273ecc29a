import ArgumentParser
import Commands
import Messages

struct ProgressCommands: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "progress", abstract: Launch.messages.helpProgress,
      subcommands: [ProgressShow.self, ProgressSet.self, ProgressReset.self],
      defaultSubcommand: ProgressShow.self)
  }
}

struct ProgressShow: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(commandName: "show", abstract: Launch.messages.helpProgressShow)
  }

  @OptionGroup var options: LibraryOptions

  func run() throws {
    try ProgressCommand(
      .show, references: [], asJSON: options.json, access: Launch.libraryAccess
    ).run(Launch.console)
  }
}

struct ProgressSet: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(commandName: "set", abstract: Launch.messages.helpProgressSet)
  }

  @Argument(
    help: ArgumentHelp(Launch.messages.helpAyahs, valueName: Launch.messages.helpReferenceName))
  var references: [String] = []

  @OptionGroup var options: LibraryOptions

  func run() throws {
    try ProgressCommand(
      .set, references: references, asJSON: options.json, access: Launch.libraryAccess
    ).run(Launch.console)
  }
}

struct ProgressReset: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(commandName: "reset", abstract: Launch.messages.helpProgressReset)
  }

  @Argument(
    help: ArgumentHelp(Launch.messages.helpSurahs, valueName: Launch.messages.helpReferenceName))
  var references: [String] = []

  @OptionGroup var options: LibraryOptions

  func run() throws {
    try ProgressCommand(
      .reset, references: references, asJSON: options.json, access: Launch.libraryAccess
    ).run(Launch.console)
  }
}
