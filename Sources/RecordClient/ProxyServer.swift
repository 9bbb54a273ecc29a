import AsyncHTTPClient

/// What stands between this machine and a service. Its password is never printed.
public struct ProxyServer: Hashable, Sendable {
  public enum Kind: String, Hashable, Sendable {
    /// Asked by CONNECT.
    case http
    case socks5
  }

  public let kind: Kind
  public let host: String
  public let port: Int
  let user: String?
  let password: String?

  /// Where no port is said, as with curl.
  private static let usualPort = 1080

  /// - Parameters:
  ///   - text: `http://user:password@host:port`, `socks5://host:port`, or `host:port`.
  ///   - variable: where it comes from.
  init(_ text: String, from variable: String) throws(ClientOptions.Problem) {
    guard text.utf8.allSatisfy(ASCII.isGraphic) else { throw .proxy(variable: variable) }
    var rest = text[...]
    var scheme = "http"
    if let range = text.firstRange(of: "://") {
      scheme = text[..<range.lowerBound].lowercased()
      rest = text[range.upperBound...]
    }
    switch scheme {
    case "http": kind = .http
    case "socks5", "socks5h": kind = .socks5
    default: throw .proxy(variable: variable)
    }
    if rest.hasSuffix("/") { rest.removeLast() }
    let at = rest.lastIndex(of: "@")
    let hostAndPort = at.map { rest[rest.index(after: $0)...] } ?? rest
    do {
      let (host, port) = try WebURL.hostAndPort(hostAndPort)
      self.host = host
      self.port = port ?? Self.usualPort
    } catch {
      throw .proxy(variable: variable)
    }
    guard let at else {
      user = nil
      password = nil
      return
    }
    guard kind == .http else { throw .socksPassword(variable: variable) }
    let parts = rest[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard let user = PercentEncoding.decode(parts[0]),
      let password = PercentEncoding.decode(parts.count > 1 ? parts[1] : "")
    else { throw .proxy(variable: variable) }
    self.user = user
    self.password = password
  }

  var configuration: HTTPClient.Configuration.Proxy {
    switch kind {
    case .socks5: .socksServer(host: host, port: port)
    case .http:
      .server(
        host: host, port: port,
        authorization: user.map { .basic(username: $0, password: password ?? "") })
    }
  }
}

extension ProxyServer: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String {
    "\(kind.rawValue)://\(host.contains(":") ? "[\(host)]" : host):\(port)"
  }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
