/// A table of the words of a vocabulary that match the words of a query, and of the quality of each
/// match.
///
/// One table serves 16 words of the query. Its entry for a word of the vocabulary has 16 bits for
/// each kind of match, the weakest kind in the lowest bits. A bit is set for each word of the query
/// that the vocabulary word matches with this kind or a better one. A text matches the query if the
/// union of the entries of its words has all bits set.
struct MatchTable {
  private let tables: [[UInt64]]
  /// The number of different words in the query.
  private let count: Int
  /// The query as a sequence of indices of its different words.
  private let sequence: [Int]

  /// Returns nil if the query has no words, or has a word that matches no word of the vocabulary.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - vocabulary: Different words in ascending order.
  init?(of query: SearchQuery, in vocabulary: [Word]) {
    guard !query.isEmpty else { return nil }
    var tables: [[UInt64]] = []
    var numbers: [Word: Int] = [:]
    var sequence: [Int] = []
    for term in query.terms {
      let number = numbers[term.word] ?? numbers.count
      sequence.append(number)
      guard numbers.updateValue(number, forKey: term.word) == nil else { continue }
      if number % 16 == 0 { tables.append([UInt64](repeating: 0, count: vocabulary.count)) }
      var index = vocabulary.insertionIndex(of: term.word.folded)
      var hasMatch = false
      while index < vocabulary.count,
        let match = term.match(vocabulary[index], marks: query.hasMarks)
      {
        for kind in 0...match.rawValue {
          tables[tables.count - 1][index] |= 1 << (kind * 16 + number % 16)
        }
        hasMatch = true
        index += 1
      }
      guard hasMatch else { return nil }
    }
    self.tables = tables
    self.count = numbers.count
    self.sequence = sequence
  }

  /// Returns the quality of a text's match with the whole query, or nil if a word of the query is
  /// missing.
  ///
  /// - Parameter text: Indices in the vocabulary.
  func match(_ text: UnsafeBufferPointer<UInt32>) -> SearchQuery.Match? {
    var best = SearchQuery.Match.allCases.count - 1
    for (number, table) in tables.enumerated() {
      var found: UInt64 = 0
      for word in text { found |= table[Int(word)] }
      let all: UInt64 = (1 << min(count - number * 16, 16)) - 1
      while best >= 0, found >> (best * 16) & all != all { best -= 1 }
      if best < 0 { return nil }
    }
    return SearchQuery.Match(rawValue: best)
  }

  /// Whether consecutive words of a text match the words of the query in order, each with at least
  /// the given quality.
  func isPhrase(_ text: UnsafeBufferPointer<UInt32>, _ match: SearchQuery.Match) -> Bool {
    guard sequence.count > 1 else { return true }
    guard text.count >= sequence.count else { return false }
    return (0...text.count - sequence.count).contains { start in
      sequence.indices.allSatisfy { offset in
        let entry = tables[sequence[offset] / 16][Int(text[start + offset])]
        return entry >> (match.rawValue * 16 + sequence[offset] % 16) & 1 == 1
      }
    }
  }
}

extension [Word] {
  /// The index of the first word whose folded form begins with `beginning`, or of the place where
  /// such a word would be inserted.
  fileprivate func insertionIndex(of beginning: [UInt8]) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if self[middle].folded.lexicographicallyPrecedes(beginning) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }
}
