extension String {
  /// This text as it is compared when searching: lower case, without marks, đ as
  /// d, without apostrophes, ʿ and ʾ; in Arabic without vowel signs and tatweel,
  /// with one form of alef and of yeh, ة as ه, and no hamza on its seat.
  ///
  /// The same for every normalization form of a text.
  public var folded: String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(utf8.count)
    for scalar in unicodeScalars { scalar.appendFolded(to: &bytes) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// This text in lower case and Normalization Form C with all its marks, but
  /// without the apostrophes that `folded` drops, and with the Vietnamese tone
  /// of oa, oe and uy on the second vowel: `hòa` and `hoà` are the same.
  public var marked: String {
    var scalars = lowercased().nfd.filter { $0.isMark || !$0.isDroppedInFolding }
    for index in scalars.indices.dropFirst().dropLast() where scalars[index].isVietnameseTone {
      // In this form a tone stands after its vowel, and a plain vowel alone.
      let hasMark = index + 2 < scalars.count && scalars[index + 2].isMark
      guard !hasMark else { continue }
      switch (scalars[index - 1], scalars[index + 1]) {
      case ("o", "a"), ("o", "e"), ("u", "y"): scalars.swapAt(index, index + 1)
      default: continue
      }
    }
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars)
    return String(text).nfc
  }
}

extension Unicode.Scalar {
  /// Appends the UTF-8 of what `String.folded` leaves of this scalar.
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

  /// What folding leaves, found by Unicode's tables: slow.
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

  /// Whether it is no mark, but means nothing to a search: apostrophes and what
  /// is written in their stead, tatweel, the small letters of Quranic Arabic,
  /// and what never shows (joiners, soft hyphens, bidirectional controls).
  public var isDroppedInFolding: Bool {
    switch self {
    case "'", "`": true
    case "\u{00B4}", "\u{02B9}"..."\u{02BF}", "\u{2018}", "\u{2019}", "\u{201B}", "\u{2032}": true
    case "\u{0640}", "\u{06E5}", "\u{06E6}": true
    default: value >= 0xAD && properties.isDefaultIgnorableCodePoint
    }
  }

  /// The grave, acute, tilde, hook above and dot below of Vietnamese.
  fileprivate var isVietnameseTone: Bool {
    switch value {
    case 0x300, 0x301, 0x303, 0x309, 0x323: true
    default: false
    }
  }
}

/// Folding of the letters that the texts are made of, worked out once.
private enum FoldingTable {
  /// Latin, Arabic, Latin with the marks of Vietnamese.
  static let ranges: [ClosedRange<UInt32>] = [0x80...0x24F, 0x600...0x6FF, 0x1E00...0x1EFF]

  /// By range and place in it; nil for what is dropped. No letter of these
  /// ranges folds to more than one.
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
