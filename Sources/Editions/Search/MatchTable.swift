/// A table of the words of a vocabulary that match the words of a query, and of the quality of each
/// match.
///
/// One table serves 16 words of the query. Its entry for a word of the vocabulary has 16 bits for
/// each kind of match, the weakest kind in the lowest bits. A bit is set for each word of the query
/// that the vocabulary word matches with this kind or a better one.
struct MatchTable {
  /// Indices of distinct words of the query.
  private typealias Phrase = [Int]

  /// The tables one after the other, each with an entry for every word of the vocabulary.
  private let entries: [UInt64]
  /// The number of words of the vocabulary.
  private let wordCount: Int
  /// For each table, the bits without which no text matches.
  private let required: [UInt64]
  private let clauses: [[Phrase]]
  private let excluded: [(phrase: Phrase, match: SearchQuery.Match)]
  /// The query as one phrase; nil if it is not a phrase, has a single word, or has a word without a
  /// match.
  private let whole: Phrase?

  /// Returns nil if the query is empty, or has a word that matches no word of the vocabulary and
  /// has no alternative.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - vocabulary: The distinct words of the texts.
  init?(of query: SearchQuery, in vocabulary: Vocabulary) {
    guard !query.isEmpty else { return nil }
    let wordCount = vocabulary.words.count
    var entries: [UInt64] = []
    /// The number of each word of the query that was looked up, with and without comparing
    /// diacritics; nil if it matches nothing.
    var numbers: [Bool: [SearchQuery.QueryTerm: Int?]] = [:]
    var count = 0

    func number(of term: SearchQuery.QueryTerm, comparesDiacritics: Bool) -> Int? {
      if let known = numbers[comparesDiacritics]?[term] { return known }
      var hasMatch = false
      vocabulary.forEachMatch(of: term, diacritics: comparesDiacritics) { index, match in
        if !hasMatch, count % 16 == 0 {
          entries.append(contentsOf: repeatElement(0, count: wordCount))
        }
        hasMatch = true
        for kind in 0..<match.rawValue {
          entries[count / 16 * wordCount + index] |= 1 << (kind * 16 + count % 16)
        }
      }
      numbers[comparesDiacritics, default: [:]][term] = .some(hasMatch ? count : nil)
      if hasMatch { count += 1 }
      return hasMatch ? count - 1 : nil
    }

    func indices(of phrase: SearchQuery.Phrase, comparesDiacritics: Bool) -> Phrase? {
      let found = phrase.terms.map { number(of: $0, comparesDiacritics: comparesDiacritics) }
      return found.contains(nil) ? nil : found.compactMap(\.self)
    }

    clauses = query.clauses.map {
      $0.alternatives.compactMap { indices(of: $0, comparesDiacritics: query.hasDiacritics) }
    }
    excluded = query.excluded.compactMap { phrase in
      let hasDiacritics = phrase.terms.contains { $0.word.hasDiacritics }
      return indices(of: phrase, comparesDiacritics: hasDiacritics).map {
        ($0, hasDiacritics ? SearchQuery.Match.accented : .folded)
      }
    }
    whole = query.wholePhrase.flatMap {
      $0.terms.count > 1 ? indices(of: $0, comparesDiacritics: query.hasDiacritics) : nil
    }
    self.entries = entries
    self.wordCount = wordCount
    var required = [UInt64](repeating: 0, count: entries.count / max(wordCount, 1))
    for clause in clauses where clause.count == 1 {
      for term in clause[0] { required[term / 16] |= 1 << (term % 16) }
    }
    self.required = required
    guard !clauses.contains(where: \.isEmpty) else { return nil }
  }

  /// Calls a function with each text that matches the query, the quality of its match, and whether
  /// the words of the query follow each other in the text.
  ///
  /// - Parameters:
  ///   - words: The words of all texts, as indices in the vocabulary.
  ///   - starts: The positions at which the texts begin in `words`, and the end of the last one.
  ///   - isSearched: Whether the text at a position is searched; nil if all texts are.
  func forEachMatch(
    in words: WordNumbers, _ starts: [UInt32], where isSearched: ((Int) -> Bool)?,
    _ body: (_ text: Int, _ match: SearchQuery.Match, _ isPhrase: Bool) -> Void
  ) {
    if words.long.isEmpty {
      words.short.withUnsafeBufferPointer { forEachMatch(in: $0, starts, where: isSearched, body) }
    } else {
      words.long.withUnsafeBufferPointer { forEachMatch(in: $0, starts, where: isSearched, body) }
    }
  }

  private func forEachMatch<Number: FixedWidthInteger>(
    in words: UnsafeBufferPointer<Number>, _ starts: [UInt32], where isSearched: ((Int) -> Bool)?,
    _ body: (_ text: Int, _ match: SearchQuery.Match, _ isPhrase: Bool) -> Void
  ) {
    var found = [UInt64](repeating: 0, count: required.count)
    // Most of the time of a search is spent here: every word of every text is looked up.
    entries.withUnsafeBufferPointer { entries in
      for position in 0..<starts.count - 1 {
        if let isSearched, !isSearched(position) { continue }
        let text = UnsafeBufferPointer(
          rebasing: words[Int(starts[position])..<Int(starts[position + 1])])
        var hasRequired = true
        for table in required.indices {
          var union: UInt64 = 0
          for word in text { union |= entries[table * wordCount + Int(word)] }
          found[table] = union
          hasRequired = hasRequired && union & required[table] == required[table]
        }
        guard hasRequired, let (match, isPhrase) = match(text, found) else { continue }
        body(position, match, isPhrase)
      }
    }
  }

  /// Returns the quality of a text's match with the whole query, and whether the words of the query
  /// follow each other in the text; nil if the text does not match.
  ///
  /// - Parameters:
  ///   - text: Indices in the vocabulary.
  ///   - found: For each table, the bits of all words of the text.
  private func match<Number: FixedWidthInteger>(
    _ text: UnsafeBufferPointer<Number>, _ found: [UInt64]
  ) -> (match: SearchQuery.Match, isPhrase: Bool)? {
    guard let match = best(text, found) else { return nil }
    for (phrase, match) in excluded where has(phrase, match, text, found) { return nil }
    return (match, whole.map { has($0, match, text, found) } ?? true)
  }

  private func best<Number: FixedWidthInteger>(
    _ text: UnsafeBufferPointer<Number>, _ found: [UInt64]
  ) -> SearchQuery.Match? {
    SearchQuery.Match.allCases.dropFirst().last { match in
      clauses.allSatisfy { clause in clause.contains { has($0, match, text, found) } }
    }
  }

  /// Whether a text has a phrase, each word with at least the given quality.
  private func has<Number: FixedWidthInteger>(
    _ phrase: Phrase, _ match: SearchQuery.Match, _ text: UnsafeBufferPointer<Number>,
    _ found: [UInt64]
  ) -> Bool {
    let shift = (match.rawValue - 1) * 16
    for term in phrase where found[term / 16] >> (shift + term % 16) & 1 == 0 { return false }
    guard phrase.count > 1 else { return true }
    guard text.count >= phrase.count else { return false }
    return (0...text.count - phrase.count).contains { start in
      phrase.indices.allSatisfy { offset in
        let term = phrase[offset]
        return entries[term / 16 * wordCount + Int(text[start + offset])] >> (shift + term % 16) & 1
          == 1
      }
    }
  }
}
