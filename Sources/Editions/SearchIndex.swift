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
  /// diacritics; ayahs that have words with these as prefixes; then, as for a query without
  /// diacritics, ayahs that have all its words; and ayahs that have words with these as prefixes.
  /// Within each of these groups, ayahs that have the words in the order of the query without gaps
  /// come first, and otherwise ayahs are in the order of the Quran.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - scope: The ayahs to search, or nil for the whole Quran.
  public func search(_ query: SearchQuery, in scope: ClosedRange<AyahID>? = nil) -> [AyahID] {
    guard let answers = Answers(to: query, in: vocabulary) else { return [] }
    let scope = scope ?? AyahID.first...AyahID.last
    // Two ranks for each kind of match: words in any position, and consecutive words.
    var ranks = [[AyahID]](repeating: [], count: SearchQuery.Match.allCases.count * 2)
    text.withUnsafeBufferPointer { text in
      for index in scope.lowerBound.index...scope.upperBound.index {
        let range = Int(starts[index - 1])..<Int(starts[index])
        let words = UnsafeBufferPointer(rebasing: text[range])
        guard let match = answers.match(words), let ayah = AyahID(index: index) else { continue }
        let isPhrase = answers.isPhrase(words, match)
        ranks[match.rawValue * 2 + (isPhrase ? 1 : 0)].append(ayah)
      }
    }
    return Array(ranks.reversed().joined())
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
