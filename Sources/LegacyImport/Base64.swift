/// A lenient Base64 decoder (RFC 4648) for property lists and the output of scripts: white space is
/// ignored, and the padding is optional.
enum Base64 {
  /// Decodes ASCII text. Returns nil if the text is not valid Base64.
  ///
  /// - Throws: `cancelled` if the import is cancelled.
  static func decode(_ text: [UInt8], _ budget: inout Budget) throws(LegacyFailure) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 4 * 3 + 3)
    var (bits, digits, fillers) = (UInt32(0), 0, 0)
    for (index, byte) in text.enumerated() {
      if index % Budget.cancellationInterval == 0 {
        try budget.checkCancellation(after: Budget.cancellationInterval)
      }
      if byte.isWhiteSpace { continue }
      if byte == UInt8(ascii: "=") {
        fillers += 1
        continue
      }
      guard fillers == 0, let value = value(byte) else { return nil }
      bits = bits << 6 | value
      digits += 1
      if digits % 4 == 0 {
        bytes.append(UInt8(truncatingIfNeeded: bits >> 16))
        bytes.append(UInt8(truncatingIfNeeded: bits >> 8))
        bytes.append(UInt8(truncatingIfNeeded: bits))
      }
    }
    guard fillers == 0 || fillers <= 2 && (digits + fillers) % 4 == 0 else { return nil }
    switch digits % 4 {
    case 0: break
    case 2: bytes.append(UInt8(truncatingIfNeeded: bits >> 4))
    case 3:
      bytes.append(UInt8(truncatingIfNeeded: bits >> 10))
      bytes.append(UInt8(truncatingIfNeeded: bits >> 2))
    default: return nil
    }
    return bytes
  }

  private static func value(_ digit: UInt8) -> UInt32? {
    switch digit {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(digit - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
