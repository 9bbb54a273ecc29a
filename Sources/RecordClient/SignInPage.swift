/// The page where a reader signs in, and what they bring back from it by hand.
public enum SignInPage {
  /// How the token comes back.
  public enum Way: Hashable, Sendable {
    /// The browser is sent to a URL: that of a `SignInCallback`.
    case callback(String)
    /// The page shows it, to be pasted.
    case code
  }

  /// The URL of our service's page.
  ///
  /// - Parameter language: as `vi`, `en`; nil for what the browser prefers.
  public static func url(
    at address: ServiceAddress, apiToken: String, way: Way, language: String? = nil
  ) -> String {
    var parameters = [("ckAPIToken", apiToken)]
    switch way {
    case .callback(let url): parameters.append(("callback", url))
    case .code: parameters.append(("way", "code"))
    }
    if let language { parameters.append(("lang", language)) }
    let query = parameters.map { "\($0.0)=\(PercentEncoding.encode($0.1))" }
    return "\(address.origin)/sign-in?\(query.joined(separator: "&"))"
  }

  /// Checks the `redirectURL` of an AUTHENTICATION_REQUIRED before a browser is given it: it
  /// must be https, or the service's own origin, and without control characters.
  ///
  /// - Returns: the URL as it came.
  public static func checked(
    _ redirectURL: String, of address: ServiceAddress
  ) throws(AddressProblem) -> String {
    _ = try address.check(redirectURL)
    return redirectURL
  }

  /// The token in what was pasted: the token by itself, or a URL, or a part of one, that has
  /// it as a parameter.
  ///
  /// - Returns: nil where there is none.
  public static func pasted(_ text: String) -> String? {
    let pieces = text.split { "?&#".contains($0) || $0.isNewline }
    let trimmed = pieces.map { $0.drop(while: \.isWhitespace) }
    if let value = WebAuthToken.value(in: trimmed) {
      return WebAuthToken.decoded(value.droppingLast(while: \.isWhitespace))
    }
    guard pieces.count == 1, let bare = trimmed.first, !bare.contains("://") else { return nil }
    return WebAuthToken.decoded(bare.droppingLast(while: \.isWhitespace))
  }
}

extension Substring {
  fileprivate func droppingLast(while predicate: (Character) -> Bool) -> Substring {
    var rest = self
    while let last = rest.last, predicate(last) { rest.removeLast() }
    return rest
  }
}
