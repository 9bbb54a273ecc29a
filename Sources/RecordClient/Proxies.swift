/// Which proxy leads where, as curl reads it from the environment.
///
/// - `https_proxy`, `HTTPS_PROXY`: for https.
/// - `http_proxy`: for http; only in lower case, since a web server hands a header `Proxy` to
///   the programs it runs as `HTTP_PROXY`.
/// - `all_proxy`, `ALL_PROXY`: for what has none of its own.
/// - `no_proxy`, `NO_PROXY`: hosts that are reached without one, separated by commas or spaces.
///   A name is also that of everything below it, with or without a dot before it; a port
///   restricts it to that port; `*` is every host.
///
/// An empty variable is none. This machine is never reached by a proxy.
public struct Proxies: Hashable, Sendable {
  private var https: ProxyServer?
  private var http: ProxyServer?
  private var excepted: [Exception] = []

  private enum Exception: Hashable {
    case everything
    /// The port is nil for any.
    case host(String, port: Int?)
  }

  /// None at all.
  public init() {}

  public init(_ environment: [String: String]) throws(ClientOptions.Problem) {
    func server(_ names: String...) throws(ClientOptions.Problem) -> ProxyServer? {
      for name in names {
        guard let text = environment[name], !text.isEmpty else { continue }
        return try ProxyServer(text, from: name)
      }
      return nil
    }
    https = try server("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")
    http = try server("http_proxy", "all_proxy", "ALL_PROXY")
    let exceptions = ["no_proxy", "NO_PROXY"].compactMap { environment[$0] }.first { !$0.isEmpty }
    excepted = (exceptions ?? "").split { $0 == "," || $0.isWhitespace }.compactMap(Self.exception)
  }

  private static func exception(_ text: Substring) -> Exception? {
    if text == "*" { return .everything }
    var name = text
    while name.first == "." { name.removeFirst() }
    // An IPv6 address may stand without its brackets.
    if name.first != "[", name.count(where: { $0 == ":" }) > 1 { name = "[\(name)]" }
    guard let (host, port) = try? WebURL.hostAndPort(name) else { return nil }
    return .host(Self.withoutLastDot(host), port: port)
  }

  /// `example.org.` is `example.org`.
  private static func withoutLastDot(_ host: String) -> String {
    host.hasSuffix(".") ? String(host.dropLast()) : host
  }

  /// The proxy that leads to a URL; nil for none.
  public func server(for url: String) -> ProxyServer? {
    (try? WebURL(url)).flatMap(server(for:))
  }

  func server(for url: WebURL) -> ProxyServer? {
    guard !url.isLoopback else { return nil }
    let host = Self.withoutLastDot(url.host)
    let isExcepted = excepted.contains { exception in
      switch exception {
      case .everything: true
      case .host(let name, let port):
        (port == nil || port == url.port) && (host == name || host.hasSuffix("." + name))
      }
    }
    if isExcepted { return nil }
    return url.scheme == .https ? https : http
  }
}
