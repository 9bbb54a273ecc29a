/// Which words of a query each word of a vocabulary answers, and how well.
///
/// Sixteen words of a query share a table. Its entry for a word of the vocabulary
/// has 16 bits for each kind of match, the poorest lowest, with a bit for every
/// word of the query that it answers so well or better: a text answers them all
/// where the entries of its words together have all the bits.
struct Answers {
  private let tables: [[UInt64]]
  /// How many different words the query has.
  private let count: Int
  /// The query, as numbers of its different words.
  private let sequence: [Int]

  /// Nil when a word of the query is answered by none, or the query has none.
  ///
  /// - Parameter vocabulary: in ascending order.
  init?(to query: SearchQuery, in vocabulary: [Word]) {
    guard !query.isEmpty else { return nil }
    var tables: [[UInt64]] = []
    var numbers: [Word: Int] = [:]
    var sequence: [Int] = []
    for wanted in query.words {
      let number = numbers[wanted.word] ?? numbers.count
      sequence.append(number)
      guard numbers.updateValue(number, forKey: wanted.word) == nil else { continue }
      if number % 16 == 0 { tables.append([UInt64](repeating: 0, count: vocabulary.count)) }
      var place = vocabulary.firstPlace(of: wanted.word.folded)
      var isAnswered = false
      while place < vocabulary.count,
        let match = wanted.match(vocabulary[place], marks: query.hasMarks)
      {
        for kind in 0...match.rawValue {
          tables[tables.count - 1][place] |= 1 << (kind * 16 + number % 16)
        }
        isAnswered = true
        place += 1
      }
      guard isAnswered else { return nil }
    }
    self.tables = tables
    self.count = numbers.count
    self.sequence = sequence
  }

  /// How well a text answers the whole query; nil where a word is missing.
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

  /// Whether words in a row answer those of the query, each at least so well.
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
  /// Where the words stand, or would, that begin with that folded beginning.
  fileprivate func firstPlace(of beginning: [UInt8]) -> Int {
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
