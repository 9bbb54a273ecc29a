import Text

/// Finds the words of a text: sequences of letters, marks and digits, including apostrophes and
/// joiners. All other characters separate words.
struct WordScanner {
  private let bytes: UnsafeRawBufferPointer
  private let isEdition: Bool
  private var position = 0

  /// - Parameters:
  ///   - bytes: UTF-8; malformed bytes separate words.
  ///   - isEdition: Whether the text is that of an edition, in which the number in a mark such as
  ///     `[1]` is not a word. In other texts that is so only if no white space is on one of its
  ///     sides, as in what is copied from an edition.
  init(_ bytes: UnsafeRawBufferPointer, isEdition: Bool) {
    self.bytes = bytes
    self.isEdition = isEdition
  }

  /// Returns the range of the next word, or nil if there are no more words.
  mutating func next() -> Range<Int>? {
    var start: Int?
    while position < bytes.count {
      let (scalar, length) = bytes.scalar(at: position)
      if let scalar, scalar.isWordPart {
        start = start ?? position
      } else if let start {
        return start..<position
      } else if let end = endOfFootnoteMark {
        position = end
        continue
      }
      position += length
    }
    return start.map { $0..<position }
  }

  /// The position after the footnote mark at the current position (see `FootnoteMark`); nil if
  /// there is none.
  private var endOfFootnoteMark: Int? {
    guard bytes[position] == UInt8(ascii: "[") else { return nil }
    let digits = bytes[(position + 1)...].prefix(4).prefix { $0.isDecimalDigit }
    guard !digits.isEmpty, digits.endIndex < bytes.count,
      bytes[digits.endIndex] == UInt8(ascii: "]")
    else { return nil }
    let end = digits.endIndex + 1
    let isAttached =
      position > 0 && bytes[position - 1] > 0x20 || end < bytes.count && bytes[end] > 0x20
    return isEdition || isAttached ? end : nil
  }
}

extension UnsafeRawBufferPointer {
  /// Returns the scalar at a position and its length in bytes; nil and 1 if the UTF-8 is malformed.
  func scalar(at position: Int) -> (Unicode.Scalar?, length: Int) {
    let lead = self[position]
    if lead < 0x80 { return (Unicode.Scalar(lead), 1) }
    let length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
    guard lead >= 0xC2, lead < 0xF5, position + length <= count else { return (nil, 1) }
    var value = UInt32(lead) & (0x7F >> UInt32(length))
    for offset in 1..<length {
      let byte = self[position + offset]
      guard byte & 0xC0 == 0x80 else { return (nil, 1) }
      value = value << 6 | UInt32(byte & 0x3F)
    }
    // An overlong form is malformed. With two bytes it begins with C0 or C1, which was excluded
    // above.
    let smallest: UInt32 = length == 2 ? 0x80 : length == 3 ? 0x800 : 0x10000
    guard value >= smallest, let scalar = Unicode.Scalar(value) else { return (nil, 1) }
    return (scalar, length)
  }

  /// Calls `body` with each scalar and its range. Malformed bytes are skipped.
  func forEachScalar(_ body: (Unicode.Scalar, Range<Int>) -> Void) {
    var position = 0
    while position < count {
      let (scalar, length) = scalar(at: position)
      if let scalar { body(scalar, position..<position + length) }
      position += length
    }
  }
}

extension Unicode.Scalar {
  /// Whether the scalar is a part of a word. Common letters are found by their ranges, because the
  /// Unicode data of the standard library is slow.
  fileprivate var isWordPart: Bool {
    switch value {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: return true
    case 0...0x7F: return isDroppedInFolding
    case 0xC0...0x24F: return value != 0xD7 && value != 0xF7
    case 0x300...0x36F, 0x1E00...0x1EFF: return true
    case 0x620...0x669, 0x66E...0x6D3, 0x6DF...0x6E8: return true
    default: break
    }
    switch properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: return true
    default: return properties.isAlphabetic || properties.numericType != nil || isDroppedInFolding
    }
  }
}
