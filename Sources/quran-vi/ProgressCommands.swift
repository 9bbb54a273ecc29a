import ArgumentParser
import Commands
import Words

struct ProgressCommands: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "progress", abstract: Launch.words.helpProgress,
      subcommands: [ProgressShow.self, ProgressSet.self, ProgressReset.self],
      defaultSubcommand: ProgressShow.self)
  }
}

struct ProgressShow: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(commandName: "show", abstract: Launch.words.helpProgressShow)
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
    CommandConfiguration(commandName: "set", abstract: Launch.words.helpProgressSet)
  }

  @Argument(
    help: ArgumentHelp(Launch.words.helpAyahs, valueName: Launch.words.helpReferenceName))
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
    CommandConfiguration(commandName: "reset", abstract: Launch.words.helpProgressReset)
  }

  @Argument(
    help: ArgumentHelp(Launch.words.helpSurahs, valueName: Launch.words.helpReferenceName))
  var references: [String] = []

  @OptionGroup var options: LibraryOptions

  func run() throws {
    try ProgressCommand(
      .reset, references: references, asJSON: options.json, access: Launch.libraryAccess
    ).run(Launch.console)
  }
}
