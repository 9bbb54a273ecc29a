import Quran

/// Searches several editions.
///
///     let search = EditionSearch([SearchIndex(translation), SearchIndex(arabic)])
///     search.search(SearchQuery("الرحمن"))
public struct EditionSearch: Sendable {
  /// The indexes of the editions in their order of preference. An ayah that matches in several
  /// editions is a hit of the first of them.
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
      hits.editions.append(index.edition.info)
      hits.counts.append(others.count)
    }
    return hits
  }

  /// Returns a corrected spelling of a query that has no hits in the ayahs of the scope. Each
  /// edition in turn suggests a spelling, made from its words in these ayahs. The first suggestion
  /// that has hits is returned; nil if there is none.
  public func suggestion(for query: SearchQuery, in scope: SearchScope = .quran) -> String? {
    indexes.lazy.compactMap { $0.suggestion(for: query, in: scope) }.first {
      let corrected = SearchQuery($0, isComplete: query.isComplete)
      return !search(corrected, in: scope).ayahs.isEmpty
    }
  }

  /// Returns the edition whose text matches the query at a hit; nil if its index is no longer here.
  ///
  /// - Parameter hit: The position of a hit in `hits`.
  public func edition(ofHit hit: Int, in hits: SearchHits) -> Edition? {
    let index = hits.editionIndex(ofHit: hit)
    guard indexes.indices.contains(index) else { return nil }
    let edition = indexes[index].edition
    return edition.info == hits.editions[index] ? edition : nil
  }
}

extension InstalledEditions {
  /// Returns all available editions except one, in their order of preference for a search:
  /// recognised translations first, the bundled edition last. Damaged editions are omitted, and the
  /// editions in the user's directory if it cannot be read.
  ///
  /// - Parameter id: The ID of the edition to omit.
  public func others(than id: String) -> [Edition] {
    func rank(_ info: Edition.Info) -> Int {
      switch info.kind {
      case .translation: info.isRecognised ? 0 : info.isBundled ? 4 : 1
      case .original: 2
      case .commentary, .transliteration: 3
      }
    }
    let ids = [Edition.bundledID] + readableIDs
    return ids.filter { $0 != id }.compactMap { try? edition($0) }
      .sorted { (rank($0.info), $0.info.id) < (rank($1.info), $1.info.id) }
  }
}
