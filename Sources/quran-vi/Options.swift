import ArgumentParser
import Commands
import Editions
import Library
import Messages
import Quran

extension CommandConfiguration {
  /// The configuration of a command without subcommands.
  init(_ name: String, _ abstract: String) {
    self.init(commandName: name, abstract: abstract)
  }

  /// The configuration of a group of commands.
  init(
    _ name: String, _ abstract: String, default command: any ParsableCommand.Type,
    _ subcommands: [any ParsableCommand.Type]
  ) {
    self.init(
      commandName: name, abstract: abstract, subcommands: subcommands, defaultSubcommand: command)
  }
}

/// The option `--lang`, which all commands have. `Invocation` reads it before the arguments are
/// parsed.
struct LanguageOption: ParsableArguments {
  // The parser's error lists the cases.
  enum Choice: String, CaseIterable, ExpressibleByArgument { case vi, en }

  @Option(help: ArgumentHelp(messages.helpLanguage, valueName: "vi|en"))
  var lang: Choice?
}

/// The options of the commands that do not declare `--library`.
struct CommonOptions: ParsableArguments {
  @Flag(help: ArgumentHelp(messages.helpJSON))
  var json = false

  @OptionGroup var language: LanguageOption

  var context: CommandContext { Invocation.context(asJSON: json) }
}

/// The options of the commands that print ayahs.
struct ReadOptions: ParsableArguments {
  @Flag(help: ArgumentHelp(messages.helpReadPlain))
  var plain = false

  @Flag(help: ArgumentHelp(messages.helpReadArabic))
  var arabic = false

  @Option(help: ArgumentHelp(messages.helpEditions, valueName: "id"))
  var edition: [String] = []

  @OptionGroup var options: CommonOptions

  /// Prints ayahs.
  ///
  /// - Parameter ayahs: Returns the ayahs.
  func run(_ ayahs: (CommandContext) throws -> [AyahID]) throws {
    guard !plain || !options.json else {
      throw CommandFailure(.usage, messages.notTogether("--plain", "--json"))
    }
    let context = options.context
    try context.read(
      ayahs(context), editions: context.editions(edition),
      arabic: arabic ? context.arabicEdition() : nil, isPlain: plain)
  }
}

struct EditionOption: ParsableArguments {
  @Option(help: ArgumentHelp(messages.helpTextID, valueName: "id"))
  var edition: String?
}

/// The options of the commands that declare `--library`.
struct LibraryOptions: ParsableArguments {
  @Flag(help: ArgumentHelp(messages.helpJSON))
  var json = false

  @OptionGroup var file: LibraryOption
  @OptionGroup var language: LanguageOption

  var context: CommandContext { Invocation.context(asJSON: json) }
}

/// The option `--library`. Declared only for the help and for completion; `Invocation` reads it
/// before the arguments are parsed.
struct LibraryOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(messages.helpLibraryPath, valueName: messages.helpFileName),
    completion: .file())
  var library: String?
}

/// The options that say which version wins if an earlier state of a synced library is restored.
struct RestorationOptions: ParsableArguments {
  @Flag(help: ArgumentHelp(messages.helpKeepRestored))
  var keepRestored = false

  @Flag(help: ArgumentHelp(messages.helpKeepService))
  var keepService = false

  /// The version that wins, or nil if neither option is given.
  var restoration: SyncAccount.Restoration? {
    get throws {
      guard !keepRestored || !keepService else {
        throw CommandFailure(.usage, messages.notTogether("--keep-restored", "--keep-service"))
      }
      return keepRestored ? .keepRestored : keepService ? .keepService : nil
    }
  }
}

extension [String] {
  /// Moves arguments behind `--`, where the parser does not take them for options.
  ///
  /// - Parameter isMoved: Whether to move the argument with an index. It is not called for those
  ///   that are behind `--` already.
  func movingBehindTerminator(_ isMoved: (Int) -> Bool) -> [String] {
    let beforeTerminator = prefix { $0 != "--" }
    let moved = beforeTerminator.indices.filter(isMoved)
    guard !moved.isEmpty else { return self }
    return beforeTerminator.indices.filter { !moved.contains($0) }.map { self[$0] } + ["--"]
      + moved.map { self[$0] } + dropFirst(beforeTerminator.count + 1)
  }
}
