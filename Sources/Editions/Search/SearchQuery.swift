import Text

/// A search query, prepared for matching.
///
///     let query = SearchQuery("dang rat muc")
///     query.matches(in: "Đấng Rất Mực Nhân Từ")   // Đấng, Rất, Mực
///
/// A text matches if it has all words of the query, as whole words and in any order. The last word
/// may also be the beginning of a word, as long as no space follows it. Words in double quotes must
/// follow each other. `a|b` stands for either of the two, and `-a` excludes texts with the word.
/// All characters except letters, marks, digits, apostrophes and joiners separate words. A footnote
/// mark such as `[1]` is not a word, so that a text can be pasted with its marks. A name stands for
/// its other forms as well: see `OtherNames`.
public struct SearchQuery: Sendable, Hashable {
  /// The query as the user typed it.
  public let text: String
  /// Whether the user has finished typing, so that the last word is a whole word.
  public let isComplete: Bool
  /// The clauses, all of which must match.
  let clauses: [Clause]
  /// The phrases, none of which may match.
  let excluded: [Phrase]
  /// Whether the query has diacritics, so that words with these diacritics are preferred.
  let hasDiacritics: Bool
  /// Whether the query has diacritics on letters that are not Arabic.
  let hasLatinDiacritics: Bool

  /// A part of a query that matches if one of its phrases does.
  struct Clause: Hashable, Sendable {
    var alternatives: [Phrase]
  }

  /// Words that follow each other; often a single one.
  struct Phrase: Hashable, Sendable {
    var terms: [QueryTerm]
  }

  /// Creates a query from the text that the user typed.
  ///
  /// - Parameter isComplete: Whether the user has finished typing, so that the last word is a whole
  ///   word.
  public init(_ text: String, isComplete: Bool = false) {
    self.text = text
    self.isComplete = isComplete
    let parsed = QueryParser(text, isComplete: isComplete)
    (clauses, excluded) = (parsed.clauses, parsed.excluded)
    let typed = clauses.flatMap(\.alternatives).flatMap(\.terms).filter { !$0.isOtherName }
    hasDiacritics = typed.contains(where: \.word.hasDiacritics)
    hasLatinDiacritics = typed.contains(where: \.word.hasLatinDiacritics)
  }

  /// Whether the query has no words to look for.
  public var isEmpty: Bool { clauses.isEmpty }

  /// Whether the query has nothing but words to exclude.
  public var onlyExcludes: Bool { clauses.isEmpty && !excluded.isEmpty }

  /// The query as one phrase; nil if it has quotes, alternatives or other names.
  var wholePhrase: Phrase? {
    guard clauses.allSatisfy({ $0.alternatives.count == 1 && $0.alternatives[0].terms.count == 1 })
    else { return nil }
    return Phrase(terms: clauses.map { $0.alternatives[0].terms[0] })
  }

  // MARK: Matches in a text

  /// Returns the parts of a text that the query matches, in order and without overlaps; none if the
  /// query as a whole does not match. For a phrase, this is the part from its first to its last
  /// word.
  ///
  /// The ranges begin and end at boundaries of grapheme clusters. If the text has a match with
  /// exactly the diacritics of a phrase, matches with other diacritics are not included.
  ///
  /// - Parameters:
  ///   - text: The text of an ayah or a note.
  ///   - isEdition: Whether marks such as `[1]` are not words of the text. False for a note.
  public func matches(in text: String, isEdition: Bool = true) -> [Range<String.Index>] {
    guard !isEmpty else { return [] }
    var text = text
    let ranges = text.withUTF8 {
      self.ranges(in: UnsafeRawBufferPointer($0), isEdition: isEdition)
    }
    var matches: [Range<String.Index>] = []
    for range in ranges {
      let start = text.characterBoundary(at: range.lowerBound, step: -1)
      let end = text.characterBoundary(at: range.upperBound, step: 1)
      if let last = matches.last, last.upperBound > start {
        matches[matches.count - 1] = last.lowerBound..<max(last.upperBound, end)
      } else {
        matches.append(start..<end)
      }
    }
    return matches
  }

  private func ranges(in bytes: UnsafeRawBufferPointer, isEdition: Bool) -> [Range<Int>] {
    let words = words(in: bytes, isEdition: isEdition)
    let isExcluded = excluded.contains { phrase in
      let hasDiacritics = phrase.terms.contains { $0.word.hasDiacritics }
      return occurrences(of: phrase, in: words, bytes, diacritics: hasDiacritics)
        .contains { $0.quality >= (hasDiacritics ? .accented : .folded) }
    }
    guard !isExcluded else { return [] }
    var ranges: [Range<Int>] = []
    for clause in clauses {
      let count = ranges.count
      for phrase in clause.alternatives {
        let found = occurrences(of: phrase, in: words, bytes, diacritics: hasDiacritics)
        let hasExact = hasDiacritics && found.contains { $0.quality >= .accentedStart }
        ranges += found.filter { !hasExact || $0.quality >= .accentedStart }.map(\.range)
      }
      guard ranges.count > count else { return [] }
    }
    return ranges.sorted { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }
  }

  /// A word of a text, and its range in bytes. `word` is nil if no word of the query matches it.
  private typealias TextWord = (word: Word?, range: Range<Int>)

