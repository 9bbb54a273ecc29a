extension Character {
  /// Terminal columns this grapheme cluster takes: 0, 1 or 2.
  ///
  /// A base letter and its marks take what the base takes; East Asian wide
  /// letters, flags and emoji sequences take two. A lone control, mark or
  /// format character takes none.
  public var columns: Int {
    var sum = 0
    var base: Unicode.Scalar?
    for scalar in unicodeScalars {
      // Variation selector 16 asks for the emoji form, which is wide.
      if scalar.value == 0xFE0F, let base, base.properties.isEmoji, base.value > 0x39 { return 2 }
      sum += scalar.columns
      base = base ?? scalar
    }
    // The digits after an Arabic number sign are one cluster with it, and stand beside it.
    if let base, base.isPrepended { return sum }
    return min(sum, 2)
  }
}

extension StringProtocol {
  /// Terminal columns of the whole text on one line.
  public var columns: Int {
    let plain = utf8.withContiguousStorageIfAvailable {
      plainScalarCount($0, allowsLineFeeds: false)
    }
    if let count = plain ?? nil { return count }
    return reduce(0) { $0 + $1.columns }
  }
}

extension Unicode.Scalar {
  /// Columns that this scalar adds to its cluster: 0, 1 or 2.
  var columns: Int {
    switch value {
    case 0x20...0x7E, 0xA1...0xAC, 0xAE...0x2FF, 0x1E00...0x1EFF, 0x2010...0x2027: return 1
    case 0...0x1F, 0x7F...0x9F, 0xAD: return 0
    // Vowels and final consonants of Hangul combine with the wide initial.
    case 0x1160...0x11FF, 0xD7B0...0xD7FF: return 0
    // Arabic number signs and the end-of-ayah sign are format characters that show.
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

  /// Whether it is one of the Arabic signs that stand before digits (Unicode's
  /// Prepended_Concatenation_Mark).
  fileprivate var isPrepended: Bool {
    switch value {
    case 0x600...0x605, 0x6DD, 0x70F, 0x890...0x891, 0x8E2: true
    default: false
    }
  }

  private var isWide: Bool {
    guard value >= wideRanges[0].lowerBound else { return false }
    var low = 0
    var high = wideRanges.count
    while low < high {
      let middle = (low + high) / 2
      if wideRanges[middle].upperBound < value { low = middle + 1 } else { high = middle }
    }
    return low < wideRanges.count && wideRanges[low].contains(value)
  }
}
