import Text

/// A search query, prepared for matching.
///
///     let query = SearchQuery("dang rat muc")
///     query.matches(in: "Đấng Rất Mực Nhân Từ")   // Đấng, Rất, Mực
///
/// Each word of the query must be a prefix of a word of the text, in any order. This includes words
/// that are followed by a space, so that the results do not change between the words while the user
/// types. All characters except letters, marks and digits separate words.
public struct SearchQuery: Sendable, Hashable {
  /// The query as the user typed it.
  public let text: String
  let terms: [QueryTerm]
  /// Whether the query has diacritics, so that words with these diacritics are preferred.
  let hasMarks: Bool

  /// Creates a query from the text that the user typed.
  public init(_ text: String) {
    self.text = text
    var text = text
    terms = text.withUTF8 { utf8 in
      let bytes = UnsafeRawBufferPointer(utf8)
      var scanner = WordScanner(bytes)
      var terms: [QueryTerm] = []
      while let range = scanner.next() {
        let word = Word(UnsafeRawBufferPointer(rebasing: bytes[range]))
        if !word.folded.isEmpty { terms.append(QueryTerm(word)) }
      }
      return terms
    }
    hasMarks = terms.contains { $0.word.hasMarks }
  }

  /// Whether the query has no words.
  public var isEmpty: Bool { terms.isEmpty }

  /// Returns the parts of a text that the words of the query match, in order and without overlaps.
  ///
  /// The ranges begin and end at boundaries of grapheme clusters. If the text has a word with
  /// exactly the diacritics of a word of the query, words with other diacritics are not matches of
  /// it.
  public func matches(in text: String) -> [Range<String.Index>] {
    guard !isEmpty else { return [] }
    var text = text
    let ranges = text.withUTF8 { self.ranges(in: UnsafeRawBufferPointer($0)) }
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

  private func ranges(in bytes: UnsafeRawBufferPointer) -> [Range<Int>] {
    /// For each word of the query, the matches with equal diacritics and all matches.
    var found = terms.map { _ in (marked: [Range<Int>](), folded: [Range<Int>]()) }
    var scanner = WordScanner(bytes)
    var folded: [UInt8] = []
    while let range = scanner.next() {
      let spelling = UnsafeRawBufferPointer(rebasing: bytes[range])
      folded.removeAll(keepingCapacity: true)
      // The first letter is sufficient to skip most words.
      spelling.scalar(at: 0).0?.appendFolded(to: &folded)
      if let first = folded.first, !terms.contains(where: { $0.word.folded.first == first }) {
        continue
      }
      folded.removeAll(keepingCapacity: true)
      spelling.forEachScalar { scalar, _ in scalar.appendFolded(to: &folded) }
      var marked: [UInt8]?
      for (index, term) in terms.enumerated() where folded.starts(with: term.word.folded) {
        let part = spelling.range(folding: term.word.folded.count)
        let match = range.lowerBound + part.lowerBound..<range.lowerBound + part.upperBound
        found[index].folded.append(match)
        guard hasMarks else { continue }
        marked = marked ?? Array(String(decoding: spelling, as: UTF8.self).caseFoldedNFC.utf8)
        if let marked, term.begins(marked: marked) { found[index].marked.append(match) }
      }
    }
    return found.flatMap { $0.marked.isEmpty ? $0.folded : $0.marked }
      .sorted { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }
  }
}

extension SearchQuery {
  /// The quality of a match of a word, or of a text with the whole query. Equal diacritics count
  /// more than a match of the whole word.
  enum Match: Int, CaseIterable {
    case foldedStart, folded, markedStart, marked
  }

  /// One word of a query.
  struct QueryTerm: Hashable, Sendable {
    let word: Word
    /// The prefixes that a word with equal diacritics has: the word itself, and for `hò` also
    /// `hoà`, the form in which `hòa` is compared.
    private let beginnings: [[UInt8]]

    init(_ word: Word) {
      self.word = word
      let marked = String(decoding: word.marked, as: UTF8.self)
      let longer =
        word.hasMarks ? ["a", "e", "y"].map { Array((marked + $0).caseFoldedNFC.utf8) } : []
      beginnings = [word.marked] + longer.filter { !$0.starts(with: word.marked) }
    }

    func begins(marked: [UInt8]) -> Bool {
      beginnings.contains { marked.starts(with: $0) }
    }

    /// Returns nil if the folded word is not a prefix of the folded other word.
    func match(_ other: Word, marks: Bool) -> Match? {
      guard other.folded.starts(with: word.folded) else { return nil }
      if marks, other.marked == word.marked { return .marked }
      if marks, begins(marked: other.marked) { return .markedStart }
      return other.folded.count == word.folded.count ? .folded : .foldedStart
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
