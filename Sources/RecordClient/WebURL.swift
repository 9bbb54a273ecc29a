import Glibc

/// An http or https URL. It is parsed more strictly than RFC 3986 asks: without user information,
/// and with ASCII characters only.
struct WebURL: Hashable, Sendable {
  enum Scheme: String, Sendable {
    case http
    case https

    var defaultPort: Int { self == .https ? 443 : 80 }
  }

  let scheme: Scheme
  /// The host in lowercase; an IPv6 address in its canonical form, without brackets.
  let host: String
  /// The port; the default port of the scheme if the URL does not state it.
  let port: Int
  /// The path, query and fragment as written; empty if there are none.
  let rest: String

  /// Parses a URL.
  ///
  /// - Throws: The reason for rejecting it.
  init(_ text: String) throws(AddressProblem) {
    guard text.utf8.allSatisfy(ASCII.isGraphic), !text.utf8.contains(UInt8(ascii: "\\")) else {
      throw .characters
    }
    guard let colon = text.firstIndex(of: ":"),
      let scheme = Scheme(rawValue: text[..<colon].lowercased()),
      text[colon...].hasPrefix("://")
    else { throw .scheme }
    let afterScheme = text[colon...].dropFirst(3)
    let authority = afterScheme.prefix { !"/?#".contains($0) }
    guard !authority.contains("@") else { throw .userInfo }
    let (host, port) = try Self.hostAndPort(authority)
    self.scheme = scheme
    self.host = host
    self.port = port ?? scheme.defaultPort
    rest = String(afterScheme[authority.endIndex...])
  }

  /// Parses an authority without user information.
  ///
  /// - Returns: The host, and the port or nil if there is none.
  static func hostAndPort(_ authority: Substring) throws(AddressProblem) -> (String, Int?) {
    let host: String
    let afterHost: Substring
    if authority.first == "[" {
      guard let end = authority.firstIndex(of: "]"),
        let address = IPAddress(String(authority[..<end].dropFirst())), address.isV6
      else { throw .host }
      host = address.text
      afterHost = authority[end...].dropFirst()
    } else {
      let name = authority.prefix { $0 != ":" }
      guard Self.isHost(name) else { throw .host }
      host = name.lowercased()
      afterHost = authority[name.endIndex...]
    }
    guard let separator = afterHost.first else { return (host, nil) }
    let digits = afterHost.dropFirst()
    guard separator == ":" else { throw .port }
    // An empty port is the default port (RFC 3986, 3.2.3).
    guard !digits.isEmpty else { return (host, nil) }
    guard digits.utf8.allSatisfy(ASCII.isDigit), let port = Int(digits),
      (1...65535).contains(port)
    else { throw .port }
    return (host, port)
  }

  /// Whether a name consists of ASCII letters, digits, hyphens and underscores, separated by dots,
  /// with at most 253 bytes. A dot at the end is allowed. Internationalized names must be in their
  /// ASCII form, `xn--…`.
  private static func isHost(_ name: Substring) -> Bool {
    !name.isEmpty && name.utf8.count <= 253
      && name.utf8.allSatisfy {
        ASCII.isLetter($0) || ASCII.isDigit($0) || [0x2D, 0x2E, 0x5F].contains($0)
      }
      && !name.hasPrefix(".") && !name.contains("..")
  }

  /// The scheme, host and port; the default port is omitted.
  var origin: String {
    let host = host.contains(":") ? "[\(host)]" : host
    return "\(scheme.rawValue)://\(host)" + (port == scheme.defaultPort ? "" : ":\(port)")
  }

  /// Whether the host is `localhost` or a loopback address.
  var isLoopback: Bool { host == "localhost" || IPAddress(host)?.isLoopback == true }
}

/// An IP address in its canonical form.
private struct IPAddress {
  let text: String
  let isV6: Bool

  init?(_ text: String) {
    // A buffer that is large enough for either family.
    var address = in6_addr()
    var canonical = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let family = [AF_INET, AF_INET6].first { inet_pton($0, text, &address) == 1 }
    guard let family, inet_ntop(family, &address, &canonical, socklen_t(canonical.count)) != nil
    else { return nil }
    let bytes = canonical.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
    self.text = String(decoding: bytes, as: UTF8.self)
    isV6 = family == AF_INET6
  }

  var isLoopback: Bool { isV6 ? text == "::1" : text.hasPrefix("127.") }
}
