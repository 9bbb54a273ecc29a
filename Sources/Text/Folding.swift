extension String {
  /// The string folded for search. Letters of any script become lower case and lose their combining
  /// marks; đ becomes d; apostrophes, ʿ, ʾ and invisible characters are removed. In Arabic, vowel
  /// signs and tatweel are removed, the forms of alef, yeh and kaf are unified, ة becomes ه, and
  /// hamza is removed from its seat.
  ///
  /// The result is the same for all normalization forms of a string.
  public var folded: String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(utf8.count)
    for scalar in unicodeScalars { scalar.appendFolded(to: &bytes) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The string in lower case and Normalization Form C, for a search that distinguishes diacritics.
  /// Combining marks are preserved, but the other characters that `folded` removes are removed. The
  /// Vietnamese tone of oa, oe and uy is moved to the second vowel, so that `hòa` and `hoà` are the
  /// same.
  public var caseFoldedNFC: String {
    var scalars = lowercased().nfd.filter { $0.isMark || !$0.isDroppedInFolding }
    for index in scalars.indices.dropFirst().dropLast() where scalars[index].isVietnameseTone {
      // In Normalization Form D the tone follows its vowel. Move it only if the next vowel has no
      // mark of its own.
      let hasMark = index + 2 < scalars.count && scalars[index + 2].isMark
      guard !hasMark else { continue }
      switch (scalars[index - 1], scalars[index + 1]) {
      case ("o", "a"), ("o", "e"), ("u", "y"): scalars.swapAt(index, index + 1)
      default: continue
      }
    }
    return String(scalars: scalars).nfc
  }
}

extension Unicode.Scalar {
  /// Appends the UTF-8 encoding of the folded scalar (see `String.folded`); nothing if folding
  /// removes the scalar.
  public func appendFolded(to bytes: inout [UInt8]) {
    if isASCII {
      if !isDroppedInFolding { bytes.append(FoldingTable.lowercase(UInt8(value))) }
    } else if let range = FoldingTable.ranges.firstIndex(where: { $0.contains(value) }) {
      let offset = Int(value - FoldingTable.ranges[range].lowerBound)
      bytes.append(utf8: FoldingTable.folded[range][offset])
    } else {
      for scalar in foldedByProperties { bytes.append(utf8: scalar) }
    }
  }

  /// The folded scalar according to the Unicode data of the standard library. Slow; `FoldingTable`
  /// caches the results for common scripts.
  fileprivate var foldedByProperties: [Unicode.Scalar] {
    String(self).nfd.flatMap { part -> [Unicode.Scalar] in
      if part.isMark || part.isDroppedInFolding { return [] }
      return part.properties.lowercaseMapping.unicodeScalars.map { letter in
        switch letter {
        case "đ": "d"
        case "ٱ": "ا"
        case "ى", "ی": "ي"
        case "ة": "ه"
        case "ک": "ك"
        default: letter
        }
      }
    }
  }

  /// Whether folding removes the scalar although it is not a combining mark: apostrophes and
  /// characters used as apostrophes, tatweel, the small letters of Quranic Arabic, and invisible
  /// characters (joiners, soft hyphens, bidirectional controls).
  public var isDroppedInFolding: Bool {
    switch self {
    case "'", "`": true
    case "\u{00B4}", "\u{02B9}"..."\u{02BF}", "\u{2018}", "\u{2019}", "\u{201B}", "\u{2032}": true
    case "\u{0640}", "\u{06E5}", "\u{06E6}": true
    default: value >= 0xAD && properties.isDefaultIgnorableCodePoint
    }
  }

  /// Whether the scalar is a combining mark for a Vietnamese tone: grave, acute, tilde, hook above
  /// or dot below.
  fileprivate var isVietnameseTone: Bool {
    switch value {
    case 0x300, 0x301, 0x303, 0x309, 0x323: true
    default: false
    }
  }
}

/// Precomputed folding of the scripts in common use.
private enum FoldingTable {
  /// The Latin, Arabic and Latin Extended Additional (Vietnamese) ranges.
  static let ranges: [ClosedRange<UInt32>] = [0x80...0x24F, 0x600...0x6FF, 0x1E00...0x1EFF]

  /// The folded scalars of each range; nil if folding removes the scalar. No scalar of these ranges
  /// folds to more than one.
  static let folded: [[Unicode.Scalar?]] = ranges.map { range in
    range.map { Unicode.Scalar($0)?.foldedByProperties.first }
  }

  static func lowercase(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}

extension [UInt8] {
  fileprivate mutating func append(utf8 scalar: Unicode.Scalar?) {
    guard let scalar else { return }
    if scalar.isASCII {
      append(UInt8(scalar.value))
    } else {
      append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }
  }
}
