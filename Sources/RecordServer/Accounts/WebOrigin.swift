/// The origin of a web page, as in the `Origin` header (RFC 6454).
public struct WebOrigin: Hashable, Sendable {
  /// The origin in lower case, without the default port of its scheme.
  public let text: String
  /// The host in lower case; an IPv6 address is in brackets.
  let host: String

  /// Parses an origin.
  ///
  /// - Returns: nil if the string is not `http` or `https`, a host and an optional port.
  public init?(_ text: String) {
    let text = text.lowercased()
    guard text.utf8.count <= 300, let (scheme, ordinary) = Self.scheme(of: text) else { return nil }
    let authority = text.dropFirst(scheme.count)
    guard let (host, port) = Self.parts(authority) else { return nil }
    self.host = host
    self.text = scheme + host + (port == nil || port == ordinary ? "" : ":\(port ?? 0)")
  }

  private static func scheme(of text: String) -> (String, port: Int)? {
    if text.hasPrefix("https://") { return ("https://", 443) }
    if text.hasPrefix("http://") { return ("http://", 80) }
    return nil
  }

  /// Splits the authority of a URL into host and port.
  ///
  /// - Returns: nil if it is not a valid host with an optional port.
  static func parts(_ authority: Substring) -> (host: String, port: Int?)? {
    var host = authority
    var port: Int?
    let afterHost = authority.hasPrefix("[") ? authority.firstIndex(of: "]") : nil
    if let colon = authority[(afterHost ?? authority.startIndex)...].firstIndex(of: ":") {
      let digits = authority[authority.index(after: colon)...]
      guard digits.utf8.count <= 5, digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }),
        let number = Int(digits), 1...65535 ~= number
      else { return nil }
      port = number
      host = authority[..<colon]
    }
    let isHost: (UInt8) -> Bool
    if host.hasPrefix("[") {
      guard host.hasSuffix("]"), host.utf8.count > 2 else { return nil }
      host = host.dropFirst().dropLast()
      isHost = { 0x30...0x39 ~= $0 || 0x61...0x66 ~= $0 || $0 == UInt8(ascii: ":") }
      guard host.utf8.allSatisfy(isHost) else { return nil }
      return ("[\(host)]", port)
    }
    isHost = { 0x30...0x39 ~= $0 || 0x61...0x7A ~= $0 || $0 == 0x2D || $0 == 0x2E }
    guard !host.isEmpty, host.utf8.allSatisfy(isHost), host.first != ".", host.first != "-" else {
      return nil
    }
    return (String(host), port)
  }
}
