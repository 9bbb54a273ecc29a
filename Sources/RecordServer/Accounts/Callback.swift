import CloudRecords

/// The rules for the URLs to which a browser is redirected with a web auth token after the sign-in.
///
/// A callback must be registered with the app's API token, character by character except for the
/// case of its host, or lead to a program on the user's own machine by a literal loopback address:
/// a name such as `localhost` can resolve to another address (RFC 8252, 8.3).
enum Callback {
  /// The query parameter with the token.
  static let parameter = "ckWebAuthToken"
  /// The maximum length of a callback in bytes.
  private static let limit = 2048

  /// Whether the browser can be redirected to a callback.
  static func isAllowed(_ callback: String, registered: [String]) -> Bool {
    guard isClean(callback) else { return false }
    return isLoopback(callback)
      || registered.map(loweringHost).contains(loweringHost(callback))
  }

  /// Whether the callback is an `http` URL on the literal address 127.0.0.1 or [::1], with any port
  /// and path.
  static func isLoopback(_ callback: String) -> Bool {
    isClean(callback) && isHTTP(callback, on: ["127.0.0.1", "[::1]"])
  }

  /// Whether a callback can be registered with an API token.
  static func isRegistrable(_ callback: String) -> Bool {
    guard isClean(callback) else { return false }
    let callback = loweringHost(callback)
    if isHTTP(callback, on: ["127.0.0.1", "[::1]", "localhost"]) { return true }
    let scheme = "https://"
    guard callback.hasPrefix(scheme) else { return false }
    let authority = callback.dropFirst(scheme.count).prefix { $0 != "/" && $0 != "?" }
    return WebOrigin.parts(authority) != nil
  }

  /// Returns the callback with the token as a query parameter.
  static func url(_ callback: String, token: String) -> String {
    let hasQuery = callback.utf8.contains(UInt8(ascii: "?"))
    return callback + (hasQuery ? "&" : "?") + parameter + "=" + PercentEncoding.encode(token)
  }

  /// Returns the host and port of a callback, to be shown to the user.
  static func host(of callback: String) -> String {
    let parts = callback.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    return parts.count < 3 ? callback : String(parts[2].prefix { $0 != "?" })
  }

  /// Returns the source of the `form-action` directive that allows the redirect to a callback.
  /// Browsers also apply `form-action` to the redirect after a form. Its grammar has no IPv6
  /// addresses, so these are allowed by their scheme.
  static func formTarget(of callback: String) -> String {
    let scheme = callback.prefix { $0 != ":" }
    let host = host(of: callback)
    return host.hasPrefix("[") ? "\(scheme):" : "\(scheme)://\(host)"
  }

  /// Returns the URL of a callback with the host in lower case. The rest is unchanged.
  private static func loweringHost(_ callback: String) -> String {
    guard let start = callback.firstRange(of: "://")?.upperBound else { return callback }
    let end = callback[start...].firstIndex { $0 == "/" || $0 == "?" } ?? callback.endIndex
    return callback[..<start] + callback[start..<end].lowercased() + callback[end...]
  }

  private static func isHTTP(_ callback: String, on hosts: [String]) -> Bool {
    hosts.contains { host in
      let start = "http://" + host
      guard callback.hasPrefix(start) else { return false }
      let authority = callback.dropFirst("http://".count).prefix { $0 != "/" && $0 != "?" }
      // Parsing the authority rejects a user name before the host and a longer host name.
      return WebOrigin.parts(authority)?.host == host
    }
  }

  /// Whether the callback consists of printable ASCII characters that all browsers interpret in the
  /// same way, and has neither a fragment, which would contain the appended token, nor a token
  /// parameter.
  private static func isClean(_ callback: String) -> Bool {
    callback.utf8.count <= limit
      && callback.utf8.allSatisfy { 0x21...0x7E ~= $0 && !forbidden.contains($0) }
      && !callback.contains(parameter)
  }

  private static let forbidden = Set("\"'<>\\^`{|}#@".utf8)
}
