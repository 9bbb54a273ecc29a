/// The distinct words of a set of texts.
struct Vocabulary: Sendable {
  /// The words in ascending order, so that words with the same folded prefix are adjacent.
  let words: [Word]
  /// The other spellings of Arabic words, in ascending order, with the indices of the words.
  private let otherSpellings: [(folded: [UInt8], word: Int)]

  /// Creates the vocabulary of the words of texts.
  ///
  /// - Parameter words: Words, some of which may be equal.
  /// - Returns: The vocabulary, and the index in it of each of the given words.
  static func sorting(_ words: [Word]) -> (Vocabulary, indices: [UInt32]) {
    var indices = [UInt32](repeating: 0, count: words.count)
    var distinct: [Word] = []
    for (word, index) in zip(words, words.indices).sorted(by: { $0.0 < $1.0 }) {
      // Spellings with the same forms, such as Allah and ALLAH, are one word.
      if distinct.last != word { distinct.append(word) }
      indices[index] = UInt32(distinct.count - 1)
    }
    return (Vocabulary(sorted: distinct), indices)
  }

  private init(sorted words: [Word]) {
    self.words = words
    otherSpellings = words.indices.flatMap { index in
      words[index].otherSpellings.map { (folded: $0, word: index) }
    }.sorted { $0.folded.lexicographicallyPrecedes($1.folded) }
  }

  /// Calls `body` with the index of each word that matches a word of a query, and with the quality
  /// of the match. A word with several spellings may be passed more than once.
  ///
  /// - Parameter diacritics: Whether words with the same diacritics are better matches.
  func forEachMatch(
    of term: SearchQuery.QueryTerm, diacritics: Bool, _ body: (Int, SearchQuery.Match) -> Void
  ) {
    let prefix = term.word.folded
    var index = words.firstIndex(notBefore: prefix, \.folded)
    while index < words.count, words[index].folded.starts(with: prefix),
      term.isBeginning || words[index].folded.count == prefix.count
    {
      if let match = term.match(words[index], diacritics: diacritics) { body(index, match) }
      index += 1
    }
    index = otherSpellings.firstIndex(notBefore: prefix, \.folded)
    while index < otherSpellings.count, otherSpellings[index].folded.starts(with: prefix),
      term.isBeginning || otherSpellings[index].folded.count == prefix.count
    {
      let word = otherSpellings[index].word
      if let match = term.match(words[word], diacritics: diacritics) { body(word, match) }
      index += 1
    }
  }

  /// Whether any word matches a word of a query.
  func hasMatch(_ term: SearchQuery.QueryTerm, diacritics: Bool) -> Bool {
    var isFound = false
    forEachMatch(of: term, diacritics: diacritics) { _, _ in isFound = true }
    return isFound
  }

  /// Returns the indices of the Arabic words that are a word with particles before it, such as
  /// `والكتاب` for `كتاب`. If there are none, those of the words that differ least from it: by at most one letter, or by
  /// at most two if the word has more than four.
  func nearest(to word: Word) -> Set<Int> {
    let withParticles = words.indices.filter { words[$0].isAfterParticles(word) }
    guard withParticles.isEmpty else { return Set(withParticles) }
    let letters = word.letters
    // A number is not a misspelling of another number.
    guard !letters.contains(where: { $0.properties.numericType != nil }) else { return [] }
    let limit = letters.count > 4 ? 2 : 1
    let distances = words.indices.compactMap { index -> (index: Int, distance: Int)? in
      let other = words[index].letters
      guard abs(other.count - letters.count) <= limit else { return nil }
      let distance = EditDistance.between(letters, other)
      return distance <= limit ? (index, distance) : nil
    }
    let least = distances.map(\.distance).min()
    return Set(distances.filter { $0.distance == least }.map(\.index))
  }
}

extension Array {
  /// The index of the first element whose key is not less than `key`, in an array in ascending
  /// order of the keys.
  fileprivate func firstIndex(notBefore key: [UInt8], _ ofElement: (Element) -> [UInt8]) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if ofElement(self[middle]).lexicographicallyPrecedes(key) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }
}

extension Word {
  /// The scalars of the folded form, so that a distance counts letters, not bytes of UTF-8.
  fileprivate var letters: [Unicode.Scalar] {
    Array(String(decoding: folded, as: UTF8.self).unicodeScalars)
  }
}
