import Text

/// A word in the forms that are compared, as UTF-8.
struct Word: Hashable, Sendable {
  /// As of `String.folded`; empty for a word of apostrophes or lone marks.
  let folded: [UInt8]
  /// As of `String.marked`.
  let marked: [UInt8]

  var hasMarks: Bool { marked != folded }

  /// - Parameter spelling: UTF-8, as found by `WordScanner`.
  init(_ spelling: UnsafeRawBufferPointer) {
    var folded: [UInt8] = []
    spelling.forEachScalar { scalar, _ in scalar.appendFolded(to: &folded) }
    self.folded = folded
    let isASCII = spelling.allSatisfy { $0 < 0x80 }
    marked = isASCII ? folded : Array(String(decoding: spelling, as: UTF8.self).marked.utf8)
  }
}

extension Word: Comparable {
  /// Words with the same folded beginning stand together.
  static func < (a: Word, b: Word) -> Bool {
    a.folded == b.folded
      ? a.marked.lexicographicallyPrecedes(b.marked)
      : a.folded.lexicographicallyPrecedes(b.folded)
  }
}
