/// Classes of ASCII characters in URLs and tokens.
enum ASCII {
  static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  /// Whether a byte is a printable ASCII character other than a space.
  static func isGraphic(_ byte: UInt8) -> Bool { (0x21...0x7E).contains(byte) }
}
