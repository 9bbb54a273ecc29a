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
    let (text, invalid) = transcoded(bytes[(hasMark ? 2 : 0)...], byteOrder)
    if let invalid { throw .damaged(.utf16, offset: invalid) }
    try budget.charge(unpacked: text.count)
    return text
  }

  /// Returns the text in UTF-8 up to the first invalid code unit, and the position of this unit, or
  /// nil if all are valid.
  static func transcoded(
    _ bytes: ArraySlice<UInt8>, _ byteOrder: ByteOrder
  ) -> (text: [UInt8], invalid: Int?) {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count)
    let units = stride(from: bytes.startIndex, to: bytes.endIndex - 1, by: 2).lazy.map {
      let (first, second) = (UInt16(bytes[$0]), UInt16(bytes[$0 + 1]))
      return byteOrder == .bigEndian ? first << 8 | second : second << 8 | first
    }
    let isInvalid = transcode(
      units.makeIterator(), from: UTF16.self, to: UTF8.self, stoppingOnError: true
    ) { text.append($0) }
    guard isInvalid || bytes.count % 2 == 1 else { return (text, nil) }
    return (text, bytes.startIndex + 2 * String(decoding: text, as: UTF8.self).utf16.count)
  }
}
