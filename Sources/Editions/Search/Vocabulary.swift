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
      term.isPrefix || words[index].folded.count == prefix.count
    {
      if let match = term.match(words[index], diacritics: diacritics) { body(index, match) }
      index += 1
    }
    index = otherSpellings.firstIndex(notBefore: prefix, \.folded)
    while index < otherSpellings.count, otherSpellings[index].folded.starts(with: prefix),
      term.isPrefix || otherSpellings[index].folded.count == prefix.count
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

  /// How a word differs from a word that was typed; the least difference first.
  struct Difference: Hashable, Comparable {
    /// The number of letters that differ: see `EditDistance`.
    let letters: Int
    /// The same for the accented forms; 0 if the typed word has no diacritics.
    let accented: Int

    static func < (a: Difference, b: Difference) -> Bool {
      (a.letters, a.accented) < (b.letters, b.accented)
    }
  }

  /// Returns the words that are similar to a word: Arabic words that consist of particles and the
  /// word, such as `والكتاب` for `كتاب`, which have no difference; and words that differ by at most
  /// one letter, or by at most two if the word has more than four. For a word with a digit, returns
  /// only the first kind.
  func similar(to word: Word) -> [(index: Int, difference: Difference)] {
    let letters = word.letters
    // A number is not a misspelling of another number.
    let isNumber = letters.contains { $0.properties.numericType != nil }
    let limit = isNumber ? 0 : letters.count > 4 ? 2 : 1
    let outline = LetterOutline(word.folded)
    let accented = word.hasLatinDiacritics ? word.accentedLetters : nil
    return words.indices.compactMap { index in
      let other = words[index]
      if other.isAfterParticles(word) { return (index, Difference(letters: 0, accented: 0)) }
      guard limit > 0, outline.canDiffer(from: LetterOutline(other.folded), by: limit) else {
        return nil
      }
      let distance = EditDistance.between(letters, other.letters)
      guard distance <= limit else { return nil }
      let accents = accented.map { EditDistance.between($0, other.accentedLetters) }
      return (index, Difference(letters: distance, accented: accents ?? 0))
    }
  }
}

/// The number of letters in a word, and an approximate set of its letters. If these differ too
/// much, two words cannot be similar, and their edit distance need not be computed.
private struct LetterOutline {
  private var count = 0
  /// A set of bits. Each letter sets one; several letters can have the same bit.
  private var letters: UInt32 = 0

  /// - Parameter folded: the folded form of a word.
  init(_ folded: [UInt8]) {
    for scalar in String(decoding: folded, as: UTF8.self).unicodeScalars {
      count += 1
      letters |= 1 << (scalar.value & 31)
    }
  }

  /// Whether a word may differ from another one by at most a number of letters. Each letter that is
  /// inserted, deleted or replaced changes at most two bits.
  func canDiffer(from other: LetterOutline, by limit: Int) -> Bool {
    abs(count - other.count) <= limit && (letters ^ other.letters).nonzeroBitCount <= 2 * limit
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
  fileprivate var letters: [Unicode.Scalar] { Self.scalars(of: folded) }
  /// The scalars of the accented form.
  fileprivate var accentedLetters: [Unicode.Scalar] { Self.scalars(of: accented) }

  private static func scalars(of utf8: [UInt8]) -> [Unicode.Scalar] {
    Array(String(decoding: utf8, as: UTF8.self).unicodeScalars)
  }
}
