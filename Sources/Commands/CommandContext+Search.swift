public import Editions
import Messages
import Quran
import Text

// `quran-vi search`
extension CommandContext {
  /// Prints the ayahs that match a query, the best matches first.
  ///
  /// - Parameters:
  ///   - text: The query.
  ///   - edition: The edition to search.
  ///   - limit: The maximum number of results, or nil for the default: 20 on a terminal, otherwise
  ///     all.
  /// - Throws: Status 1 if nothing is found, 2 if the query is empty.
  public func search(_ text: String, edition: Edition, limit: Int?) throws(CommandFailure) {
    let query = SearchQuery(text, isComplete: true)
    let isForPeople = console.isTerminal && !asJSON
    // A script gets only results of the search, not an ayah that the query refers to.
    let reference = isForPeople ? try? QuranReference(parsing: text) : nil
    guard !query.isEmpty || reference != nil else {
      throw CommandFailure(.usage, messages.emptySearch)
    }
    let index = SearchIndex(edition)
    let hits = index.search(query).ayahs
    let shown = Array(hits.prefix(limit ?? (isForPeople ? 20 : .max)))
    if asJSON {
      try console.json(shown.map { Hit($0, edition, query) })
    } else {
      if let ayah = reference?.ayahs.lowerBound {
        try console.line("→ \(ayah)  \(ayah.surah.surah.names)")
      }
      for ayah in shown {
        try console.line("\(ayah)  ", edition.text(of: ayah), marking: query.matches)
      }
      if hits.count > shown.count, console.isTerminal {
        try console.line(messages.moreHits(hits.count - shown.count))
      }
    }
    if hits.isEmpty, reference == nil {
      throw CommandFailure(
        .notFound, messages.noHits(text.sanitizedLine, similar: index.suggestion(for: query)))
    }
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
