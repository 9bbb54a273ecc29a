/// A position in the bytes of a document.
struct ByteCursor {
  let bytes: [UInt8]
  var position: Int
  /// The position at the last call of `bytesSinceLastCall()`.
  private var lastReportedPosition = 0

  init(bytes: [UInt8], position: Int) {
    self.bytes = bytes
    self.position = position
  }

  /// Returns the number of bytes that the cursor moved since the last call.
  mutating func bytesSinceLastCall() -> Int {
    defer { lastReportedPosition = position }
    return max(0, position - lastReportedPosition)
  }

  /// The byte at the position, or nil at the end.
  var byte: UInt8? { position < bytes.count ? bytes[position] : nil }

  /// The byte `count` bytes after the position, or nil if that is past the end.
  func byte(after count: Int) -> UInt8? {
    position + count < bytes.count ? bytes[position + count] : nil
  }

  /// Whether the bytes at the position are those of the text.
  func isAt(_ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard count <= bytes.count - position else { return false }
    for index in 0..<count where bytes[position + index] != text.utf8Start[index] { return false }
    return true
  }

  /// Moves past the text if it is at the position, and returns whether it was.
  mutating func skip(ifAt text: StaticString) -> Bool {
    guard isAt(text) else { return false }
    position += text.utf8CodeUnitCount
    return true
  }

  /// Moves past the byte if it is at the position, and returns whether it was.
  mutating func skip(ifAt wanted: UInt8) -> Bool {
    guard byte == wanted else { return false }
    position += 1
    return true
  }

  mutating func skipWhiteSpace() {
    while let byte, byte.isWhiteSpace { position += 1 }
  }

  /// Moves to the first byte that does not match, and returns the bytes before it.
  mutating func read(while fits: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    let start = position
    while position < bytes.count, fits(bytes[position]) { position += 1 }
    return bytes[start..<position]
  }

  /// Moves as `read(while:)` does, but past at most `count` bytes, so that more matching bytes can
  /// follow.
  mutating func read(atMost count: Int, while fits: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    let start = position
    let end = min(bytes.count, position + count)
    while position < end, fits(bytes[position]) { position += 1 }
    return bytes[start..<position]
  }

  /// Moves past the next occurrence of the text. Returns false if there is none.
  mutating func skip(past text: StaticString) -> Bool {
    let first = text.utf8Start[0]
    while position < bytes.count {
      if bytes[position] == first, skip(ifAt: text) { return true }
      position += 1
    }
    return false
  }
}

extension UInt8 {
  /// Whether the byte is ASCII white space, which separates the tokens of property lists.
  var isWhiteSpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
  var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
  var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }
}

extension [UInt8] {
  /// Appends the UTF-8 encoding of a scalar value.
  ///
  /// - Returns: False, with nothing appended, if `scalar` is not a Unicode scalar value.
  mutating func append(scalar: UInt32) -> Bool {
    if scalar < 0x80 {
      append(UInt8(scalar))
      return true
    }
    guard let scalar = Unicode.Scalar(scalar), let bytes = UTF8.encode(scalar) else { return false }
    append(contentsOf: bytes)
    return true
  }
}
