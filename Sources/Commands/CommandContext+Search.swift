public import Editions
import FoundationEssentials
import Library
import Messages
import Quran
import Text

/// The arguments of `quran-vi search`.
public struct SearchRequest {
  /// The words to look for, as typed.
  public var text: String
  /// The editions to search, the current one first.
  public var editions: [Edition]
  /// Whether to search the notes as well.
  public var includesNotes: Bool
  /// A reference as typed, such as `juz 30`, whose ayahs are searched; nil for the whole Quran.
  public var part: String?
  /// Whether to search only favourites.
  public var onlyFavorites: Bool
  /// Whether to print the number of hits in each surah instead of the hits.
  public var countsBySurah: Bool
  /// The maximum number of results, or nil for the default: 20 for text on a terminal, otherwise
  /// all.
  public var limit: Int?

  public init(
    _ text: String, in editions: [Edition], includesNotes: Bool = false, part: String? = nil,
    onlyFavorites: Bool = false, countsBySurah: Bool = false, limit: Int? = nil
  ) {
    self.text = text
    self.editions = editions
    self.includesNotes = includesNotes
    self.part = part
    self.onlyFavorites = onlyFavorites
    self.countsBySurah = countsBySurah
    self.limit = limit
  }
}

// `quran-vi search`
extension CommandContext {
  /// Returns the current edition, and the other editions on this machine.
  public func allEditions() throws(CommandFailure) -> [Edition] {
    let current = try edition(nil)
    return [current] + editions.others(than: current.info.id)
  }

  /// Prints the ayahs that match a query, the best matches first, then the matching notes. Hits on
  /// a terminal begin with the ayah that the query refers to. A search of the notes alone warns of
  /// unfinished notes, which it leaves out.
  ///
  /// - Throws: Status 1 if there is nothing to print, 2 if the query is empty or `part` is not a
  ///   reference, 3 if the library is needed but cannot be read.
  public func search(_ request: SearchRequest) throws(CommandFailure) {
    let query = SearchQuery(request.text, isComplete: true)
    let isInteractive = console.isTerminal && !asJSON
    var reference: QuranReference?
    var referenceFailure: QuranReference.Failure?
    do {
      reference = try QuranReference(parsing: request.text)
    } catch {
      referenceFailure = error.isNoSuchPassage ? error : nil
    }
    let isReference = reference != nil
    // The ayah that the query refers to is printed only on a terminal, above hits in editions.
    if !isInteractive || request.countsBySurah || request.editions.isEmpty { reference = nil }
    guard !query.isEmpty || reference != nil else {
      throw CommandFailure(
        .usage, query.onlyExcludes ? messages.nothingToSearchFor : messages.emptySearch)
    }
    let opened = try library(of: request)
    let scope = try scope(of: request, opened?.snapshot)
    if let ayah = reference?.ayahs.lowerBound, !scope.contains(ayah) { reference = nil }
    let search = EditionSearch(request.editions.map(SearchIndex.init))
    let found = search.search(query, in: scope)
    func findNotes(in scope: SearchScope) throws(CommandFailure) -> [Note] {
      guard let opened, request.includesNotes else { return [] }
      return try self.notes(matching: query, in: scope, opened.library)
    }
    let notes = try findNotes(in: scope)
    if let ayah = reference?.ayahs.lowerBound {
      try console.line("→ \(ayah)  \(ayah.surah.surah.names)")
    }
    if request.countsBySurah {
      try printCounts(of: found.ayahs + notes.map(\.ayah))
    } else {
      let hits = found.ayahs.enumerated().compactMap { position, ayah in
        search.edition(ofHit: position, in: found).map { Hit($0.text(of: ayah), of: ayah, in: $0) }
      }
      try printHits(
        hits + notes.map(Hit.init), query, limit: request.limit ?? (isInteractive ? 20 : .max),
        currentEditionID: request.editions.first?.info.id)
    }
    if let opened, request.editions.isEmpty {
      let unfinished = opened.snapshot.drafts.count { scope.contains($0.ayah) }
      if unfinished > 0 { warn(messages.unfinishedNotesNotSearched(unfinished)) }
    }
    if found.ayahs.isEmpty, notes.isEmpty, reference == nil {
      if let referenceFailure {
        throw CommandFailure(.notFound, messages.explain(referenceFailure))
      }
      let text = request.text.sanitizedLine
      let others =
        scope == .quran ? 0 : search.search(query).ayahs.count + (try findNotes(in: .quran).count)
      throw CommandFailure(
        .notFound,
        others > 0
          ? messages.noHitsInFilter(text, others: others)
          : messages.noHits(
            text, similar: isReference ? nil : search.suggestion(for: query, in: scope)))
    }
  }

