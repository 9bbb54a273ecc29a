/// Where a browser is sent with a web auth token, when someone has signed in.
///
/// Only to an address that the app's API token has registered, compared as a whole, or to a
/// program on the browser's own machine by a literal address of it: a name such as
/// `localhost` may lead elsewhere (RFC 8252, 8.3).
enum Callback {
  static let parameter = "ckWebAuthToken"
  /// Bytes of a callback.
  private static let limit = 2048

  static func isAllowed(_ callback: String, registered: [String]) -> Bool {
    registered.contains(callback) || isLoopback(callback)
  }

  /// `http` on the literal 127.0.0.1 or [::1], with any port and path.
  static func isLoopback(_ callback: String) -> Bool {
    isClean(callback) && isHTTP(callback, on: ["127.0.0.1", "[::1]"])
  }

  /// Whether an API token may have it.
  static func isRegistrable(_ callback: String) -> Bool {
    guard isClean(callback) else { return false }
    if isHTTP(callback, on: ["127.0.0.1", "[::1]", "localhost"]) { return true }
    let scheme = "https://"
    guard callback.hasPrefix(scheme) else { return false }
    let authority = callback.dropFirst(scheme.count).prefix { $0 != "/" && $0 != "?" }
    return WebOrigin.parts(authority) != nil
  }

  /// The callback with the token.
  static func url(_ callback: String, token: String) -> String {
    let hasQuery = callback.utf8.contains(UInt8(ascii: "?"))
    return callback + (hasQuery ? "&" : "?") + parameter + "=" + percentEncoded(token)
  }

  /// Host and port, for people to see.
  static func host(of callback: String) -> String {
    let parts = callback.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    return parts.count < 3 ? callback : String(parts[2].prefix { $0 != "?" })
  }

  /// Where a form may lead for it, as a Content-Security-Policy names that. Browsers hold
  /// the redirect that answers a form against it; their grammar has no IPv6 address.
  static func formTarget(of callback: String) -> String {
    let scheme = callback.prefix { $0 != ":" }
    let host = host(of: callback)
    return host.hasPrefix("[") ? "\(scheme):" : "\(scheme)://\(host)"
  }

  /// All but letters, digits and `- . _ ~` (RFC 3986, 2.3); `+` too, which many read as a
  /// space.
  static func percentEncoded(_ text: String) -> String {
    var encoded = ""
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"):
        encoded.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        encoded += "%" + Hex.text([byte]).uppercased()
      }
    }
    return encoded
  }

  private static func isHTTP(_ callback: String, on hosts: [String]) -> Bool {
    hosts.contains { host in
      let start = "http://" + host
      guard callback.hasPrefix(start) else { return false }
      let authority = callback.dropFirst("http://".count).prefix { $0 != "/" && $0 != "?" }
      // What follows the host can only be a port: no user, no longer name.
      return WebOrigin.parts(authority)?.host == host
    }
  }

  /// Printable ASCII without what browsers read in ways of their own, without a fragment,
  /// which would swallow the token, and without a token already.
  private static func isClean(_ callback: String) -> Bool {
    callback.utf8.count <= limit
      && callback.utf8.allSatisfy { 0x21...0x7E ~= $0 && !forbidden.contains($0) }
      && !callback.contains(parameter)
  }

  private static let forbidden = Set("\"'<>\\^`{|}#@".utf8)
}
