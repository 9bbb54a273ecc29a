import Text

/// A word in its folded and its accented form, as UTF-8.
struct Word: Hashable, Sendable {
  /// The form of `String.folded`; empty for a word of apostrophes or lone marks.
  let folded: [UInt8]
  /// The form of `String.caseFoldedNFC`; for an Arabic word only its letters, because vowel signs
  /// are not compared.
  let accented: [UInt8]
  /// The folded forms of other spellings of an Arabic word: see `ArabicSpelling`.
  let otherSpellings: [[UInt8]]

  /// Whether the word has diacritics, or Arabic letters that are folded.
  var hasDiacritics: Bool { accented != folded }
  /// Whether the word has diacritics and does not begin with an Arabic letter.
  var hasLatinDiacritics: Bool { hasDiacritics && !ArabicSpelling.isArabic(accented) }

  /// Creates the word of two words that are written together.
  init(joining one: Word, _ other: Word) {
    folded = one.folded + other.folded
    accented = one.accented + other.accented
    otherSpellings = []
  }

  /// Whether the word is another Arabic word with particles before it, in any of its spellings.
  func isAfterParticles(_ other: Word) -> Bool {
    guard ArabicSpelling.isArabic(other.folded) else { return false }
    return ([folded] + otherSpellings).contains { spelling in
      let lead = spelling.count - other.folded.count
      return lead > 0 && spelling[lead...].elementsEqual(other.folded)
        && ArabicSpelling.particles.contains(Array(spelling[..<lead]))
    }
  }

  /// - Parameter spelling: The UTF-8 of a word that `WordScanner` found.
  init(_ spelling: UnsafeRawBufferPointer) {
    self.init(spelling, folded: Self.folded(spelling))
  }

  /// Returns the folded form of a word that `WordScanner` found.
  static func folded(_ spelling: UnsafeRawBufferPointer) -> [UInt8] {
    var folded: [UInt8] = []
    spelling.forEachScalar { scalar, _ in scalar.appendFolded(to: &folded) }
    return folded
  }

  /// - Parameter folded: The folded form of the spelling.
  init(_ spelling: UnsafeRawBufferPointer, folded: [UInt8]) {
    self.folded = folded
    guard !ArabicSpelling.isArabic(spelling) else {
      accented = ArabicSpelling.letters(of: spelling)
      otherSpellings = ArabicSpelling.otherSpellings(of: spelling)
      return
    }
    otherSpellings = []
    let isASCII = spelling.allSatisfy { $0 < 0x80 }
    accented =
      isASCII ? folded : Array(String(decoding: spelling, as: UTF8.self).caseFoldedNFC.utf8)
  }
}

extension Word: Comparable {
  /// Orders words by their folded form first, so that words with the same folded prefix are
  /// adjacent.
  static func < (a: Word, b: Word) -> Bool {
    if a.folded != b.folded { return a.folded.lexicographicallyPrecedes(b.folded) }
    if a.accented != b.accented { return a.accented.lexicographicallyPrecedes(b.accented) }
    return a.otherSpellings.lexicographicallyPrecedes(b.otherSpellings) {
      $0.lexicographicallyPrecedes($1)
    }
  }
}
