/// An index of texts, for searching as the user types.
///
///     let index = TextIndex(["Nhân danh Allah", "Đấng Rất Mực Nhân Từ"])
///     index.search(SearchQuery("danh")).positions   // [0]
///
/// Even a large set of texts has only a few thousand distinct words. A search first matches every
/// distinct word with the query, then scans the texts once.
public struct TextIndex: Sendable {
  private let vocabulary: Vocabulary
  /// The texts as indices in the vocabulary.
  private let words: WordNumbers
  /// The positions at which the texts begin in `words`, and the end of the last one.
  private let starts: [UInt32]

  /// The texts that match a query.
  public struct Hits: Sendable, Hashable {
    /// The zero-based positions of the texts, the best matches first.
    public var positions: [Int] = []
    /// The number of texts that contain the diacritics of the query exactly. They are at the
    /// beginning of `positions`. Nil if the query has no diacritics, or only those of Arabic
    /// letters.
    public var exactCount: Int?
  }

  /// Creates the index of texts. This takes tens of milliseconds for each megabyte, so do not do it
  /// on the main thread.
  public init(_ texts: [String]) {
    var builder = Builder()
    for text in texts { builder.add(text) }
    self = builder.finish()
  }

  /// Builds an index of texts that are added one at a time, and does not keep them.
  public struct Builder {
    private var spellings = SpellingTable()
    /// The words of the spellings that have letters. Several spellings can have equal words.
    private var wordsOfSpellings: [Word] = []
    /// For each spelling, the index of its word in `wordsOfSpellings`; nil if it has no letters.
    private var wordIndices: [Int?] = []
    private var words = WordNumbers()
    private var starts: [UInt32] = [0]

    public init() {}

    public mutating func add(_ text: String) {
      var text = text
      text.withUTF8 { add(UnsafeRawBufferPointer($0), isEdition: false) }
    }

    /// - Parameters:
    ///   - text: UTF-8.
    ///   - isEdition: Whether marks such as `[1]` are not words of the text.
    mutating func add(_ text: UnsafeRawBufferPointer, isEdition: Bool) {
      var scanner = WordScanner(text, isEdition: isEdition)
      while let range = scanner.next() {
        let spelling = UnsafeRawBufferPointer(rebasing: text[range])
        let (number, isNew) = spellings.number(of: spelling)
        if isNew {
          let word = Word(spelling)
          wordIndices.append(word.folded.isEmpty ? nil : wordsOfSpellings.count)
          if !word.folded.isEmpty { wordsOfSpellings.append(word) }
        }
        if let index = wordIndices[number] { words.append(index) }
      }
      starts.append(UInt32(words.count))
    }

    /// Returns the index of the texts that were added.
    public consuming func finish() -> TextIndex {
      let (vocabulary, indices) = Vocabulary.sorting(wordsOfSpellings)
      words.replaceAll(by: indices)
      return TextIndex(vocabulary: vocabulary, words: words, starts: starts)
    }
  }

  private init(vocabulary: Vocabulary, words: WordNumbers, starts: [UInt32]) {
    (self.vocabulary, self.words, self.starts) = (vocabulary, words, starts)
  }

  /// Returns all texts that match the query, the best matches first.
  ///
  /// For a query with diacritics, the order is: texts that have all its words with the same
  /// diacritics; texts that have a word beginning with the last word of the query, with the same
  /// diacritics; then, as for a query without diacritics, texts that have all its words; and texts
  /// in which the last word is only a beginning. Within each of these groups, texts that have the
  /// words in the order of the query without gaps come first, and otherwise texts are in their own
  /// order.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - isSearched: Whether the text at a position is searched; nil if all texts are.
  public func search(_ query: SearchQuery, where isSearched: ((Int) -> Bool)? = nil) -> Hits {
    guard let table = MatchTable(of: query, in: vocabulary) else { return Hits() }
    // Two ranks for each kind of match: words in any position, and consecutive words.
    var ranks = [[Int]](repeating: [], count: SearchQuery.Match.allCases.count * 2)
    table.forEachMatch(in: words, starts, where: isSearched) { position, match, isPhrase in
      ranks[match.rawValue * 2 + (isPhrase ? 1 : 0)].append(position)
    }
    let exactRanks = ranks[(SearchQuery.Match.accentedStart.rawValue * 2)...]
    let exact = exactRanks.reduce(0) { $0 + $1.count }
    return Hits(
      positions: Array(ranks.reversed().joined()),
      exactCount: query.hasLatinDiacritics ? exact : nil)
  }

  /// Returns a corrected query: each word that does not occur in the texts is replaced by a similar
  /// word of the texts that are searched. Nil if no word is replaced, if a word has no similar
  /// word, or if the query has exclusions, alternatives or quotation marks.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - isSearched: Whether the text at a position is searched; nil if all texts are.
  public func suggestion(
    for query: SearchQuery, where isSearched: ((Int) -> Bool)? = nil
  ) -> String? {
    // The suggestion is a plain list of words, which cannot express these.
    guard query.excluded.isEmpty, !query.text.contains(where: { "\"|".contains($0) }) else {
      return nil
    }
    var suggested: [String] = []
    var isChanged = false
    for clause in query.clauses {
      guard let phrase = clause.alternatives.first else { continue }
      for term in phrase.terms {
        if clause.alternatives.count > 1
          || vocabulary.hasMatch(term, diacritics: query.hasDiacritics)
        {
          suggested.append(String(decoding: term.word.accented, as: UTF8.self))
        } else if let similar = similar(to: term.word, where: isSearched) {
          let spelling = query.hasDiacritics ? similar.accented : similar.folded
          suggested.append(String(decoding: spelling, as: UTF8.self))
          isChanged = true
        } else {
          return nil
        }
      }
    }
    return isChanged ? suggested.joined(separator: " ") : nil
  }

  /// Returns the word of the texts that are searched that differs least from a word: see
  /// `Vocabulary.similar`. Among equals, the most frequent one.
  private func similar(to word: Word, where isSearched: ((Int) -> Bool)?) -> Word? {
    let similar = vocabulary.similar(to: word)
    guard !similar.isEmpty else { return nil }
    var counts = [Int](repeating: 0, count: vocabulary.words.count)
    if let isSearched {
      for text in 0..<starts.count - 1 where isSearched(text) {
        words.eachNumber(in: Int(starts[text])..<Int(starts[text + 1])) { counts[$0] += 1 }
      }
    } else {
      words.eachNumber(in: 0..<words.count) { counts[$0] += 1 }
    }
    return similar.filter { counts[$0.index] > 0 }.min {
      ($0.difference, counts[$1.index], $0.index) < ($1.difference, counts[$0.index], $1.index)
    }.map { vocabulary.words[$0.index] }
  }
}
