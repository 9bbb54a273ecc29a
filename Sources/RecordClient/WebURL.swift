#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A URL of the web, read strictly: what two readers could understand differently is none.
struct WebURL: Hashable, Sendable {
  enum Scheme: String, Sendable {
    case http
    case https

    var port: Int { self == .https ? 443 : 80 }
  }

  /// Why a text is none that is used.
  enum Problem: Error, Hashable, Sendable {
    /// A space, a control character, or one outside ASCII.
    case characters
    case scheme
    case userInfo
    case host
    case port
  }

  let scheme: Scheme
  /// In lower case; an IPv6 address without its brackets.
  let host: String
  let port: Int
  /// Path, query and fragment as they came; empty for none of them.
  let rest: String

  init(_ text: String) throws(Problem) {
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
    self.port = port ?? scheme.port
    rest = String(afterScheme[authority.endIndex...])
  }

  /// The host and the port of an authority without user info.
  ///
  /// - Returns: nil for the port where none is said.
  static func hostAndPort(_ authority: Substring) throws(Problem) -> (String, Int?) {
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
    guard let colon = afterHost.first else { return (host, nil) }
    let digits = afterHost.dropFirst()
    // An empty port is the scheme's (RFC 3986, 3.2.3).
    guard colon == ":" else { throw .port }
    guard !digits.isEmpty else { return (host, nil) }
    guard digits.utf8.allSatisfy(ASCII.isDigit), let port = Int(digits),
      (1...65535).contains(port)
    else { throw .port }
    return (host, port)
  }

  /// Letters, digits, hyphens and underscores between dots; other alphabets as they stand in
  /// the name system, `xn--…`.
  private static func isHost(_ name: Substring) -> Bool {
    !name.isEmpty && name.utf8.count <= 253
      && name.utf8.allSatisfy {
        ASCII.isLetter($0) || ASCII.isDigit($0) || [0x2D, 0x2E, 0x5F].contains($0)
      }
      && !name.hasPrefix(".") && !name.contains("..")
  }

  /// Scheme, host and port, the port only where it is not the scheme's.
  var origin: String {
    let host = host.contains(":") ? "[\(host)]" : host
    return "\(scheme.rawValue)://\(host)" + (port == scheme.port ? "" : ":\(port)")
  }

  /// Whether it leads to this machine, and to nothing else.
  var isLoopback: Bool { host == "localhost" || IPAddress(host)?.isLoopback == true }
}

/// An address in its canonical form.
private struct IPAddress {
  let text: String
  let isV6: Bool

  init?(_ text: String) {
    // As many bytes as the longer kind has.
    var address = in6_addr()
    var canonical = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let family = [AF_INET, AF_INET6].first { inet_pton($0, text, &address) == 1 }
    guard let family, inet_ntop(family, &address, &canonical, socklen_t(canonical.count)) != nil
    else { return nil }
    self.text = canonical.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    isV6 = family == AF_INET6
  }

  var isLoopback: Bool { isV6 ? text == "::1" : text.hasPrefix("127.") }
}
