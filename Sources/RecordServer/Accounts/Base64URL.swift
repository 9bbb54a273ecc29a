import FoundationEssentials

/// Base64url without padding (RFC 4648, 5).
enum Base64URL {
  static func text(_ bytes: Data) -> String {
    let base64 = bytes.base64EncodedString()
    return String(
      base64.prefix { $0 != "=" }.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
  }

  /// - Returns: nil if the text is not base64url.
  static func bytes(_ text: some StringProtocol) -> Data? {
    // Refuse standard Base64, which would be a second encoding of the same value.
    guard !text.utf8.contains(where: { "+/=".utf8.contains($0) }) else { return nil }
    var base64 = String(text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
    base64 += String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
    return Data(base64Encoded: base64)
  }
}
