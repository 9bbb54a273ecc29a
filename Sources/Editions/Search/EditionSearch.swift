import Quran

/// A search in several editions at once.
///
///     let search = EditionSearch([SearchIndex(translation), SearchIndex(arabic)])
///     search.search(SearchQuery("الرحمن"))
public struct EditionSearch: Sendable {
  /// The indexes of the editions; an ayah is found in the first one that matches.
  public var indexes: [SearchIndex]

  public init(_ indexes: [SearchIndex]) {
    self.indexes = indexes
  }

  /// Returns all ayahs that match the query in any of the editions.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - scope: The ayahs to search.
  public func search(_ query: SearchQuery, in scope: SearchScope = .quran) -> SearchHits {
    guard var hits = indexes.first?.search(query, in: scope) else { return SearchHits() }
    var isFound = [Bool](repeating: false, count: AyahID.count + 1)
    for ayah in hits.ayahs { isFound[ayah.index] = true }
    for index in indexes.dropFirst() {
      let others = index.search(query, in: scope).ayahs.filter { !isFound[$0.index] }
      for ayah in others { isFound[ayah.index] = true }
      hits.ayahs += others
      hits.counts.append(others.count)
    }
    return hits
  }

  /// Returns a similar query that finds something in one of the editions; nil if there is none.
  public func suggestion(for query: SearchQuery) -> String? {
    indexes.lazy.compactMap { $0.suggestion(for: query) }.first
  }

  /// The edition in which a hit matches.
  ///
  /// - Parameter hit: The position of the hit in `hits`.
  public func edition(ofHit hit: Int, in hits: SearchHits) -> Edition? {
    let number = hits.edition(ofHit: hit)
    return indexes.indices.contains(number) ? indexes[number].edition : nil
  }
}

extension InstalledEditions {
  /// Returns the available editions that are searched beside the one that is read: recognised
  /// translations first, the bundled edition last. Damaged ones are left out.
  ///
  /// - Parameter id: The ID of the edition that is read.
  public func others(than id: String) -> [Edition] {
    func rank(_ info: Edition.Info) -> Int {
      switch info.kind {
      case .translation: info.isRecognised ? 0 : info.isBundled ? 4 : 1
      case .original: 2
      case .commentary, .transliteration: 3
      }
    }
    let infos = ((try? list()) ?? []).compactMap { try? $0.info.get() }
      .filter { $0.id != id }
    return infos.sorted { (rank($0), $0.id) < (rank($1), $1.id) }
      .compactMap { try? self.edition($0.id) }
  }
}
