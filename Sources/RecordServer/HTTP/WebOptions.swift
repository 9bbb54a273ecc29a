/// How the service is reached.
public struct WebOptions: Sendable {
  /// A name or address of this machine.
  public var address = "127.0.0.1"
  /// 0 for any free one.
  public var port = 8787
  /// Where clients find the service, without a path, as `https://records.example.org`; nil for
  /// what their requests say, as far as that can be.
  public var url: WebOrigin?
  /// Nil where requests come as they are: on this machine only, or by a proxy.
  public var tls: TLSFiles?
  /// Whether a proxy before the service speaks TLS with clients.
  public var isBehindProxy = false
  /// Those whose `X-Forwarded-For` is believed.
  public var trustedProxies: Set<HostAddress> = []
  /// Seconds a long poll is held where nothing happens.
  public var pollSeconds: Int64 = 50
  /// Seconds that a request's head may take, and that a connection may wait for one.
  public var headSeconds: Int64 = 75
  /// Seconds that the rest of a request may take.
  public var bodySeconds: Int64 = 60
  /// Seconds that an answer may stand still on its way, before what it takes is freed.
  public var stallSeconds: Int64 = 30
  /// Seconds that what was begun may take when the service is told to end.
  public var farewellSeconds: Int64 = 20
  /// Connections at once; more wait.
  public var connections = 4000

  /// Files in PEM.
  public struct TLSFiles: Hashable, Sendable {
    public var certificates: String
    public var key: String

    public init(certificates: String, key: String) {
      self.certificates = certificates
      self.key = key
    }
  }

  public init() {}

  /// Whether nobody but this machine reaches the service.
  public var isForThisMachine: Bool { isLoopback && !isBehindProxy }

  private var isLoopback: Bool {
    ["localhost", "::1"].contains(address) || address.hasPrefix("127.")
  }

  /// What keeps the service from being reached so: passwords would go through the net as they
  /// are, or links would lead nowhere.
  public var problem: WebOptionsProblem? {
    if !isLoopback, tls == nil, !isBehindProxy { return .plainText(address) }
    if isBehindProxy, url == nil { return .noURL }
    if isBehindProxy, let url, !url.text.hasPrefix("https://") { return .plainURL(url) }
    return nil
  }
}

public enum WebOptionsProblem: Error, Hashable, Sendable {
  /// An address of the net, without TLS.
  case plainText(String)
  /// Behind a proxy nobody else knows it.
  case noURL
  /// The proxy has to speak TLS.
  case plainURL(WebOrigin)
}
