import CloudRecords

/// The syntax of web auth tokens in callbacks, pasted text and headers.
enum WebAuthToken {
  /// The names of the query parameter with the token. Some of Apple's sign-in pages use the second.
  static let parameters = ["ckWebAuthToken", "ckSession"]

  /// The names of the response header field with the next token, in order of precedence.
  static let headers = ["X-Apple-CloudKit-Web-Auth-Token", "X-Apple-CloudKit-Session"]

  /// The maximum length of a token in bytes.
  static let maximumLength = 4096

  /// Whether a string can be a token: 1 to 4096 printable ASCII characters without spaces.
  static func isWellFormed(_ token: String) -> Bool {
    (1...maximumLength).contains(token.utf8.count) && token.utf8.allSatisfy(ASCII.isGraphic)
  }

  /// Decodes the value of the token's parameter. Spaces are replaced by `+`: tokens contain no
  /// spaces, and other software may have decoded `+` as a space.
  ///
  /// - Returns: nil if the value cannot be a token.
  static func decoded(_ value: some StringProtocol) -> String? {
    guard let decoded = PercentEncoding.decode(value) else { return nil }
    let token = String(decoded.map { $0 == " " ? "+" : $0 })
    return isWellFormed(token) ? token : nil
  }

  /// Returns the value of the token's parameter, not decoded.
  ///
  /// - Parameter pieces: Parameters of the form `name=value`, not decoded.
  /// - Returns: nil if the parameter is missing.
  static func value(in pieces: [Substring]) -> Substring? {
    for name in parameters {
      let prefix = name + "="
      if let piece = pieces.first(where: { $0.hasPrefix(prefix) }) {
        return piece.dropFirst(prefix.count)
      }
    }
    return nil
  }
}
