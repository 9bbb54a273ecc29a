/// The token of a signed-in reader, as it comes by a callback, a paste or a header.
enum WebAuthToken {
  /// The names it has as a parameter; the second in some of Apple's flows.
  static let parameters = ["ckWebAuthToken", "ckSession"]

  /// What an answer hands the next token over by: the first of them that it has.
  static let headers = ["X-Apple-CloudKit-Web-Auth-Token", "X-Apple-CloudKit-Session"]

  static let maximumLength = 4096

  /// Whether it can be one: 1…4096 characters of ASCII that are seen.
  static func isWellFormed(_ token: String) -> Bool {
    (1...maximumLength).contains(token.utf8.count) && token.utf8.allSatisfy(ASCII.isGraphic)
  }

  /// The token that a parameter's value stands for: a `+` on its way may have become a space.
  ///
  /// - Returns: nil for what cannot be one.
  static func decoded(_ value: some StringProtocol) -> String? {
    guard let decoded = PercentEncoding.decode(value) else { return nil }
    let token = String(decoded.map { $0 == " " ? "+" : $0 })
    return isWellFormed(token) ? token : nil
  }

  /// The value of the token's parameter.
  ///
  /// - Parameter pieces: `name=value`, each not decoded.
  /// - Returns: nil where there is none.
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
