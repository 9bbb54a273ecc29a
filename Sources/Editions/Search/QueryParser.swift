import Text

/// Parses the text of a search query. Every text is a valid query; parts without words are ignored.
struct QueryParser {
  private(set) var clauses: [SearchQuery.Clause] = []
  private(set) var excluded: [SearchQuery.Phrase] = []

  private let characters: [Character]
  private let isComplete: Bool
  private var position = 0

  /// - Parameter isComplete: Whether the user has finished typing. If not, the last word can be the
  ///   beginning of a longer one.
  init(_ text: String, isComplete: Bool) {
    characters = Array(text)
    self.isComplete = isComplete
    while position < characters.count {
      if characters[position].isWhitespace || characters[position] == "|" {
        position += 1
      } else {
        parseClause()
      }
    }
    joinParticles()
    addOtherNames()
  }

  /// Parses one clause: words or phrases separated by `|`, with a `-` before them if they are
  /// excluded. It ends after a word or phrase that no `|` follows, or before a `-` after a `|`.
  private mutating func parseClause() {
    let isExcluded = characters[position] == "-"
    if isExcluded { position += 1 }
    // A `-` that stands alone is ignored.
    guard position < characters.count, !characters[position].isWhitespace else { return }
    var items: [(words: [Word], isQuoted: Bool, mayContinue: Bool)] = []
    repeat {
      let item = parseItem()
      if !item.words.isEmpty { items.append(item) }
    } while skipBar()

    let phrases = items.map { item in
      SearchQuery.Phrase(
        terms: item.words.enumerated().map { number, word in
          SearchQuery.QueryTerm(
            word,
            isPrefix: item.mayContinue && !isExcluded && number == item.words.count - 1)
        })
    }
    guard !phrases.isEmpty else { return }
    if isExcluded {
      excluded += phrases
    } else if phrases.count == 1, !items[0].isQuoted {
      // Without quotes, `nhan-danh` stands for two words in any order.
      clauses += phrases[0].terms.map { .init(alternatives: [.init(terms: [$0])]) }
    } else {
      clauses.append(.init(alternatives: phrases))
    }
  }

  /// Skips a `|` with the white space around it.
  ///
  /// - Returns: Whether the clause goes on. It ends if no `|` follows, or if a `-` follows the `|`.
  private mutating func skipBar() -> Bool {
    func end(ofSpaceAt start: Int) -> Int {
      characters[start...].firstIndex { !$0.isWhitespace } ?? characters.count
    }
    let bar = end(ofSpaceAt: position)
    guard bar < characters.count, characters[bar] == "|" else { return false }
    position = end(ofSpaceAt: bar + 1)
    return position == characters.count || characters[position] != "-"
  }

  /// Parses the words in quotes, or the words up to the next white space, quote or `|`.
  ///
  /// - Returns: The words, whether they were in quotes, and whether the user may still be typing
  ///   the last one.
  private mutating func parseItem() -> (words: [Word], isQuoted: Bool, mayContinue: Bool) {
    let isQuoted = position < characters.count && characters[position] == "\""
    if isQuoted { position += 1 }
    let start = position
    while position < characters.count,
      isQuoted
        ? characters[position] != "\""
        : !characters[position].isWhitespace && !"|\"".contains(characters[position])
    {
      position += 1
    }
    let text = String(characters[start..<position])
    let isLast = position == characters.count
    if isQuoted, !isLast { position += 1 }
    let (words, endsWithWord) = Self.words(of: text)
    return (words, isQuoted, isLast && endsWithWord && !isComplete)
  }

  /// - Returns: The words, and whether no separator follows the last one.
  private static func words(of text: String) -> (words: [Word], endsWithWord: Bool) {
    var text = text
    return text.withUTF8 { utf8 in
      let bytes = UnsafeRawBufferPointer(utf8)
      var scanner = WordScanner(bytes, isEdition: false)
      var words: [Word] = []
      var end: Int?
      while let range = scanner.next() {
        let word = Word(UnsafeRawBufferPointer(rebasing: bytes[range]))
        guard !word.folded.isEmpty else { continue }
        words.append(word)
        end = range.upperBound
      }
      return (words, end == bytes.count)
    }
  }

  /// The Arabic words that the printed Quran joins with the next one: يا and ها.
  private static let particles: Set<[UInt8]> = [Array("يا".utf8), Array("ها".utf8)]

  /// Replaces an Arabic particle and the word after it by one clause, which matches them as a
  /// phrase or as one word.
  private mutating func joinParticles() {
    func single(_ clause: SearchQuery.Clause) -> SearchQuery.QueryTerm? {
      guard clause.alternatives.count == 1, clause.alternatives[0].terms.count == 1 else {
        return nil
      }
      return clause.alternatives[0].terms[0]
    }
    var index = 0
    while index + 1 < clauses.count {
      if let particle = single(clauses[index]), let next = single(clauses[index + 1]),
        Self.particles.contains(particle.word.folded)
      {
        let joined = SearchQuery.QueryTerm(
          Word(joining: particle.word, next.word), isPrefix: next.isPrefix)
        clauses.replaceSubrange(
          index...index + 1,
          with: [.init(alternatives: [.init(terms: [particle, next]), .init(terms: [joined])])])
      }
      index += 1
    }
  }

  /// Adds the other forms of names, such as `Jesus` for `Isa`, as alternatives.
  private mutating func addOtherNames() {
    var result: [SearchQuery.Clause] = []
    var index = 0
    while index < clauses.count {
      let terms = clauses[index...].prefix(OtherNames.maximumWordCount)
        .prefix { $0.alternatives.count == 1 && $0.alternatives[0].terms.count == 1 }
        .map { $0.alternatives[0].terms[0] }
      var count = terms.count
      while count > 0, OtherNames.forms(of: terms.prefix(count).map(\.word)) == nil { count -= 1 }
      guard count > 0, let forms = OtherNames.forms(of: terms.prefix(count).map(\.word)) else {
        result.append(clauses[index])
        index += 1
        continue
      }
      let typed = SearchQuery.Phrase(terms: Array(terms.prefix(count)))
      let others = forms.map { words in
        SearchQuery.Phrase(
          terms: words.map { .init($0, isPrefix: false, isOtherName: true) })
      }
      result.append(.init(alternatives: [typed] + others))
      index += count
    }
    clauses = result
  }
}
