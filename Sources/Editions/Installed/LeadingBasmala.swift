import Text

/// Finds a basmala at the beginning of the first ayah of a surah. Some publishers write it in the
/// same line as the ayah.
enum LeadingBasmala {
  /// The length in bytes of the basmala at the beginning of a text, with the punctuation and white
  /// space after it. Returns 0 if the text does not begin with a basmala or has no word after it.
  ///
  /// Words are compared in their folded form, because the vowel signs of the basmala differ between
  /// surahs in some texts (95:1 and 97:1 in the text of Tanzil). Footnote marks are not compared,
  /// because 1:1 can have others than the basmala before another surah.
  ///
  /// - Parameter basmala: The text of 1:1 in the same edition.
  static func length(in text: String, basmala: String) -> Int {
    var text = text
    var basmala = basmala
    let words = basmala.withUTF8 { Self.words(in: UnsafeRawBufferPointer($0)) }.map(\.folded)
    guard !words.isEmpty else { return 0 }
    return text.withUTF8 { buffer in
      let bytes = UnsafeRawBufferPointer(buffer)
      let found = Self.words(in: bytes, limit: words.count + 1)
      guard found.count > words.count, found.map(\.folded).starts(with: words) else { return 0 }
      // Punctuation belongs to the basmala up to the next white space.
      let next = found[words.count].start
      var end = found[words.count - 1].end
      while end < next, !bytes[end].isWhiteSpace { end += 1 }
      while end < next, bytes[end].isWhiteSpace { end += 1 }
      return end
    }
  }

  private static func words(
    in bytes: UnsafeRawBufferPointer, limit: Int = .max
  ) -> [(folded: [UInt8], start: Int, end: Int)] {
    var scanner = WordScanner(bytes, isEdition: true)
    var words: [(folded: [UInt8], start: Int, end: Int)] = []
    while words.count < limit, let range = scanner.next() {
      let folded = Word(UnsafeRawBufferPointer(rebasing: bytes[range])).folded
      if !folded.isEmpty { words.append((folded, range.lowerBound, range.upperBound)) }
    }
    return words
  }
}

extension UInt8 {
  fileprivate var isWhiteSpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
}
