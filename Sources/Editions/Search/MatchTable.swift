/// A table of the words of a vocabulary that match the words of a query, and of the quality of each
/// match.
///
/// One table serves 16 words of the query. Its entry for a word of the vocabulary has 16 bits for
/// each kind of match, the weakest kind in the lowest bits. A bit is set for each word of the query
/// that the vocabulary word matches with this kind or a better one.
struct MatchTable {
  /// Indices of distinct words of the query.
  private typealias Phrase = [Int]

  private let tables: [[UInt64]]
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
    var tables: [[UInt64]] = []
    /// The number of each word of the query that was looked up; nil if it matches nothing.
    var numbers: [SearchQuery.QueryTerm: Int?] = [:]
    var count = 0

    func number(of term: SearchQuery.QueryTerm) -> Int? {
      if let known = numbers[term] { return known }
      var hasMatch = false
      let comparesDiacritics = query.hasDiacritics || term.word.hasDiacritics
      vocabulary.forEachMatch(of: term, diacritics: comparesDiacritics) { index, match in
        if !hasMatch, count % 16 == 0 {
          tables.append([UInt64](repeating: 0, count: vocabulary.words.count))
        }
        hasMatch = true
        for kind in 0..<match.rawValue {
          tables[tables.count - 1][index] |= 1 << (kind * 16 + count % 16)
        }
      }
      numbers[term] = .some(hasMatch ? count : nil)
      if hasMatch { count += 1 }
      return hasMatch ? count - 1 : nil
    }

    func indices(of phrase: SearchQuery.Phrase) -> Phrase? {
      let found = phrase.terms.map { number(of: $0) }
      return found.contains(nil) ? nil : found.compactMap(\.self)
    }

    clauses = query.clauses.map { $0.alternatives.compactMap { indices(of: $0) } }
    excluded = query.excluded.compactMap { phrase in
      indices(of: phrase).map {
        ($0, phrase.terms.contains { $0.word.hasDiacritics } ? SearchQuery.Match.accented : .folded)
      }
    }
    whole = query.wholePhrase.flatMap { $0.terms.count > 1 ? indices(of: $0) : nil }
    self.tables = tables
    guard !clauses.contains(where: \.isEmpty) else { return nil }
  }

  /// Returns the quality of a text's match with the whole query, and whether the words of the query
  /// follow each other in the text; nil if the text does not match.
  ///
  /// - Parameters:
  ///   - text: Indices in the vocabulary.
  ///   - found: Memory for one number per table, which is overwritten.
  func match(
    _ text: UnsafeBufferPointer<UInt32>, _ found: inout [UInt64]
  ) -> (match: SearchQuery.Match, isPhrase: Bool)? {
    for (number, table) in tables.enumerated() {
      var union: UInt64 = 0
      for word in text { union |= table[Int(word)] }
      found[number] = union
    }
    guard let match = best(text, found) else { return nil }
    for (phrase, match) in excluded where has(phrase, match, text, found) { return nil }
    return (match, whole.map { has($0, match, text, found) } ?? true)
  }

  /// The number of tables.
  var count: Int { tables.count }

  private func best(
    _ text: UnsafeBufferPointer<UInt32>, _ found: [UInt64]
  ) -> SearchQuery.Match? {
    SearchQuery.Match.allCases.dropFirst().last { match in
      clauses.allSatisfy { clause in clause.contains { has($0, match, text, found) } }
    }
  }

  /// Whether a text has a phrase, each word with at least the given quality.
  private func has(
    _ phrase: Phrase, _ match: SearchQuery.Match, _ text: UnsafeBufferPointer<UInt32>,
    _ found: [UInt64]
  ) -> Bool {
    let shift = (match.rawValue - 1) * 16
    for term in phrase where found[term / 16] >> (shift + term % 16) & 1 == 0 { return false }
    guard phrase.count > 1 else { return true }
    guard text.count >= phrase.count else { return false }
    return (0...text.count - phrase.count).contains { start in
      phrase.indices.allSatisfy { offset in
        let term = phrase[offset]
        return tables[term / 16][Int(text[start + offset])] >> (shift + term % 16) & 1 == 1
      }
    }
  }
}