  /// Opens the library if the request includes notes or is limited to favourites; otherwise returns
  /// nil. If the library cannot be read, but editions can be searched without it, warns the user
  /// and returns nil.
  private func library(
    of request: SearchRequest
  ) throws(CommandFailure) -> (library: Library, snapshot: Snapshot)? {
    guard request.includesNotes || request.onlyFavorites else { return nil }
    do {
      return try openForReading()
    } catch {
      guard !request.onlyFavorites, !request.editions.isEmpty else { throw error }
      warn(error.message)
      return nil
    }
  }

  private func scope(
    of request: SearchRequest, _ snapshot: Snapshot?
  ) throws(CommandFailure) -> SearchScope {
    var scope = SearchScope.quran
    if let part = request.part {
      scope = .range(try convertingFailures { try QuranReference(parsing: part).ayahs })
    }
    guard request.onlyFavorites else { return scope }
    let favorites = snapshot?.favorites.map(\.ayah) ?? []
    return .ayahs(Set(favorites.filter(scope.contains)))
  }

  private func notes(
    matching query: SearchQuery, in scope: SearchScope, _ library: Library
  ) throws(CommandFailure) -> [Note] {
    let notes = try convertingFailures { try library.allNotes() }
    let index = TextIndex(notes.map(\.text.text))
    return index.search(query) { scope.contains(notes[$0].ayah) }.positions.map { notes[$0] }
  }

  private func printHits(
    _ hits: [Hit], _ query: SearchQuery, limit: Int, currentEditionID: String?
  ) throws(CommandFailure) {
    let shown = hits.prefix(limit)
    if asJSON {
      try console.json(shown.map { HitRow($0, query) })
    } else {
      for hit in shown {
        let editionLabel = hit.edition.flatMap { $0 == currentEditionID ? nil : "[\($0)]  " } ?? ""
        let label = hit.note == nil ? editionLabel : "✎ "
        try console.line("\(hit.ayah)  \(label)", hit.text) {
          query.matches(in: $0, isEdition: hit.note == nil)
        }
      }
      if hits.count > shown.count, console.isTerminal {
        try console.line(messages.hiddenHits(hits.count - shown.count))
      }
    }
  }

  private func printCounts(of ayahs: [AyahID]) throws(CommandFailure) {
    let counts = Dictionary(grouping: ayahs, by: \.surah).mapValues(\.count)
      .sorted { $0.key < $1.key }
    if asJSON {
      try console.json(counts.map { SurahHits(surah: $0.key.rawValue, hits: $0.value) })
    } else {
      try console.lines(counts.map { "\($0.key)  \($0.key.surah.names)  \($0.value)" })
    }
  }
}

/// An ayah in an edition, or a note, that matches the query.
private struct Hit {
  let ayah: AyahID
  let text: String
  /// The ID of the edition; nil for a note.
  var edition: String?
  /// The ID of the note; nil for an ayah.
  var note: String?

  init(_ text: String, of ayah: AyahID, in edition: Edition) {
    self.ayah = ayah
    self.text = text
    self.edition = edition.info.id
  }

  init(_ note: Note) {
    ayah = note.ayah
    text = note.text.text
    self.note = note.id.uuidString
  }
}

private struct HitRow: Encodable {
  let ayah: String
  let edition: String?
  let note: String?
  let text: String
  /// The matched words as they occur in the text.
  let matches: [String]

  init(_ hit: Hit, _ query: SearchQuery) {
    ayah = hit.ayah.description
    edition = hit.edition
    note = hit.note
    text = hit.text
    matches = query.matches(in: hit.text, isEdition: hit.note == nil)
      .map { String(hit.text[$0]) }
  }
}

private struct SurahHits: Encodable {
  let surah: Int
  let hits: Int
}
