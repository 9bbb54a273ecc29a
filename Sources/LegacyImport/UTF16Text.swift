/// Decodes UTF-16 with or without a byte order mark.
enum UTF16Text {
  /// The order of the two bytes of each code unit.
  enum ByteOrder {
    case bigEndian, littleEndian
  }

  /// Returns the byte order of UTF-16; nil if the bytes are not UTF-16. Without a byte order mark
  /// this is detected from the zero bytes of the first two code units, because a dump begins with
  /// ASCII characters.
  static func byteOrder(of bytes: [UInt8]) -> ByteOrder? {
    guard bytes.count >= 2 else { return nil }
    switch (bytes[0], bytes[1]) {
    case (0xFE, 0xFF): return .bigEndian
    case (0xFF, 0xFE): return .littleEndian
    case (0, 1..<0x80): return bytes.count < 4 || bytes[2] == 0 ? .bigEndian : nil
    case (1..<0x80, 0): return bytes.count < 4 || bytes[3] == 0 ? .littleEndian : nil
    default: return nil
    }
  }

  /// Returns the text in UTF-8, without the byte order mark.
  ///
  /// - Throws: `damaged` if the bytes are not valid UTF-16, or a failure of the budget.
  static func decode(
    _ bytes: [UInt8], _ byteOrder: ByteOrder, _ budget: inout Budget
  ) throws(LegacyFailure) -> [UInt8] {
    let hasMark = bytes[0] >= 0xFE
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count / 2 + bytes.count / 4)
    let content = bytes[(hasMark ? 2 : 0)...]
    if let offset = try transcode(content, byteOrder, into: &text, &budget) {
      throw .damaged(.utf16, offset: offset)
    }
    try budget.charge(unpacked: text.count)
    return text
  }

  /// Appends the text in UTF-8.
  ///
  /// - Returns: The position of the first invalid code unit, or nil if all are valid.
  static func transcode(
    _ bytes: ArraySlice<UInt8>, _ byteOrder: ByteOrder, into text: inout [UInt8],
    _ budget: inout Budget
  ) throws(LegacyFailure) -> Int? {
    var position = bytes.startIndex
    func unit(_ position: Int) -> UInt32? {
      guard position + 1 < bytes.endIndex else { return nil }
      let (first, second) = (UInt32(bytes[position]), UInt32(bytes[position + 1]))
      return byteOrder == .bigEndian ? first << 8 | second : second << 8 | first
    }
    while position < bytes.endIndex {
      if position % Budget.cancellationInterval < 2 {
        try budget.checkCancellation(after: Budget.cancellationInterval)
      }
      guard let first = unit(position) else { return position }
      var scalar = first
      if (0xD800..<0xDC00).contains(first) {
        guard let second = unit(position + 2), (0xDC00..<0xE000).contains(second) else {
          return position
        }
        scalar = 0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)
      }
      guard text.append(scalar: scalar) else { return position }
      position += scalar > 0xFFFF ? 4 : 2
    }
    return nil
  }
}
