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
  private let words: [UInt32]
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
    var bytes: [UInt8] = []
    bytes.reserveCapacity(texts.reduce(0) { $0 + $1.utf8.count })
    var ends = [0]
    for text in texts {
      bytes += text.utf8
      ends.append(bytes.count)
    }
    self = bytes.withUnsafeBytes { bytes in
      TextIndex(count: texts.count) { position in
        UnsafeRawBufferPointer(rebasing: bytes[ends[position]..<ends[position + 1]])
      }
    }
  }

  /// Creates the index of texts that are given as UTF-8.
  ///
  /// - Parameters:
  ///   - count: The number of texts.
  ///   - text: Returns the UTF-8 of a text. It must be valid until the index is created.
  init(count: Int, text: (Int) -> UnsafeRawBufferPointer) {
    var indexOfWord: [WordBytes: UInt32] = [:]
    var distinct: [Word] = []
    var wordIndices: [UInt32] = []
    var starts: [UInt32] = [0]
    starts.reserveCapacity(count + 1)
    for position in 0..<count {
      let bytes = text(position)
      var scanner = WordScanner(bytes)
      while let range = scanner.next() {
        let wordBytes = WordBytes(bytes: UnsafeRawBufferPointer(rebasing: bytes[range]))
        if let known = indexOfWord[wordBytes] {
          wordIndices.append(known)
          continue
        }
        let word = Word(wordBytes.bytes)
        guard !word.folded.isEmpty else { continue }
        indexOfWord[wordBytes] = UInt32(distinct.count)
        wordIndices.append(UInt32(distinct.count))
        distinct.append(word)
      }
      starts.append(UInt32(wordIndices.count))
    }
    let (vocabulary, indices) = Vocabulary.sorting(distinct)
    self.vocabulary = vocabulary
    self.words = wordIndices.map { indices[Int($0)] }
    self.starts = starts
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
  ///   - isSearched: Whether the text at a position is searched.
  public func search(
    _ query: SearchQuery, where isSearched: (Int) -> Bool = { _ in true }
  ) -> Hits {
    guard let table = MatchTable(of: query, in: vocabulary) else { return Hits() }
    // Two ranks for each kind of match: words in any position, and consecutive words.
    var ranks = [[Int]](repeating: [], count: SearchQuery.Match.allCases.count * 2)
    var found = [UInt64](repeating: 0, count: table.count)
    words.withUnsafeBufferPointer { words in
      for position in 0..<starts.count - 1 where isSearched(position) {
        let range = Int(starts[position])..<Int(starts[position + 1])
        let text = UnsafeBufferPointer(rebasing: words[range])
        guard let (match, isPhrase) = table.match(text, &found) else { continue }
        ranks[match.rawValue * 2 + (isPhrase ? 1 : 0)].append(position)
      }
    }
    let exactRanks = ranks[(SearchQuery.Match.accentedStart.rawValue * 2)...]
    let exact = exactRanks.reduce(0) { $0 + $1.count }
    return Hits(
      positions: Array(ranks.reversed().joined()),
      exactCount: query.hasLatinDiacritics ? exact : nil)
  }

  /// Returns a corrected query: each word that does not occur in the texts is replaced by a similar
  /// word that does. Nil if no word is replaced, if a word has no similar word, or if the query
  /// excludes words or contains quotation marks.
  public func suggestion(for query: SearchQuery) -> String? {
    // The suggestion is a plain list of words, which cannot express these.
    guard query.excluded.isEmpty, !query.text.contains("\"") else { return nil }
    var suggested: [String] = []
    var isChanged = false
    for clause in query.clauses {
      guard let phrase = clause.alternatives.first else { continue }
      for term in phrase.terms {
        if clause.alternatives.count > 1
          || vocabulary.hasMatch(term, diacritics: query.hasDiacritics)
        {
          suggested.append(String(decoding: term.word.accented, as: UTF8.self))
        } else if let similar = similar(to: term.word) {
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

  /// Returns the most frequent of the nearest words. They differ from the word by at most one
  /// letter, or at most two if the word has more than four letters.
  private func similar(to word: Word) -> Word? {
    let nearest = vocabulary.nearest(to: word)
    guard !nearest.isEmpty else { return nil }
    var counts: [Int: Int] = [:]
    for word in words where nearest.contains(Int(word)) { counts[Int(word), default: 0] += 1 }
    return counts.max { ($0.value, $1.key) < ($1.value, $0.key) }.map { vocabulary.words[$0.key] }
  }
}

/// The bytes of a word in a text, compared byte by byte.
private struct WordBytes: Hashable {
  let bytes: UnsafeRawBufferPointer

  static func == (a: WordBytes, b: WordBytes) -> Bool {
    a.bytes.count == b.bytes.count && a.bytes.elementsEqual(b.bytes)
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(bytes: bytes)
  }
}
