import ArgumentParser
import Commands
import Editions
import Messages

struct Read: ParsableCommand {
  static let configuration = CommandConfiguration("read", messages.helpRead)

  // Optional, because the parser would report a missing argument for `read -1`.
  @Argument(help: ArgumentHelp(messages.helpReadReference, valueName: messages.helpReferenceName))
  var references: [String] = []

  @OptionGroup var options: ReadOptions

  func run() throws { try options.run { try $0.ayahs(references) } }
}

struct Daily: ParsableCommand {
  static let configuration = CommandConfiguration("daily", messages.helpDaily)

  @OptionGroup var options: ReadOptions

  func run() throws { try options.run { [$0.dailyAyah] } }
}

struct Random: ParsableCommand {
  static let configuration = CommandConfiguration("random", messages.helpRandom)

  @Argument(help: ArgumentHelp(messages.helpRandomReference, valueName: messages.helpReferenceName))
  var references: [String] = []

  @OptionGroup var options: ReadOptions

  func run() throws { try options.run { [try $0.randomAyah(of: references)] } }
}

struct Search: ParsableCommand {
  static let configuration = CommandConfiguration("search", messages.helpSearch)

  @Argument(help: ArgumentHelp(messages.helpSearchText, valueName: messages.helpTextName))
  var text: [String] = []

  @Option(
    name: .customLong("in"),
    help: ArgumentHelp(messages.helpSearchIn, valueName: messages.helpReferenceName))
  var part: String?

  @Flag(help: ArgumentHelp(messages.helpSearchFavorites))
  var favorites = false

  @Flag(help: ArgumentHelp(messages.helpSearchNotes))
  var notes = false

  @Flag(help: ArgumentHelp(messages.helpSearchCounts))
  var counts = false

  @Option(help: ArgumentHelp(messages.helpSearchEdition, valueName: "id"))
  var edition: [String] = []

  @Option(parsing: .unconditional, help: ArgumentHelp(messages.helpLimit, valueName: "n"))
  var limit: String?

  @OptionGroup var options: LibraryOptions

  /// Moves words such as `-khoan`, which exclude ayahs, behind `--`. The parser would take them for
  /// options; the order of the words makes no difference to the search. A negative number after
  /// `--limit` is its value, which is refused.
  static func movingExcludedWords(_ arguments: [String]) -> [String] {
    arguments.movingBehindTerminator {
      isExcludedWord(arguments[$0]) && ($0 == 0 || arguments[$0 - 1] != "--limit")
    }
  }

  private static func isExcludedWord(_ argument: String) -> Bool {
    argument.hasPrefix("-") && !argument.hasPrefix("--") && !["-", "-h"].contains(argument)
  }

  private static func limit(_ argument: String) throws -> Int {
    guard let limit = Int(argument), limit > 0 else {
      throw CommandFailure(.usage, messages.limitIsInvalid(argument))
    }
    return limit
  }

  func run() throws {
    guard !notes || edition.isEmpty else {
      throw CommandFailure(.usage, messages.notTogether("--notes", "--edition"))
    }
    guard !counts || limit == nil else {
      throw CommandFailure(.usage, messages.notTogether("--counts", "--limit"))
    }
    let limit = try limit.map(Self.limit)
    let context = options.context
    let editions =
      notes ? [] : edition.isEmpty ? try context.allEditions() : try context.editions(edition)
    try context.search(
      SearchRequest(
        text.joined(separator: " "), in: editions, includesNotes: edition.isEmpty, part: part,
        onlyFavorites: favorites, countsBySurah: counts, limit: limit))
  }
}
