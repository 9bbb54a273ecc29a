import CloudRecords
import HTTPTypes
import Hummingbird
import NIOCore

/// The rules that determine the client of a request, and the URL under which that client reaches
/// the service.
///
/// It is a class, because a waiting long poll would otherwise hold several copies of the options.
final class RequestOrigin: Sendable {
  let options: WebOptions

  init(options: WebOptions) { self.options = options }

  /// Returns the part of the client's address to which rate limits apply; see `ipAddress`.
  func client(_ request: Request, _ context: HTTPContext) -> ClientAddress {
    ClientAddress(ipAddress(request, context))
  }

  /// Returns the client's IP address; nil if it is unknown.
  ///
  /// `X-Forwarded-For` is used only if the connection comes from a trusted proxy. If it has several
  /// addresses, the result is the last one that is not a trusted proxy: the client itself can have
  /// sent the addresses before it.
  func ipAddress(_ request: Request, _ context: HTTPContext) -> HostAddress? {
    let peer = HostAddress(context.peer)
    guard isTrusted(peer) else { return peer }
    let forwarded = request.headers[values: .forwardedFor].joined(separator: ",")
      .split(separator: ",").map { String($0.filter { !$0.isWhitespace }) }
    guard let client = forwarded.last(where: { !isTrusted(HostAddress($0)) }) else { return peer }
    return HostAddress(client)
  }

  private func isTrusted(_ address: HostAddress?) -> Bool {
    address.map(options.trustedProxies.contains) ?? false
  }

  /// Returns the part of a connection's address that has a share of all connections; nil for a
  /// proxy, whose connections belong to many clients.
  func limitedAddress(_ channel: any Channel) -> ClientAddress? {
    let peer = channel.remoteAddress?.ipAddress.flatMap(HostAddress.init)
    return options.isBehindProxy || isTrusted(peer) ? nil : ClientAddress(peer)
  }

  /// Whether the `Host` header names this service.
  ///
  /// A web page whose own host name resolves to this server (DNS rebinding) could otherwise use
  /// everything that the server allows to programs on this machine. Such a page cannot choose the
  /// `Host` header, which has the page's name. The port makes no difference, and neither does a
  /// missing header: browsers always send it.
  ///
  /// - Parameter authority: the value of the header; nil if there is none.
  func isAddressed(_ authority: String?) -> Bool {
    guard let authority, !authority.isEmpty else { return true }
    guard let host = WebOrigin("http://" + authority)?.host else { return false }
    return host == options.url?.host || host == options.urlHost.lowercased() || host == "localhost"
      || HostAddress(host.trimmingBrackets)?.isLoopback == true
  }

  /// Whether the request comes from a program on this machine, and not through a proxy.
  func isLocal(_ request: Request, _ context: HTTPContext) -> Bool {
    let isDirect = request.headers[.forwardedFor] == nil && request.headers[.forwarded] == nil
    return isDirect && !options.isBehindProxy && HostAddress(context.peer)?.isLoopback == true
  }

  /// Returns the beginning of URLs that lead to this service: scheme, host and port.
  func base(_ request: Request, _ context: HTTPContext) -> String {
    if let url = options.url { return url.text }
    // Without a URL, only programs on this machine reach the service. `isAddressed` has checked
    // the name.
    if let named = request.head.authority.flatMap({ WebOrigin("http://" + $0) }) {
      return named.text
    }
    let port = context.channel.localAddress?.port ?? options.port
    return WebOrigin("http://\(options.urlHost):\(port)")?.text ?? "http://127.0.0.1:\(port)"
  }
}

extension String {
  /// An IPv6 address without the brackets that it has in a URL.
  fileprivate var trimmingBrackets: String {
    hasPrefix("[") && hasSuffix("]") ? String(dropFirst().dropLast()) : self
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
  static let frameOptions = literal("X-Frame-Options")
}
