import ArgumentParser
import Commands
import Editions
import Messages
import Reader
import Terminal

/// The root command `quran-vi`: opens the reader, or runs the command that the first argument
/// names.
struct QuranVi: ParsableCommand {
  fileprivate static let commands: [any ParsableCommand.Type] = [
    Read.self, Search.self, FavoriteCommands.self, NoteCommands.self, ProgressCommands.self,
    SettingsCommands.self, Import.self, Export.self, SyncCommands.self, BackupCommands.self,
    TextCommands.self, Doctor.self,
  ]

  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "quran-vi", abstract: Launch.messages.helpProgram,
      usage: Launch.messages.helpUsage,
      discussion: Launch.messages.helpExamples, version: Launch.version,
      subcommands: [Open.self] + commands, defaultSubcommand: Open.self)
  }

  // Declared for the help and for completion; the values are parsed by `Open`.
  @OptionGroup var options: OpenOptions

  /// Parses the arguments of the command that they name, or of the reader if they name none.
  static func command(_ arguments: [String]) throws -> any ParsableCommand {
    var arguments = arguments
    if arguments.first == "help" { arguments = arguments.dropFirst() + ["--help"] }
    let name = arguments.first { !$0.hasPrefix("-") }
    if commands.contains(where: { $0.configuration.commandName == name }) {
      return try NamedCommand.parseAsRoot(arguments)
    }
    let asksForHelp = arguments.contains("--help") || arguments.contains("-h")
    return try parseAsRoot(asksForHelp ? ["--help"] : arguments)
  }
}

/// The root command if a command is named. It does not have the options of the reader, which would
/// take `--plain` from `read`.
private struct NamedCommand: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "quran-vi", version: Launch.version, subcommands: QuranVi.commands)
  }
}

struct OpenOptions: ParsableArguments {
  @Flag(help: ArgumentHelp(Launch.messages.helpPlain))
  var plain = false

  @Flag(help: ArgumentHelp(Launch.messages.helpMouseOff))
  var noMouse = false

  @Flag(help: ArgumentHelp(Launch.messages.helpPaths))
  var paths = false

  /// Prints the list of keys for the manual page, which the parser cannot generate.
  @Flag(help: .hidden)
  var manualKeys = false

  @OptionGroup var file: LibraryOption
  @OptionGroup var language: LanguageOption
}

struct Open: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "open", abstract: Launch.messages.helpOpen, shouldDisplay: false)
  }

  @Argument(
    help: ArgumentHelp(
      Launch.messages.helpOpenReference, valueName: Launch.messages.helpReferenceName))
  var reference: [String] = []

  @OptionGroup var options: OpenOptions

  func run() throws {
    guard !options.manualKeys else {
      try Launch.console.verbatim(ManualPage.keys(.standard, messages: Launch.messages) + "\n")
      return
    }
    try OpenReader(
      reference: reference, isPlain: options.plain, usesMouse: !options.noMouse,
      showsPaths: options.paths, libraryPath: Launch.libraryPath
    ).run()
  }
}

/// The option for the language, which all commands have. `Launch` reads it before the arguments are
/// parsed.
struct LanguageOption: ParsableArguments {
  enum Choice: String, ExpressibleByArgument { case vi, en }

  @Option(help: ArgumentHelp(Launch.messages.helpLanguage, valueName: "vi|en"))
  var lang: Choice?
}

/// A positive number of results to print.
struct Count: ExpressibleByArgument {
  let value: Int

  init?(argument: String) {
    guard let value = Int(argument), value > 0 else { return nil }
    self.value = value
  }
}

/// The options of the commands that print a text.
struct TextOptions: ParsableArguments {
  @Flag(help: ArgumentHelp(Launch.messages.helpJSON))
  var json = false

  @Option(help: ArgumentHelp(Launch.messages.helpEdition, valueName: "id"))
  var edition: String?

  @OptionGroup var language: LanguageOption
}

struct Read: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(commandName: "read", abstract: Launch.messages.helpRead)
  }

  // Optional, because the parser would report a missing argument for `read -1`.
  @Argument(
    help: ArgumentHelp(
      Launch.messages.helpReadReference, valueName: Launch.messages.helpReferenceName))
  var references: [String] = []

  @Flag(help: ArgumentHelp(Launch.messages.helpReadPlain))
  var plain = false

  @OptionGroup var options: TextOptions

  func run() throws {
    let messages = Launch.messages
    guard !plain || !options.json else {
      throw CommandFailure(.usage, messages.notTogether("--plain", "--json"))
    }
    try ReadCommand(
      references: references, edition: .named(options.edition, messages: messages),
      form: options.json ? .json : plain ? .plain : .referenced, messages: messages
    ).run(Launch.console)
  }
}

struct Search: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(commandName: "search", abstract: Launch.messages.helpSearch)
  }

  @Argument(
    help: ArgumentHelp(Launch.messages.helpSearchText, valueName: Launch.messages.helpTextName))
  var text: [String] = []

  @Option(help: ArgumentHelp(Launch.messages.helpLimit, valueName: "n"))
  var limit: Count?

  @OptionGroup var options: TextOptions

  func run() throws {
    let messages = Launch.messages
    try SearchCommand(
      text.joined(separator: " "), edition: .named(options.edition, messages: messages),
      limit: limit?.value, asJSON: options.json, messages: messages
    ).run(Launch.console)
  }
}

struct TextCommands: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "text", abstract: Launch.messages.helpText, subcommands: [TextList.self],
      defaultSubcommand: TextList.self)
  }
}

struct TextList: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(commandName: "list", abstract: Launch.messages.helpTextList)
  }

  @Flag(help: ArgumentHelp(Launch.messages.helpJSON))
  var json = false

  @OptionGroup var language: LanguageOption

  func run() throws {
    try TextListCommand(Edition.installed, asJSON: json, messages: Launch.messages).run(
      Launch.console)
  }
}

struct Doctor: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(commandName: "doctor", abstract: Launch.messages.helpDoctor)
  }

  @Flag(help: ArgumentHelp(Launch.messages.helpJSON))
  var json = false

  @OptionGroup var language: LanguageOption

  func run() throws {
    let terminal = TerminalDescription(environment: Launch.environment)
    try DoctorCommand(
      version: Launch.version,
      terminal: DoctorCommand.Terminal(
        name: Launch.environment["TERM"] ?? "", canDraw: terminal != nil,
        colors: terminal?.colors ?? 0),
      environment: Launch.environment, editions: Edition.installed,
      library: Launch.libraryAccess
    ).run(Launch.console, asJSON: json)
  }
}
