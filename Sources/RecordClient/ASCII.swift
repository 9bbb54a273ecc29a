/// Classes of ASCII characters in URLs and tokens.
enum ASCII {
  /// Whether a byte is an unreserved character of URLs (RFC 3986, 2.3), which never needs encoding.
  static func isUnreserved(_ byte: UInt8) -> Bool {
    isLetter(byte) || isDigit(byte) || [0x2D, 0x2E, 0x5F, 0x7E].contains(byte)
  }

  static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  /// Whether a byte is a printable ASCII character other than a space.
  static func isGraphic(_ byte: UInt8) -> Bool { (0x21...0x7E).contains(byte) }
}
