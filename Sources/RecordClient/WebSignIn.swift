import CloudRecords

/// The URL of the sign-in page, and the token that a user copies from the page.
public enum WebSignIn {
  /// The way in which the client receives the token.
  public enum TokenDelivery: Hashable, Sendable {
    /// The browser is redirected to a URL, that of a `SignInCallback`.
    case callback(String)
    /// The page shows a code that the user copies.
    case code
  }

  /// Returns the URL of a record service's sign-in page. It contains the API token.
  ///
  /// - Parameters:
  ///   - address: The address of the service.
  ///   - apiToken: The API token of the app.
  ///   - delivery: How the client receives the token.
  ///   - language: The language of the page as a BCP 47 tag: `vi`, `en`; nil for the language that
  ///     the browser prefers.
  public static func url(
    at address: ServiceAddress, apiToken: String, delivery: TokenDelivery, language: String? = nil
  ) -> String {
    var parameters = [("ckAPIToken", apiToken)]
    switch delivery {
    case .callback(let url): parameters.append(("callback", url))
    case .code: parameters.append(("way", "code"))
    }
    if let language { parameters.append(("lang", language)) }
    let query = parameters.map { "\($0.0)=\(PercentEncoding.encode($0.1))" }
    return "\(address.origin)/sign-in?\(query.joined(separator: "&"))"
  }

  /// Checks the `redirectURL` of an AUTHENTICATION_REQUIRED error before it is opened in a browser:
  /// it must be an https URL or have the service's own origin, and contain only printable ASCII.
  ///
  /// - Returns: The URL, unchanged.
  /// - Throws: The reason why the URL is rejected.
  public static func checkedRedirectURL(
    _ redirectURL: String, of address: ServiceAddress
  ) throws(AddressProblem) -> String {
    _ = try address.check(redirectURL)
    return redirectURL
  }

  /// Finds the token in text that the user has pasted: the token alone, or a URL or part of a URL
  /// that has the token as a parameter.
  ///
  /// - Returns: nil if there is no token.
  public static func token(inPastedText text: String) -> String? {
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
