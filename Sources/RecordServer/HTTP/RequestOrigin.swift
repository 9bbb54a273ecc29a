import CloudRecords
import HTTPTypes
import Hummingbird

/// Whom a request comes from, and where its sender finds the service.
struct RequestOrigin: Sendable {
  let options: WebOptions

  /// Whose request it is, as far as limits go. What a proxy says of it is believed only of
  /// those that are trusted; of several addresses the last that is none of theirs is meant, as
  /// what stands before it may have been sent along by anyone.
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

  /// Whether a request comes from this very machine, and from no proxy on it.
  func isLocal(_ request: Request, _ context: HTTPContext) -> Bool {
    let isDirect = request.headers[.forwardedFor] == nil && request.headers[.forwarded] == nil
    return isDirect && !options.isBehindProxy
      && ["127.0.0.1", "::1", "::ffff:127.0.0.1"].contains(context.peer)
  }

  /// Where URLs begin that lead here.
  func base(_ request: Request, _ context: HTTPContext) -> String {
    if let url = options.url { return url.text }
    let scheme = options.tls == nil ? "http://" : "https://"
    // Any page may send a browser here under a name of its own; in plain text only this
    // machine is meant.
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
  /// The names are tokens as RFC 9110 has them.
  private static func literal(_ name: String) -> HTTPField.Name {
    guard let field = HTTPField.Name(name) else { preconditionFailure("no field name: \(name)") }
    return field
  }

  static let forwardedFor = literal("X-Forwarded-For")
  static let forwarded = literal("Forwarded")
  /// The session's newest token (cloudkit-web-services.md 1.2).
  static let webAuthToken = literal("X-Apple-CloudKit-Web-Auth-Token")
  static let history = literal(HistoryReport.header)
  static let serviceID = literal(HistoryReport.serviceHeader)
  static let historyWitness = literal(HistoryReport.witnessHeader)
  static let requestUUID = literal("X-Apple-Request-UUID")
  static let protocolVersion = literal("X-Apple-CloudKit-Version")
  static let serverKeyID = literal("X-Apple-CloudKit-Request-KeyID")
  static let fetchSite = literal("Sec-Fetch-Site")
  static let referrerPolicy = literal("Referrer-Policy")
}