  private func words(in bytes: UnsafeRawBufferPointer, isEdition: Bool) -> [TextWord] {
    let phrases = clauses.flatMap(\.alternatives) + excluded
    let wanted = phrases.flatMap(\.terms).map(\.word.folded)
    var words: [TextWord] = []
    var scanner = WordScanner(bytes, isEdition: isEdition)
    while let range = scanner.next() {
      let spelling = UnsafeRawBufferPointer(rebasing: bytes[range])
      let folded = Word.folded(spelling)
      guard !folded.isEmpty else { continue }
      // Only these words are worth the slow comparison of diacritics and spellings.
      let mayMatch =
        ArabicSpelling.isArabic(spelling) || wanted.contains { folded.starts(with: $0) }
      words.append((mayMatch ? Word(spelling, folded: folded) : nil, range))
    }
    return words
  }

  /// Returns the places of a phrase in a text, as ranges in bytes.
  private func occurrences(
    of phrase: Phrase, in words: [TextWord], _ bytes: UnsafeRawBufferPointer, diacritics: Bool
  ) -> [(quality: Match, range: Range<Int>)] {
    guard words.count >= phrase.terms.count else { return [] }
    return (0...words.count - phrase.terms.count).compactMap { start in
      var quality = Match.accented
      for (term, candidate) in zip(phrase.terms, words[start...]) {
        let match = candidate.word.flatMap { term.match($0, diacritics: diacritics) }
        quality = min(quality, match ?? .none)
        if quality == .none { return nil }
      }
      let (first, last) = (words[start], words[start + phrase.terms.count - 1])
      let spelling = UnsafeRawBufferPointer(rebasing: bytes[last.range])
      let wanted = phrase.terms[phrase.terms.count - 1].word.folded
      // If the query has the beginning of a word, only this beginning; if the word matches in
      // another spelling, the whole word.
      let end =
        last.word?.folded.starts(with: wanted) == true
        ? spelling.range(folding: wanted.count).upperBound : spelling.count
      let lead = UnsafeRawBufferPointer(rebasing: bytes[first.range]).range(folding: 1)
      return (quality, first.range.lowerBound + lead.lowerBound..<last.range.lowerBound + end)
    }
  }
}

extension SearchQuery {
  /// The quality of a match of a word, or of a text with the whole query. Equal diacritics count
  /// more than a match of the whole word.
  enum Match: Int, CaseIterable, Comparable {
    case none, foldedStart, folded, accentedStart, accented

    static func < (one: Match, other: Match) -> Bool { one.rawValue < other.rawValue }
  }

  /// One word of a query.
  struct QueryTerm: Hashable, Sendable {
    let word: Word
    /// Whether words that begin with `word` match as well.
    let isPrefix: Bool
    /// Whether `word` is another form of a name in the query. Its diacritics are not compared.
    let isOtherName: Bool
    /// The prefixes by which a longer word has the same diacritics: the word itself, and for `hò`
    /// also `hoà`, the form in which `hòa` is compared.
    private let prefixes: [[UInt8]]

    init(_ word: Word, isPrefix: Bool, isOtherName: Bool = false) {
      self.word = word
      self.isPrefix = isPrefix
      self.isOtherName = isOtherName
      let accented = String(decoding: word.accented, as: UTF8.self)
      let longer =
        word.hasDiacritics && isPrefix
        ? ["a", "e", "y"].map { Array((accented + $0).caseFoldedNFC.utf8) } : []
      prefixes = [word.accented] + longer.filter { !$0.starts(with: word.accented) }
    }

    /// Returns the quality of the match with a word of a text; nil if the word does not match.
    ///
    /// - Parameter diacritics: Whether words with the same diacritics are better matches.
    func match(_ other: Word, diacritics: Bool) -> Match? {
      guard let isWhole = isWhole(in: other) else { return nil }
      if isOtherName { return diacritics ? .accented : .folded }
      if diacritics, other.accented == word.accented { return .accented }
      if diacritics, isPrefix, prefixes.contains(where: { other.accented.starts(with: $0) }) {
        return .accentedStart
      }
      return isWhole ? .folded : .foldedStart
    }

    /// Returns true if the folded word equals a word of a text in one of its spellings, false if it
    /// is only the beginning of one and `isPrefix` is true, and nil if it does not match.
    private func isWhole(in other: Word) -> Bool? {
      func isWhole(_ spelling: [UInt8]) -> Bool? {
        guard spelling.starts(with: word.folded) else { return nil }
        let isWhole = spelling.count == word.folded.count
        return isWhole || isPrefix ? isWhole : nil
      }
      if other.otherSpellings.isEmpty { return isWhole(other.folded) }
      let found = ([other.folded] + other.otherSpellings).compactMap(isWhole)
      return found.isEmpty ? nil : found.contains(true)
    }
  }
}

extension UnsafeRawBufferPointer {
  /// The range of a word from its first letter to the scalar that produces byte `count` of its
  /// folded form.
  fileprivate func range(folding count: Int) -> Range<Int> {
    var folded: [UInt8] = []
    var start: Int?
    var end = 0
    forEachScalar { scalar, range in
      guard folded.count < count else { return }
      scalar.appendFolded(to: &folded)
      if !folded.isEmpty { start = start ?? range.lowerBound }
      end = range.upperBound
    }
    return (start ?? 0)..<end
  }
}

extension String {
  /// The nearest boundary of grapheme clusters at a UTF-8 offset, or beyond it in the direction of
  /// `step`.
  fileprivate func characterBoundary(at offset: Int, step: Int) -> Index {
    var offset = offset
    while true {
      let index = utf8.index(utf8.startIndex, offsetBy: offset)
      if index == startIndex || index == endIndex { return index }
      if let boundary = Index(index, within: self) { return boundary }
      offset += step
    }
  }
}
