import ArgumentParser
import Commands
import Messages

struct TextCommands: ParsableCommand {
  static let configuration = CommandConfiguration(
    "text", messages.helpText, default: TextList.self,
    [
      TextList.self, TextInstall.self, TextUse.self, TextUpdate.self, TextRemove.self,
      TextShow.self,
    ])
}

struct TextList: ParsableCommand {
  static let configuration = CommandConfiguration("list", messages.helpTextList)

  @OptionGroup var options: CommonOptions

  func run() throws { try options.context.listTexts() }
}

struct TextInstall: ParsableCommand {
  static let configuration = CommandConfiguration("install", messages.helpTextInstall)

  @Argument(
    help: ArgumentHelp(messages.helpTextNames, valueName: messages.helpNameOrFile),
    completion: .file())
  var names: [String] = []

  @Option(help: ArgumentHelp(messages.helpTextFileID, valueName: "id"))
  var id: String?

  @Option(help: ArgumentHelp(messages.helpTextTitle, valueName: messages.helpTextName))
  var title: String?

  @Option(help: ArgumentHelp(messages.helpTextLanguage, valueName: "tag"))
  var language: String?

  @OptionGroup var options: CommonOptions

  func run() throws {
    let context = options.context
    let description = EditionSource.Description(id: id, title: title, language: language)
    try waitFor { try await context.installTexts(names, description) }
  }
}

struct TextUpdate: ParsableCommand {
  static let configuration = CommandConfiguration("update", messages.helpTextUpdate)

  @Argument(help: ArgumentHelp(messages.helpTextUpdateIDs, valueName: "id"))
  var ids: [String] = []

  @OptionGroup var options: CommonOptions

  func run() throws {
    let context = options.context
    try waitFor { try await context.updateTexts(ids) }
  }
}

struct TextUse: ParsableCommand {
  static let configuration = CommandConfiguration("use", messages.helpTextUse)

  @OptionGroup var text: TextArgument
  @OptionGroup var options: CommonOptions

  func run() throws { try options.context.useText(text.id) }
}

struct TextRemove: ParsableCommand {
  static let configuration = CommandConfiguration("remove", messages.helpTextRemove)

  @OptionGroup var text: TextArgument
  @OptionGroup var options: CommonOptions

  func run() throws { try options.context.removeText(text.id) }
}

struct TextShow: ParsableCommand {
  static let configuration = CommandConfiguration("show", messages.helpTextShow)

  @OptionGroup var text: TextArgument
  @OptionGroup var options: CommonOptions

  func run() throws { try options.context.showText(text.id) }
}

struct TextArgument: ParsableArguments {
  @Argument(help: ArgumentHelp(messages.helpTextID, valueName: "id"))
  var id: String
}
