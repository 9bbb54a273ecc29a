/// The configuration of the HTTP server.
public struct WebOptions: Sendable {
  /// The host name or IP address to listen on.
  public var address = "127.0.0.1"
  /// The port to listen on; 0 lets the kernel choose a free one.
  public var port = 8787
  /// The public URL of the service without a path, such as `https://records.example.org`. It is
  /// required with TLS, and requests for another host are refused. If it is nil, URLs are built
  /// from the requests' `Host` header or the listening address.
  public var url: WebOrigin?
  /// The certificate and key for TLS; nil if the server speaks plain HTTP, which is allowed only on
  /// this machine or behind a proxy.
  public var tls: TLSFiles?
  /// Whether a reverse proxy terminates TLS.
  public var isBehindProxy = false
  /// The addresses of the proxies whose `X-Forwarded-For` header is trusted.
  public var trustedProxies: Set<HostAddress> = []
  /// How many operations an account may carry out; nil for no limit. Sign-in and requests without a
  /// user have limits of their own.
  public var accountRate: TokenBucket.Rate? = .user
  /// The duration of a long poll without a notification, in seconds.
  public var pollSeconds: Int64 = 50
  /// The time limit for the head of a connection's first request, and for the TLS handshake before
  /// it, in seconds.
  public var firstHeadSeconds: Int64 = 10
  /// The time limit for the head of any other request, and for an idle connection, in seconds.
  public var headSeconds: Int64 = 75
  /// The time limit for the rest of a request, in seconds.
  public var bodySeconds: Int64 = 60
  /// The time after which a connection is closed if its response makes no progress, in seconds.
  public var stallSeconds: Int64 = 30
  /// The time limit for open requests during a graceful shutdown, in seconds.
  public var shutdownSeconds: Int64 = 20
  /// The maximum number of open connections. A further connection replaces the one that has been
  /// idle for the longest time.
  public var connections = 4000
  /// The limit for the response bodies that are not written yet, in bytes.
  var responseBytes = BodyBudget.responseBytes
  /// The maximum number of connections of one client address: an IPv4 address, or a /64 network of
  /// IPv6. Proxies have no such limit.
  public var connectionsPerAddress = 250

  /// The paths of the certificate chain and the private key, both in PEM.
  public struct TLSFiles: Hashable, Sendable {
    /// The path of the certificate chain, beginning with the server's certificate.
    public var certificates: String
    /// The path of the certificate's private key.
    public var key: String

    public init(certificates: String, key: String) {
      self.certificates = certificates
      self.key = key
    }
  }

  public init() {}

  /// Whether only programs on this machine can reach the service.
  public var isForThisMachine: Bool { isLoopback && !isBehindProxy }

  /// Whether clients reach the service by TLS.
  var usesTLS: Bool { tls != nil || isBehindProxy }

  /// The address as a URL has it: an IPv6 address in brackets.
  var urlHost: String { address.contains(":") ? "[\(address)]" : address }

  private var isLoopback: Bool {
    address == "localhost" || HostAddress(address)?.isLoopback == true
  }

  /// The reason why these options are not allowed; nil if they are. With the allowed options, no
  /// password goes over the network without TLS, and the URLs in responses lead to the service.
  public var problem: WebOptionsProblem? {
    if !isLoopback, !usesTLS { return .plainText(address) }
    if usesTLS, url == nil { return .noURL }
    if usesTLS, let url, !url.text.hasPrefix("https://") { return .plainURL(url) }
    return nil
  }

  /// The reason why an ephemeral service cannot be served with these options; nil if it can.
  /// Everyone who reaches such a service can read and change everything in it.
  public var ephemeralProblem: WebOptionsProblem? {
    isForThisMachine && tls == nil ? nil : .notForThisMachine(address)
  }
}

/// The reason why options of the HTTP server are not allowed.
public enum WebOptionsProblem: Error, Hashable, Sendable {
  /// The address is not a loopback address, and neither the server nor a proxy uses TLS.
  case plainText(String)
  /// The public URL is missing. It is required if the server or a proxy uses TLS.
  case noURL
  /// The public URL begins with `http`, although the server or a proxy uses TLS.
  case plainURL(WebOrigin)
  /// The service is ephemeral, and the options let other machines reach it, or use TLS.
  case notForThisMachine(String)
}
