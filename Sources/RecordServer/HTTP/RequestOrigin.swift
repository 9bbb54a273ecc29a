import CloudRecords
import HTTPTypes
import Hummingbird

/// The rules that determine the client of a request, and the URL under which that client reaches
/// the service.
struct RequestOrigin: Sendable {
  let options: WebOptions

  /// Returns the client's address, to which rate limits apply.
  ///
  /// `X-Forwarded-For` is used only if the connection comes from a trusted proxy. If it has several
  /// addresses, the result is the last one that is not a trusted proxy: the client itself can have
  /// sent the addresses before it.
  func client(_ request: Request, _ context: HTTPContext) -> ClientAddress {
    let peer = context.peer
    guard isTrusted(peer) else { return ClientAddress(peer) }
    let forwarded = request.headers[values: .forwardedFor].joined(separator: ",")
      .split(separator: ",").map { String($0.filter { !$0.isWhitespace }) }
    return ClientAddress(forwarded.last { !isTrusted($0) } ?? peer)
  }

  private func isTrusted(_ address: String) -> Bool {
    HostAddress(address).map(options.trustedProxies.contains) ?? false
  }

  /// Whether the request comes from a program on this machine, and not through a proxy.
  func isLocal(_ request: Request, _ context: HTTPContext) -> Bool {
    let isDirect = request.headers[.forwardedFor] == nil && request.headers[.forwarded] == nil
    return isDirect && !options.isBehindProxy && HostAddress(context.peer)?.isLoopback == true
  }

  /// Returns the beginning of URLs that lead to this service: scheme, host and port.
  func base(_ request: Request, _ context: HTTPContext) -> String {
    if let url = options.url { return url.text }
    let scheme = options.tls == nil ? "http://" : "https://"
    // Use the `Host` header only if a web page cannot forge it by DNS rebinding, that is, by
    // letting its own host name resolve to this server. With TLS, the name has to match the
    // certificate; without TLS, only the names of the local machine are accepted.
    if let named = request.head.authority.flatMap({ WebOrigin(scheme + $0) }),
      options.tls != nil || named.isLoopback
    {
      return named.text
    }
    let port = context.channel.localAddress?.port ?? options.port
    return WebOrigin("\(scheme)\(options.address):\(port)")?.text ?? "\(scheme)127.0.0.1:\(port)"
  }
}

extension WebOrigin {
  fileprivate var isLoopback: Bool {
    ["http://127.0.0.1", "http://localhost", "http://[::1]"].contains { host in
      text == host || text.hasPrefix(host + ":")
    }
  }
}

extension HTTPField.Name {
  /// Creates the name of a header.
  ///
  /// - Parameter name: a token as RFC 9110 defines field names.
  private static func literal(_ name: String) -> HTTPField.Name {
    guard let field = HTTPField.Name(name) else { preconditionFailure("no field name: \(name)") }
    return field
  }

  static let forwardedFor = literal("X-Forwarded-For")
  static let forwarded = literal("Forwarded")
  /// The header with the session's newest web auth token. CloudKit returns a new token in each
  /// response.
  static let webAuthToken = literal("X-Apple-CloudKit-Web-Auth-Token")
  static let history = literal(HistoryReport.header)
  static let serviceID = literal(HistoryReport.serviceHeader)
  static let historyWitness = literal(HistoryReport.witnessHeader)
  static let requestUUID = literal("X-Apple-Request-UUID")
  static let protocolVersion = literal("X-Apple-CloudKit-Version")
  static let keyID = literal("X-Apple-CloudKit-Request-KeyID")
  static let signatureDate = literal("X-Apple-CloudKit-Request-ISO8601Date")
  static let signature = literal("X-Apple-CloudKit-Request-SignatureV1")
  static let fetchSite = literal("Sec-Fetch-Site")
  static let referrerPolicy = literal("Referrer-Policy")
}
