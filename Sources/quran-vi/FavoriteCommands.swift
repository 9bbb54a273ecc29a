import ArgumentParser
import Commands
import Editions
import Messages

struct FavoriteCommands: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "favorite", abstract: Launch.messages.helpFavorite,
      subcommands: [FavoriteAdd.self, FavoriteRemove.self, FavoriteList.self],
      defaultSubcommand: FavoriteList.self)
  }
}

struct FavoriteAdd: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(commandName: "add", abstract: Launch.messages.helpFavoriteAdd)
  }

  @Argument(
    help: ArgumentHelp(Launch.messages.helpAyahs, valueName: Launch.messages.helpReferenceName))
  var references: [String] = []

  @OptionGroup var options: LibraryOptions

  func run() throws {
    try FavoriteCommand(
      .add, references: references, edition: .named(nil, messages: Launch.messages),
      asJSON: options.json, access: Launch.libraryAccess
    ).run(Launch.console)
  }
}

struct FavoriteRemove: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(commandName: "remove", abstract: Launch.messages.helpFavoriteRemove)
  }

  @Argument(
    help: ArgumentHelp(Launch.messages.helpAyahs, valueName: Launch.messages.helpReferenceName))
  var references: [String] = []

  @OptionGroup var options: LibraryOptions

  func run() throws {
    try FavoriteCommand(
      .remove, references: references, edition: .named(nil, messages: Launch.messages),
      asJSON: options.json, access: Launch.libraryAccess
    ).run(Launch.console)
  }
}

struct FavoriteList: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(commandName: "list", abstract: Launch.messages.helpFavoriteList)
  }

  @Argument(
    help: ArgumentHelp(Launch.messages.helpOnlyThese, valueName: Launch.messages.helpReferenceName))
  var references: [String] = []

  @Option(help: ArgumentHelp(Launch.messages.helpEdition, valueName: "id"))
  var edition: String?

  @OptionGroup var options: LibraryOptions

  func run() throws {
    try FavoriteCommand(
      .list, references: references, edition: .named(edition, messages: Launch.messages),
      asJSON: options.json, access: Launch.libraryAccess
    ).run(Launch.console)
  }
}
