import FoundationEssentials

/// A lenient Base64 decoder (RFC 4648) for property lists and the output of scripts: white space is
/// ignored, and the padding is optional.
enum Base64 {
  /// Decodes ASCII text. Returns nil if the text is not valid Base64.
  static func decode(_ text: [UInt8]) -> [UInt8]? {
    let padding = UInt8(ascii: "=")
    var text = text.filter { !$0.isWhiteSpace }
    let digits = text.prefix { $0 != padding }.count
    if digits == text.count { text += [UInt8](repeating: padding, count: -digits & 3) }
    // Foundation also accepts padding between digits, and too much of it.
    guard text.count % 4 == 0, text.count - digits <= 2,
      text[digits...].allSatisfy({ $0 == padding })
    else { return nil }
    return Data(base64Encoded: Data(text)).map { [UInt8]($0) }
  }
}
