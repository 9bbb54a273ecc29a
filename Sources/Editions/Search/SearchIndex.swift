public import Quran

/// An index of an edition, for searching as the user types.
///
///     let index = SearchIndex(.bundled)
///     index.search(SearchQuery("dang rat muc nhan tu")).ayahs.first   // 1:1
public struct SearchIndex: Sendable {
  /// The edition.
  public let edition: Edition
  private let index: TextIndex

  /// Creates the index. This takes tens of milliseconds, so it must not be done on the main thread.
  public init(_ edition: Edition) {
    self.edition = edition
    var builder = TextIndex.Builder()
    for ayah in AyahID.first...AyahID.last {
      builder.add(edition.bytesWithoutBasmala(of: ayah), isEdition: true)
    }
    index = builder.finish()
  }

  /// Returns all ayahs that match the query, in the order of `TextIndex.search`.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - scope: The ayahs to search.
  public func search(_ query: SearchQuery, in scope: SearchScope = .quran) -> SearchHits {
    let hits = index.search(query, where: scope.includes)
    let ayahs = hits.positions.compactMap { AyahID(index: $0 + 1) }
    return SearchHits(ayahs, in: edition.info, exactCount: hits.exactCount)
  }

  /// Returns a corrected spelling of a query that has no hits in the ayahs of the scope. See
  /// `TextIndex.suggestion`.
  public func suggestion(for query: SearchQuery, in scope: SearchScope = .quran) -> String? {
    index.suggestion(for: query, where: scope.includes)
  }
}

/// The ayahs that a search covers.
public enum SearchScope: Hashable, Sendable {
  /// The whole Quran.
  case quran
  case range(ClosedRange<AyahID>)
  /// Single ayahs, such as favourites.
  case ayahs(Set<AyahID>)

  /// A function that returns whether the scope contains the ayah at a zero-based position in the
  /// Quran; nil if the scope contains all ayahs.
  fileprivate var includes: ((Int) -> Bool)? {
    switch self {
    case .quran: nil
    case .range(let range): { (range.lowerBound.index...range.upperBound.index).contains($0 + 1) }
    case .ayahs(let ayahs): { AyahID(index: $0 + 1).map(ayahs.contains) ?? false }
    }
  }

  public func contains(_ ayah: AyahID) -> Bool {
    switch self {
    case .quran: true
    case .range(let range): range.contains(ayah)
    case .ayahs(let ayahs): ayahs.contains(ayah)
    }
  }
}

/// The ayahs that match a query in one edition or several.
public struct SearchHits: Sendable, Hashable {
  /// The hits, grouped by edition in the order of the search, the best matches of each edition
  /// first. An ayah belongs to the first edition that matches.
  public var ayahs: [AyahID] = []
  /// The editions that were searched, in the order of the search.
  public internal(set) var editions: [Edition.Info] = []
  /// The number of elements of `ayahs` that belong to each edition.
  var counts: [Int] = []
  /// The number of hits of the first edition that contain the diacritics of the query exactly. They
  /// are at the beginning of `ayahs`. Nil if the query has no diacritics, or only diacritics of
  /// Arabic letters.
  public var exactCount: Int?

  /// No hits.
  public init() {}

  /// The hits in one edition.
  init(_ ayahs: [AyahID], in edition: Edition.Info, exactCount: Int?) {
    (self.ayahs, editions, counts) = (ayahs, [edition], [ayahs.count])
    self.exactCount = exactCount
  }

  /// The number of hits of the first edition.
  public var firstEditionCount: Int { counts.first ?? 0 }

  /// Returns the positions of the hits that belong to the same edition as a hit.
  ///
  /// - Parameter hit: The position of the hit in `ayahs`.
  public func hits(inTextOf hit: Int) -> Range<Int> {
    let index = editionIndex(ofHit: hit)
    let start = counts[..<index].reduce(0, +)
    return start..<start + counts[index]
  }

  /// Returns the positions of the hits that the list of hits shows as one group with a given hit.
  /// Each edition is a group; the first edition has two: hits with the diacritics of the query, and
  /// hits without them.
  public func group(ofHit hit: Int) -> Range<Int> {
    guard let exactCount, hit < firstEditionCount else { return hits(inTextOf: hit) }
    return hit < exactCount ? 0..<exactCount : exactCount..<firstEditionCount
  }

  /// Returns the edition to which a hit belongs.
  ///
  /// - Parameter hit: The position of a hit in `ayahs`.
  public func edition(ofHit hit: Int) -> Edition.Info { editions[editionIndex(ofHit: hit)] }

  /// Returns the position in `editions` of the edition to which a hit belongs.
  func editionIndex(ofHit hit: Int) -> Int {
    var end = 0
    for (edition, count) in counts.enumerated() {
      end += count
      if hit < end { return edition }
    }
    return 0
  }
}
