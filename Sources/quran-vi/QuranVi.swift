import ArgumentParser
import Commands
import Editions
import Reader
import Terminal
import Words

struct QuranVi: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "quran-vi", abstract: Launch.words.helpProgram, version: Launch.version,
      subcommands: [
        Open.self, Read.self, Search.self, TextCommands.self, Doctor.self,
      ],
      defaultSubcommand: Open.self)
  }
}

/// Taken by every command; it is read before arguments are parsed (see `Launch`).
struct LanguageOption: ParsableArguments {
  enum Choice: String, ExpressibleByArgument { case vi, en }

  @Option(help: ArgumentHelp(Launch.words.helpLanguage, valueName: "vi|en"))
  var lang: Choice?
}

struct Open: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(abstract: Launch.words.helpOpen)
  }

  @Argument(help: ArgumentHelp(Launch.words.helpOpenReference))
  var reference: [String] = []

  @Flag(help: ArgumentHelp(Launch.words.helpPlain))
  var plain = false

  @Flag(help: ArgumentHelp(Launch.words.helpMouseOff))
  var noMouse = false

  @Flag(help: ArgumentHelp(Launch.words.helpPaths))
  var paths = false

  /// Prints the part of the manual that the parser knows nothing of.
  @Flag(help: .hidden)
  var manualKeys = false

  @OptionGroup var language: LanguageOption

  func run() throws {
    guard !manualKeys else {
      Launch.console.line(ManualPage.keys(.standard, words: Launch.words))
      return
    }
    try OpenReader(reference: reference, isPlain: plain, usesMouse: !noMouse, showsPaths: paths)
      .run()
  }
}

struct Read: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(abstract: Launch.words.helpRead)
  }

  @Argument(help: ArgumentHelp(Launch.words.helpReadReference))
  var references: [String]

  @Flag(help: ArgumentHelp(Launch.words.helpReadPlain))
  var plain = false

  @Flag(help: ArgumentHelp(Launch.words.helpJSON))
  var json = false

  @Option(help: ArgumentHelp(Launch.words.helpEdition, valueName: "id"))
  var edition: String?

  @OptionGroup var language: LanguageOption

  func run() throws {
    let words = Launch.words
    try ReadCommand(
      references: references, edition: .named(edition, words: words),
      form: json ? .json : plain ? .plain : .referenced, words: words
    ).run(Launch.console)
  }
}

struct Search: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(abstract: Launch.words.helpSearch)
  }

  @Argument(help: ArgumentHelp(Launch.words.helpSearchText))
  var text: [String]

  @Option(help: ArgumentHelp(Launch.words.helpLimit, valueName: "n"))
  var limit: UInt16?

  @Flag(help: ArgumentHelp(Launch.words.helpJSON))
  var json = false

  @Option(help: ArgumentHelp(Launch.words.helpEdition, valueName: "id"))
  var edition: String?

  @OptionGroup var language: LanguageOption

  func run() throws {
    let words = Launch.words
    try SearchCommand(
      text.joined(separator: " "), edition: .named(edition, words: words),
      limit: limit.map(Int.init), asJSON: json, words: words
    ).run(Launch.console)
  }
}

struct TextCommands: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "text", abstract: Launch.words.helpText, subcommands: [TextList.self],
      defaultSubcommand: TextList.self)
  }
}

struct TextList: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(commandName: "list", abstract: Launch.words.helpTextList)
  }

  @Flag(help: ArgumentHelp(Launch.words.helpJSON))
  var json = false

  @OptionGroup var language: LanguageOption

  func run() throws {
    try TextListCommand(Edition.installed, asJSON: json, words: Launch.words).run(Launch.console)
  }
}

struct Doctor: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(abstract: Launch.words.helpDoctor)
  }

  @Flag(help: ArgumentHelp(Launch.words.helpJSON))
  var json = false

  @OptionGroup var language: LanguageOption

  func run() throws {
    let terminal = TerminalDescription(environment: Launch.environment)
    try DoctorCommand(
      version: Launch.version,
      terminal: DoctorCommand.Terminal(
        name: Launch.environment["TERM"] ?? "", canDraw: terminal != nil,
        colors: terminal?.colors ?? 0, isSynchronized: terminal?.isSynchronized ?? false),
      environment: Launch.environment, editions: Edition.installed, words: Launch.words
    ).run(Launch.console, asJSON: json)
  }
}
