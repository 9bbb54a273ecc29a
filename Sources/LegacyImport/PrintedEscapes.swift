import Text

/// The doubled backslashes in the output of `defaults read`.
///
/// The command prints a property list in ASCII and doubles the backslashes of the escape sequences:
/// it prints `"C\\U00e2u"` for `Câu`, and even `\\"` for a quotation mark, so that the output is
/// not a valid property list.
enum PrintedEscapes {
  /// Whether the text is ASCII and has backslashes, all of which are doubled.
  static func areDoubled(_ bytes: [UInt8]) -> Bool {
    var run = 0
    var found = false
    for byte in bytes {
      if byte == UInt8(ascii: "\\") {
        run += 1
        found = true
      } else if byte >= 0x80 || run % 2 != 0 {
        return false
      } else {
        run = 0
      }
    }
    return found && run % 2 == 0
  }

  /// Whether a doubled backslash begins the escape sequence of a character code, which ordinary
  /// text does not contain.
  static func haveCodes(_ bytes: [UInt8]) -> Bool {
    var cursor = ByteCursor(bytes: bytes, position: 0)
    while cursor.skip(past: "\\\\U") {
      if (0..<4).allSatisfy({ cursor.byte(after: $0)?.hexadecimalDigit != nil }) { return true }
    }
    return false
  }

  /// Replaces each doubled backslash by a single one.
  static func halved(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var isSecond = false
    for byte in bytes {
      isSecond = byte == UInt8(ascii: "\\") && !isSecond
      if byte != UInt8(ascii: "\\") || isSecond { result.append(byte) }
    }
    return result
  }
}
