import ArgumentParser
import Commands
import Messages

struct FavoriteCommands: ParsableCommand {
  static let configuration = CommandConfiguration(
    "favorite", messages.helpFavorite, default: FavoriteList.self,
    [FavoriteAdd.self, FavoriteRemove.self, FavoriteList.self])
}

struct FavoriteAdd: ParsableCommand {
  static let configuration = CommandConfiguration("add", messages.helpFavoriteAdd)

  @Argument(help: ArgumentHelp(messages.helpAyahs, valueName: messages.helpReferenceName))
  var references: [String] = []

  @OptionGroup var options: LibraryOptions

  func run() throws { try options.context.addFavorites(references) }
}

struct FavoriteRemove: ParsableCommand {
  static let configuration = CommandConfiguration("remove", messages.helpFavoriteRemove)

  @Argument(help: ArgumentHelp(messages.helpAyahs, valueName: messages.helpReferenceName))
  var references: [String] = []

  @OptionGroup var options: LibraryOptions

  func run() throws { try options.context.removeFavorites(references) }
}

struct FavoriteList: ParsableCommand {
  static let configuration = CommandConfiguration("list", messages.helpFavoriteList)

  @Argument(help: ArgumentHelp(messages.helpOnlyThese, valueName: messages.helpReferenceName))
  var references: [String] = []

  @OptionGroup var edition: EditionOption
  @OptionGroup var options: LibraryOptions

  func run() throws {
    let context = options.context
    try context.listFavorites(references, edition: context.edition(edition.edition))
  }
}
