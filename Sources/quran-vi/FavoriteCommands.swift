import ArgumentParser
import Commands
import Editions
import Words

struct FavoriteCommands: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "favorite", abstract: Launch.words.helpFavorite,
      subcommands: [FavoriteAdd.self, FavoriteRemove.self, FavoriteList.self],
      defaultSubcommand: FavoriteList.self)
  }
}

struct FavoriteAdd: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(commandName: "add", abstract: Launch.words.helpFavoriteAdd)
  }

  @Argument(
    help: ArgumentHelp(Launch.words.helpAyahs, valueName: Launch.words.helpReferenceName))
  var references: [String] = []

  @OptionGroup var options: LibraryOptions

  func run() throws {
    try FavoriteCommand(
      .add, references: references, edition: .named(nil, words: Launch.words),
      asJSON: options.json, access: Launch.libraryAccess
    ).run(Launch.console)
  }
}

struct FavoriteRemove: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(commandName: "remove", abstract: Launch.words.helpFavoriteRemove)
  }

  @Argument(
    help: ArgumentHelp(Launch.words.helpAyahs, valueName: Launch.words.helpReferenceName))
  var references: [String] = []

  @OptionGroup var options: LibraryOptions

  func run() throws {
    try FavoriteCommand(
      .remove, references: references, edition: .named(nil, words: Launch.words),
      asJSON: options.json, access: Launch.libraryAccess
    ).run(Launch.console)
  }
}

struct FavoriteList: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(commandName: "list", abstract: Launch.words.helpFavoriteList)
  }

  @Argument(
    help: ArgumentHelp(Launch.words.helpOnlyThese, valueName: Launch.words.helpReferenceName))
  var references: [String] = []

  @Option(help: ArgumentHelp(Launch.words.helpEdition, valueName: "id"))
  var edition: String?

  @OptionGroup var options: LibraryOptions

  func run() throws {
    try FavoriteCommand(
      .list, references: references, edition: .named(edition, words: Launch.words),
      asJSON: options.json, access: Launch.libraryAccess
    ).run(Launch.console)
  }
}
