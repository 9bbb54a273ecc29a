import Text

/// A word in its folded and its marked form, as UTF-8.
struct Word: Hashable, Sendable {
  /// The form of `String.folded`; empty for a word of apostrophes or lone marks.
  let folded: [UInt8]
  /// The form of `String.caseFoldedNFC`; for an Arabic word the folded form, because its vowel signs
  /// are not looked for.
  let marked: [UInt8]
  /// The folded forms of other spellings of an Arabic word: see `ArabicSpelling`.
  let otherSpellings: [[UInt8]]

  /// Whether the word has diacritics.
  var hasMarks: Bool { marked != folded }

  /// - Parameter spelling: The UTF-8 of a word that `WordScanner` found.
  init(_ spelling: UnsafeRawBufferPointer) {
    var folded: [UInt8] = []
    spelling.forEachScalar { scalar, _ in scalar.appendFolded(to: &folded) }
    self.folded = folded
    guard !ArabicSpelling.isArabic(spelling) else {
      marked = folded
      otherSpellings = ArabicSpelling.others(of: spelling)
      return
    }
    otherSpellings = []
    let isASCII = spelling.allSatisfy { $0 < 0x80 }
    marked = isASCII ? folded : Array(String(decoding: spelling, as: UTF8.self).caseFoldedNFC.utf8)
  }
}

extension Word: Comparable {
  /// Orders words by their folded form first, so that words with the same folded prefix are
  /// adjacent.
  static func < (a: Word, b: Word) -> Bool {
    if a.folded != b.folded { return a.folded.lexicographicallyPrecedes(b.folded) }
    if a.marked != b.marked { return a.marked.lexicographicallyPrecedes(b.marked) }
    return a.otherSpellings.lexicographicallyPrecedes(b.otherSpellings) {
      $0.lexicographicallyPrecedes($1)
    }
  }
}
