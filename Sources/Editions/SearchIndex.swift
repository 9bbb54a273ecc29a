public import Quran

/// An index of an edition, for searching as the user types.
///
///     let index = SearchIndex(.bundled)
///     index.search(SearchQuery("dang rat muc nhan tu")).first   // 1:1
///
/// A text of the Quran has about 190,000 words, but only several thousand different ones. A search
/// first matches each different word with the query, then scans the text once.
public struct SearchIndex: Sendable {
  /// All different words in ascending order, so that words with the same prefix are adjacent.
  private let vocabulary: [Word]
  /// The text as indices in `vocabulary`.
  private let text: [UInt32]
  /// The positions at which the ayahs begin in `text`, and the end of the last one.
  private let starts: [UInt32]

  /// Creates the index. This takes tens of milliseconds, so do not do it on the main thread.
  public init(_ edition: Edition) {
    var spellings: [Spelling: UInt32] = [:]
    var words: [Word] = []
    var spelled: [UInt32] = []
    var starts: [UInt32] = [0]
    starts.reserveCapacity(AyahID.count + 1)
    for ayah in AyahID.first...AyahID.last {
      let bytes = edition.bytesWithoutBasmala(of: ayah)
      var scanner = WordScanner(bytes)
      while let range = scanner.next() {
        let spelling = Spelling(bytes: UnsafeRawBufferPointer(rebasing: bytes[range]))
        if let known = spellings[spelling] {
          spelled.append(known)
          continue
        }
        let word = Word(spelling.bytes)
        guard !word.folded.isEmpty else { continue }
        spellings[spelling] = UInt32(words.count)
        spelled.append(UInt32(words.count))
        words.append(word)
      }
      starts.append(UInt32(spelled.count))
    }

    // Merge spellings with the same forms (Allah, ALLAH) into one word.
    var places = [UInt32](repeating: 0, count: words.count)
    var vocabulary: [Word] = []
    for (word, spelling) in zip(words, words.indices).sorted(by: { $0.0 < $1.0 }) {
      if vocabulary.last != word { vocabulary.append(word) }
      places[spelling] = UInt32(vocabulary.count - 1)
    }
    self.vocabulary = vocabulary
    self.text = spelled.map { places[Int($0)] }
    self.starts = starts
  }

  /// Returns all ayahs that match the query, the best matches first.
  ///
  /// For a query with diacritics, the order is: ayahs that have all its words with the same
  /// diacritics; ayahs in which the last word is only the beginning of one with these; then, as for a
  /// query without diacritics, ayahs that have all its words; and ayahs in which the last word is only
  /// a beginning. Within each of these groups, ayahs that have the words in the order of the query
  /// without gaps come first, and otherwise ayahs are in the order of the Quran.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - scope: The ayahs to search, or nil for the whole Quran.
  public func search(_ query: SearchQuery, in scope: ClosedRange<AyahID>? = nil) -> SearchHits {
    guard let table = MatchTable(of: query, in: vocabulary) else { return SearchHits() }
    let scope = scope ?? AyahID.first...AyahID.last
    // Two ranks for each kind of match: words in any position, and consecutive words.
    var ranks = [[AyahID]](repeating: [], count: SearchQuery.Match.allCases.count * 2)
    var found = [UInt64](repeating: 0, count: table.count)
    text.withUnsafeBufferPointer { text in
      for index in scope.lowerBound.index...scope.upperBound.index {
        let range = Int(starts[index - 1])..<Int(starts[index])
        let words = UnsafeBufferPointer(rebasing: text[range])
        guard let (match, isPhrase) = table.match(words, &found), let ayah = AyahID(index: index)
        else { continue }
        ranks[match.rawValue * 2 + (isPhrase ? 1 : 0)].append(ayah)
      }
    }
    let exact = ranks[(SearchQuery.Match.markedStart.rawValue * 2)...].reduce(0) { $0 + $1.count }
    return SearchHits(
      ayahs: Array(ranks.reversed().joined()), exactCount: query.hasMarks ? exact : nil)
  }

  /// Returns the query with words of the text instead of those that it does not have; nil if there are
  /// none, or no similar word.
  public func suggestion(for query: SearchQuery) -> String? {
    var words: [String] = []
    var isChanged = false
    for clause in query.clauses {
      guard let phrase = clause.alternatives.first else { continue }
      for term in phrase.terms {
        if clause.alternatives.count > 1 || hasMatch(term, marks: query.hasMarks) {
          words.append(String(decoding: term.word.marked, as: UTF8.self))
        } else if let similar = similar(to: term.word) {
          words.append(String(decoding: similar.marked, as: UTF8.self))
          isChanged = true
        } else {
          return nil
        }
      }
    }
    return isChanged ? words.joined(separator: " ") : nil
  }

  private func hasMatch(_ term: SearchQuery.QueryTerm, marks: Bool) -> Bool {
    vocabulary.contains { term.match($0, marks: marks) != nil }
  }

  /// The most frequent of the words that differ least from a word: by one letter, or by two if it has
  /// more than four.
  private func similar(to word: Word) -> Word? {
    let limit = word.folded.count > 4 ? 2 : 1
    let distances = vocabulary.indices.compactMap { index -> (index: Int, distance: Int)? in
      let other = vocabulary[index].folded
      guard abs(other.count - word.folded.count) <= limit else { return nil }
      let distance = EditDistance.between(word.folded, other)
      return distance <= limit ? (index, distance) : nil
    }
    guard let least = distances.map(\.distance).min() else { return nil }
    let nearest = Set(distances.filter { $0.distance == least }.map(\.index))
    var counts: [Int: Int] = [:]
    for word in text where nearest.contains(Int(word)) { counts[Int(word), default: 0] += 1 }
    return counts.max { ($0.value, $1.key) < ($1.value, $0.key) }.map { vocabulary[$0.key] }
  }
}

/// The ayahs that match a query.
public struct SearchHits: Sendable, Hashable {
  /// The best matches first.
  public var ayahs: [AyahID] = []
  /// The number of ayahs, at the beginning, with the diacritics of the query; nil if it has none.
  public var exactCount: Int?

  public init(ayahs: [AyahID] = [], exactCount: Int? = nil) {
    (self.ayahs, self.exactCount) = (ayahs, exactCount)
  }
}

/// The bytes of a word in an edition, compared byte by byte.
private struct Spelling: Hashable {
  let bytes: UnsafeRawBufferPointer

  static func == (a: Spelling, b: Spelling) -> Bool {
    a.bytes.count == b.bytes.count && a.bytes.elementsEqual(b.bytes)
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(bytes: bytes)
  }
}
