import ArgumentParser
import Commands
import ConfigFile
import Editions
import Library
import Messages
import Quran
import Reader
import Terminal
import Text

/// The root command `quran-vi`: opens the reader, or runs the command that the first argument
/// names.
struct QuranVi: ParsableCommand {
  fileprivate static let commands: [any ParsableCommand.Type] = [
    Read.self, Daily.self, Random.self, Search.self, FavoriteCommands.self, NoteCommands.self,
    ProgressCommands.self,
    SettingsCommands.self, Import.self, Export.self, SyncCommands.self, BackupCommands.self,
    TextCommands.self, DoctorCommand.self,
  ]

  static let configuration = CommandConfiguration(
    commandName: "quran-vi", abstract: messages.helpProgram, usage: messages.helpUsage,
    discussion: messages.helpExamples, version: Invocation.version,
    subcommands: [Open.self] + commands, defaultSubcommand: Open.self)

  // Declared for the help and for completion; the values are parsed by `Open`.
  @OptionGroup var options: OpenOptions

  /// Parses the arguments and returns the command that they name, or `Open` if they name none.
  static func command(_ arguments: [String]) throws -> any ParsableCommand {
    var arguments = arguments
    if arguments.first == "help" {
      arguments.removeFirst()
      try checkCommand(arguments.prefix { !$0.hasPrefix("-") })
      arguments.append("--help")
    }
    let name = arguments.first { !$0.hasPrefix("-") }
    if let command = commands.first(where: { $0.configuration.commandName == name }) {
      let words = arguments.drop { $0.hasPrefix("-") }.dropFirst().prefix { !$0.hasPrefix("-") }
      try checkSubcommand(Array(words), of: command)
      if command == Search.self { arguments = Search.movingExcludedWords(arguments) }
      if command == SettingsCommands.self {
        arguments = SettingsSet.movingNegativeNumbers(arguments)
      }
      return try NamedCommand.parseAsRoot(arguments)
    }
    let asksForHelp = arguments.contains("--help") || arguments.contains("-h")
    return try parseAsRoot(asksForHelp ? ["--help"] : arguments)
  }

  /// Checks that words after `help` name a command.
  private static func checkCommand(_ words: some Sequence<String>) throws {
    var commands = commands
    for word in words {
      guard let command = commands.first(where: { $0.configuration.commandName == word }) else {
        throw CommandFailure(
          .usage,
          commands.isEmpty
            ? messages.unexpectedArgument(word)
            : messages.noSuchCommand(word, commands.names))
      }
      commands = command.configuration.subcommands
    }
  }

  /// Checks the word that follows the name of a group of commands: a subcommand or, where the
  /// default one takes references, one of them. The parser would take it for an argument of the
  /// default subcommand.
  private static func checkSubcommand(
    _ words: [String], of command: any ParsableCommand.Type
  ) throws {
    let names = command.configuration.subcommands.names
    guard let word = words.first, !names.isEmpty, !names.contains(word) else { return }
    guard command == FavoriteCommands.self || command == NoteCommands.self else {
      throw CommandFailure(.usage, messages.noSuchCommand(word, names))
    }
    let isReference = (1...words.count).contains { count in
      do throws(QuranReference.Failure) {
        _ = try QuranReference(parsing: words.prefix(count).joined(separator: " "))
        return true
      } catch {
        return switch error {
        case .unknown: false
        // The beginning of a command's name, such as “ad”, is more likely an incomplete command.
        case .ambiguous(let name, _): !names.contains { $0.hasPrefix(name) }
        default: true
        }
      }
    }
    guard isReference else {
      throw CommandFailure(.usage, messages.noSuchCommandOrReference(word, names))
    }
  }
}

extension [any ParsableCommand.Type] {
  fileprivate var names: [String] { compactMap { $0.configuration.commandName } }
}

/// The root command that is used if the arguments name a command. It does not declare the options
/// of the reader, because the parser would then take `--plain` for an option of the reader in
/// `quran-vi read --plain`.
private struct NamedCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "quran-vi", version: Invocation.version, subcommands: QuranVi.commands)
}

struct OpenOptions: ParsableArguments {
  @Flag(help: ArgumentHelp(messages.helpPlain))
  var plain = false

  @Flag(help: ArgumentHelp(messages.helpMouseOff))
  var noMouse = false

  @Flag(help: ArgumentHelp(messages.helpPaths))
  var paths = false

  /// Prints the list of keys for the manual page, which the parser cannot generate.
  @Flag(help: .hidden)
  var manualKeys = false

  @OptionGroup var file: LibraryOption
  @OptionGroup var language: LanguageOption
}

struct Open: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "open", abstract: messages.helpOpen, shouldDisplay: false)

  @Argument(
    help: ArgumentHelp(
      messages.helpOpenReference, valueName: messages.helpReferenceName))
  var reference: [String] = []

  @OptionGroup var options: OpenOptions

  func run() throws {
    guard !options.manualKeys else {
      let keys = ManualPage.keys(.standard, messages: messages)
      return try Invocation.context().console.verbatim(keys + "\n")
    }
    try ReaderLauncher(
      reference: reference, isPlain: options.plain, usesMouse: !options.noMouse,
      showsPaths: options.paths
    ).run()
  }
}

struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration("doctor", messages.helpDoctor)

  @OptionGroup var options: CommonOptions

  func run() throws {
    let terminal = TerminalDescription(environment: Invocation.environment)
    let context = options.context
    let file = Paths(environment: Invocation.environment).configFile
    let (configuration, problems) = Configuration.load(path: file)
    try context.checkInstallation(
      version: Invocation.version,
      terminal: TerminalFacts(
        name: Invocation.environment["TERM"] ?? "", canDraw: terminal != nil,
        colors: terminal?.colors ?? 0, arabic: arabicFacts(configuration)),
      configuration: ConfigurationFacts(
        path: file, problems: messages.explain(problems, keys: configuration.keys)),
      texts: context.readableTexts)
  }

  /// How Arabic is shown, with the beginning of the Arabic text in each way.
  private func arabicFacts(_ configuration: Configuration) -> ArabicFacts {
    let text =
      Invocation.editions.arabicEdition()?.text(of: .first)
      ?? SurahNumber.all[0].surah.arabicName
    let samples = [ArabicDisplay.terminal, .shaped].map { display in
      // Right-to-left text is placed at the right edge of the line, so drop the spaces before it.
      var line = Canvas(size: Size(rows: 1, columns: 60))
      line.put(text, row: 0, column: 0, style: Style(), direction: .rightToLeft, display: display)
      return ArabicFacts.Sample(
        value: display.rawValue, text: String(line.text(row: 0).drop { $0 == " " }))
    }
    return ArabicFacts(
      setting: ArabicSetting(configuration.arabic, Invocation.environment), samples: samples)
  }
}
