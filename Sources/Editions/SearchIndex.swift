public import Quran

/// An edition made ready to be searched as the reader types.
///
///     let index = SearchIndex(.bundled)
///     index.search(SearchQuery("dang rat muc nhan tu")).first   // 1:1
///
/// A text of the Quran has some 190,000 words, but only some thousands of
/// different ones. A search decides for each of these what it answers, then
/// goes once through the text.
public struct SearchIndex: Sendable {
  /// Every different word, in order, so that those with the same beginning are
  /// neighbours.
  private let vocabulary: [Word]
  /// The text as places in `vocabulary`.
  private let text: [UInt32]
  /// Where each ayah begins in `text`, and one more: the end.
  private let starts: [UInt32]

  /// Finds and folds every word; some tens of milliseconds, so off the main thread.
  public init(_ edition: Edition) {
    var spellings: [Spelling: UInt32] = [:]
    var words: [Word] = []
    var spelled: [UInt32] = []
    var starts: [UInt32] = [0]
    starts.reserveCapacity(AyahID.count + 1)
    for ayah in AyahID.first...AyahID.last {
      let bytes = edition.bytes(of: ayah)
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

    // Spellings with the same forms (Allah, ALLAH) become one word.
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

  /// Every ayah that the query finds, best first.
  ///
  /// For a query with marks those come first that have all its words with these
  /// marks, then those that have words beginning so. Then, as for a query without
  /// marks, those that have all its words, then those with words beginning so.
  /// Of these, ayahs come first where the words follow each other as in the query,
  /// and otherwise the ayahs stand in the order of the book.
  public func search(_ query: SearchQuery, in scope: ClosedRange<AyahID>? = nil) -> [AyahID] {
    guard let answers = Answers(to: query, in: vocabulary) else { return [] }
    let scope = scope ?? AyahID.first...AyahID.last
    // The last two places of a rank: scattered words, words in a row.
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

/// The bytes of a word in an edition, compared as such.
private struct Spelling: Hashable {
  let bytes: UnsafeRawBufferPointer

  static func == (a: Spelling, b: Spelling) -> Bool {
    a.bytes.count == b.bytes.count && a.bytes.elementsEqual(b.bytes)
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(bytes: bytes)
  }
}
