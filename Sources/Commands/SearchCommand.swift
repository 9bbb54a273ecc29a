public import Editions
public import Messages
import Quran
import Text

/// `quran-vi search`: prints the ayahs that match a query, the best matches first.
public struct SearchCommand {
  private let text: String
  private let edition: Edition
  private let limit: Int?
  private let asJSON: Bool
  private let messages: Messages

  /// Creates the command.
  ///
  /// - Parameters:
  ///   - text: The query.
  ///   - edition: The edition to search.
  ///   - limit: The maximum number of results, or nil for the default: 20 on a terminal, otherwise
  ///     all.
  ///   - asJSON: Whether to print JSON.
  ///   - messages: The sentences of the output.
  public init(_ text: String, edition: Edition, limit: Int?, asJSON: Bool, messages: Messages) {
    self.text = text
    self.edition = edition
    self.limit = limit
    self.asJSON = asJSON
    self.messages = messages
  }

  /// Runs the command.
  ///
  /// - Throws: Status 1 if nothing is found, 2 if the query is empty.
  public func run(_ console: Console) throws(CommandFailure) {
    let query = SearchQuery(text)
    // A script gets only results of the search, not an ayah that the query refers to.
    let place = console.isTerminal && !asJSON ? try? QuranReference(parsing: text) : nil
    guard !query.isEmpty || place != nil else {
      throw CommandFailure(.usage, messages.emptySearch)
    }
    let hits = SearchIndex(edition).search(query)
    let shown = Array(hits.prefix(limit ?? (console.isTerminal && !asJSON ? 20 : .max)))
    if asJSON {
      try console.json(shown.map { Hit($0, edition, query) })
    } else {
      if let ayah = place?.ayahs.lowerBound {
        try console.line("→ \(ayah)  \(ayah.surah.surah.names)")
      }
      for ayah in shown {
        try console.line("\(ayah)  ", edition.text(of: ayah), marking: query.matches)
      }
      if hits.count > shown.count, console.isTerminal {
        try console.line(messages.moreHits(hits.count - shown.count))
      }
    }
    if hits.isEmpty, place == nil {
      throw CommandFailure(.notFound, messages.noHits(text.displayableLine))
    }
  }

  private struct Hit: Encodable {
    let ayah: String
    let edition: String
    let text: String
    /// The matched words as they occur in the text.
    let matches: [String]

    init(_ ayah: AyahID, _ edition: Edition, _ query: SearchQuery) {
      self.ayah = ayah.description
      self.edition = edition.info.id
      let text = edition.text(of: ayah)
      self.text = text
      matches = query.matches(in: text).map { String(text[$0]) }
    }
  }
}
