extension Character {
  /// The number of terminal columns of the grapheme cluster.
  ///
  /// A base letter with nonspacing marks has the width of the base; spacing marks may add a column,
  /// up to two in all. East Asian wide characters, flags and emoji sequences have two columns. A
  /// control, nonspacing mark or format character without a base has none.
  /// An Arabic number sign has one column, and each digit in its cluster has another.
  public var columns: Int {
    var sum = 0
    var base: Unicode.Scalar?
    for scalar in unicodeScalars {
      // Variation selector 16 requests the emoji presentation, which is wide.
      if scalar.value == 0xFE0F, let base, base.properties.isEmoji, base.value > 0x39 { return 2 }
      sum += scalar.columns
      base = base ?? scalar
    }
    // An Arabic number sign and the digits after it are one grapheme cluster, but are drawn side by
    // side.
    if let base, base.isPrepended { return sum }
    return min(sum, 2)
  }
}

extension String {
  /// The number of terminal columns of the string on one line.
  public var columns: Int { self[...].columns }
}

// Not an extension of StringProtocol: other modules would call its generic code, which is slow.
extension Substring {
  /// The number of terminal columns of the substring on one line.
  public var columns: Int {
    let plain = utf8.withContiguousStorageIfAvailable {
      plainScalarCount($0, allowsLineFeeds: false)
    }
    if let count = plain ?? nil { return count }
    return reduce(0) { $0 + $1.columns }
  }
}

extension Unicode.Scalar {
  /// The number of columns that the scalar adds to its grapheme cluster: 0, 1 or 2.
  var columns: Int {
    switch value {
    // Latin letters, punctuation, lines and blocks, Arabic letters and their forms.
    case 0x20...0x7E, 0xA1...0xAC, 0xAE...0x2FF, 0x1E00...0x1EFF, 0x2010...0x2027, 0x2500...0x259F,
      0x620...0x64A, 0xFE80...0xFEFC:
      return 1
    case 0...0x1F, 0x7F...0x9F, 0xAD: return 0
    // Hangul vowels and final consonants combine with the initial consonant, which is wide.
    case 0x1160...0x11FF, 0xD7B0...0xD7FF: return 0
    // Arabic number signs and the end-of-ayah sign are format characters, but visible.
    case _ where isPrepended: return 1
    default: break
    }
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .control, .format, .lineSeparator, .paragraphSeparator,
      .surrogate:
      return 0
    default:
      return isWide ? 2 : 1
    }
  }

  /// Whether the scalar is an Arabic sign that precedes digits (property
  /// Prepended_Concatenation_Mark).
  fileprivate var isPrepended: Bool {
    switch value {
    case 0x600...0x605, 0x6DD, 0x70F, 0x890...0x891, 0x8E2: true
    default: false
    }
  }

  private var isWide: Bool {
    guard value >= wideRanges[0].first else { return false }
    var low = 0
    var high = wideRanges.count
    while low < high {
      let middle = (low + high) / 2
      if wideRanges[middle].last < value { low = middle + 1 } else { high = middle }
    }
    return low < wideRanges.count && wideRanges[low].first <= value
  }
}
