import Text

/// A word in its folded and its marked form, as UTF-8.
struct Word: Hashable, Sendable {
  /// The form of `String.folded`; empty for a word of apostrophes or lone marks.
  let folded: [UInt8]
  /// The form of `String.caseFoldedNFC`.
  let marked: [UInt8]

  /// Whether the word has diacritics.
  var hasMarks: Bool { marked != folded }

  /// - Parameter spelling: The UTF-8 of a word that `WordScanner` found.
  init(_ spelling: UnsafeRawBufferPointer) {
    var folded: [UInt8] = []
    spelling.forEachScalar { scalar, _ in scalar.appendFolded(to: &folded) }
    self.folded = folded
    let isASCII = spelling.allSatisfy { $0 < 0x80 }
    marked = isASCII ? folded : Array(String(decoding: spelling, as: UTF8.self).caseFoldedNFC.utf8)
  }
}

extension Word: Comparable {
  /// Orders words by their folded form first, so that words with the same folded prefix are
  /// adjacent.
  static func < (a: Word, b: Word) -> Bool {
    a.folded == b.folded
      ? a.marked.lexicographicallyPrecedes(b.marked)
      : a.folded.lexicographicallyPrecedes(b.folded)
  }
}
