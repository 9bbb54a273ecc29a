extension String {
  /// The first control character (general category Cc) except tabs and the line breaks LF and
  /// CR LF, or nil if there is none.
  var firstForbiddenControl: Unicode.Scalar? {
    var text = self
    guard !text.withUTF8({ UnsafeRawBufferPointer($0).isPlainText }) else { return nil }
    let scalars = Array(text.unicodeScalars)
    for (index, scalar) in scalars.enumerated() {
      switch scalar.value {
      case 0x09, 0x0A: continue
      case 0x0D where index + 1 < scalars.count && scalars[index + 1] == "\n": continue
      case 0...0x1F, 0x7F...0x9F: return scalar
      default: continue
      }
    }
    return nil
  }
}

extension UnsafeRawBufferPointer {
  /// Whether the bytes are UTF-8 that has no scalar above U+FFFF and no control character other
  /// than tabs and line feeds. This is true for most texts. If it is false, the text may still be
  /// allowed, and the caller has to check it exactly.
  ///
  /// The loop has no branches, so that the compiler can vectorize it. It is faster than
  /// `UTF8Span(validating:)`, which does not look for control characters.
  var isPlainText: Bool {
    var problems: UInt8 = 0
    var (beforePrevious, previous): (UInt8, UInt8) = (0, 0)
    for byte in self {
      let isContinuation: UInt8 = byte & 0xC0 == 0x80 ? 1 : 0
      let needsContinuation: UInt8 =
        (previous >= 0xC0 ? 1 : 0) | (beforePrevious >= 0xE0 ? 1 : 0)
      // Overlong forms of two bytes; forms of four bytes, and bytes that UTF-8 never has; overlong
      // forms of three bytes; surrogates.
      let isUncommon =
        byte & 0xFE == 0xC0 || byte >= 0xF0 || (previous == 0xE0 && byte < 0xA0)
        || (previous == 0xED && byte >= 0xA0)
      let isC0 = byte < 0x20 && byte != 0x0A && byte != 0x09
      // C1 controls are C2 80 … C2 9F.
      let isC1 = previous == 0xC2 && byte < 0xA0
      problems |= isContinuation ^ needsContinuation
      problems |=
        (isUncommon ? 1 : 0) | (isC0 ? 1 : 0) | (byte == 0x7F ? 1 : 0) | (isC1 ? 1 : 0)
      (beforePrevious, previous) = (previous, byte)
    }
    return problems == 0 && previous < 0xC0 && beforePrevious < 0xE0
  }
}
