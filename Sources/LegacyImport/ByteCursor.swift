/// A place in the bytes of a text.
struct ByteCursor {
  let bytes: [UInt8]
  var position: Int
  private var toldPosition = 0

  init(bytes: [UInt8], position: Int) {
    self.bytes = bytes
    self.position = position
  }

  /// Bytes gone through since this was last asked.
  mutating func passed() -> Int {
    defer { toldPosition = position }
    return max(0, position - toldPosition)
  }

  var byte: UInt8? { position < bytes.count ? bytes[position] : nil }

  func byte(after count: Int) -> UInt8? {
    position + count < bytes.count ? bytes[position + count] : nil
  }

  func isAt(_ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard count <= bytes.count - position else { return false }
    for index in 0..<count where bytes[position + index] != text.utf8Start[index] { return false }
    return true
  }

  /// Moves past the text if it stands here.
  mutating func take(_ text: StaticString) -> Bool {
    guard isAt(text) else { return false }
    position += text.utf8CodeUnitCount
    return true
  }

  mutating func take(_ wanted: UInt8) -> Bool {
    guard byte == wanted else { return false }
    position += 1
    return true
  }

  mutating func skipWhiteSpace() {
    while let byte, byte.isWhiteSpace { position += 1 }
  }

  /// The bytes up to the first that does not fit, moving past them.
  mutating func take(while fits: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    let start = position
    while position < bytes.count, fits(bytes[position]) { position += 1 }
    return bytes[start..<position]
  }

  /// The same, but no more than so many bytes: there may be more that fit.
  mutating func take(atMost count: Int, while fits: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    let start = position
    let end = min(bytes.count, position + count)
    while position < end, fits(bytes[position]) { position += 1 }
    return bytes[start..<position]
  }

  /// Moves behind the next such text.
  mutating func skip(past text: StaticString) -> Bool {
    let first = text.utf8Start[0]
    while position < bytes.count {
      if bytes[position] == first, take(text) { return true }
      position += 1
    }
    return false
  }
}

extension UInt8 {
  /// White space of ASCII: what stands between the tokens of JSON and property lists.
  var isWhiteSpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
  var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
  var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }

  var hexValue: UInt8? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}

extension [UInt8] {
  /// - Parameter scalar: nil for one that Unicode does not have.
  /// - Returns: whether it was appended.
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
