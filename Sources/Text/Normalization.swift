// The standard library normalises strings to compare them; this name for that
// is not yet public API. Foundation's would cost a binary eight times the size.
@_spi(_Unicode) import Swift

extension String {
  /// This text in Normalization Form C (UAX #15). One with more than a thousand marks on
  /// a letter, which no language has, stays as it is: to order them takes time that grows
  /// with the square of their number.
  public var nfc: String {
    guard mayHaveMarks, !hasMarks(inARow: 1000) else { return self }
    var composed = String.UnicodeScalarView()
    composed.append(contentsOf: _nfc)
    return String(composed)
  }

  /// False where all is in Normalization Form C as it stands, and nothing combines:
  /// Vietnamese and other Latin text as it is mostly written, with its punctuation.
  ///
  /// What it lets through is U+0000…02FF, U+1E00…1EFF and U+2010…2027. To look at the
  /// bytes takes a tenth of what it takes to normalise them.
  public var mayHaveMarks: Bool {
    var text = self
    return text.withUTF8 { bytes in
      var index = 0
      while index < bytes.count {
        switch bytes[index] {
        case ..<0x80: index += 1
        case ..<0xCC: index += 2
        case 0xE1 where index + 2 < bytes.count && 0xB8...0xBB ~= bytes[index + 1]: index += 3
        case 0xE2
        where index + 2 < bytes.count && bytes[index + 1] == 0x80
          && 0x90...0xA7 ~= bytes[index + 2]:
          index += 3
        default: return true
        }
      }
      return false
    }
  }

  /// Whether more than so many characters that combine stand in a row.
  public func hasMarks(inARow limit: Int) -> Bool {
    guard mayHaveMarks else { return false }
    var run = 0
    for scalar in unicodeScalars {
      // Marks begin at U+0300, and what Vietnamese is written with has none.
      let isLetter = scalar.value < 0x300 || (0x1E00...0x1EFF).contains(scalar.value)
      let isMark = !isLetter && scalar.properties.canonicalCombiningClass != .notReordered
      run = isMark ? run + 1 : 0
      if run > limit { return true }
    }
    return false
  }

  /// The canonical decomposition (Normalization Form D, UAX #15).
  var nfd: [Unicode.Scalar] { Array(_nfd) }
}
