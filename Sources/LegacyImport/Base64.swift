import FoundationEssentials

/// A lenient Base64 decoder (RFC 4648) for property lists and the output of scripts: white space is
/// ignored, and the padding is optional.
enum Base64 {
  /// Decodes ASCII text. Returns nil if the text is not valid Base64.
  static func decode(_ text: [UInt8]) -> [UInt8]? {
    let filler = UInt8(ascii: "=")
    var text = text.filter { !$0.isWhiteSpace }
    let digits = text.prefix { $0 != filler }.count
    if digits == text.count { text += [UInt8](repeating: filler, count: -digits & 3) }
    // Foundation accepts fillers between digits, and too many of them.
    guard text.count % 4 == 0, text.count - digits <= 2,
      text[digits...].allSatisfy({ $0 == filler })
    else { return nil }
    return Data(base64Encoded: Data(text)).map { [UInt8]($0) }
  }
}
