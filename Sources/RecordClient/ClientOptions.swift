import CloudRecords

/// How a client behaves.
public struct ClientOptions: Sendable {
  /// How long a connection may take to be made.
  public var connectTimeout = Duration.seconds(10)
  /// How long a request may take, its answer included.
  public var requestTimeout = Duration.seconds(60)
  /// How long a notification is waited for in one poll.
  public var pollTimeout = Duration.seconds(75)
  /// Operations on records that are sent in a second; a service takes 200.
  public var operationsPerSecond = 180.0
  /// What the client says it is.
  public var userAgent = "quran-vi"
  public var proxies = Proxies()
  /// Who is trusted to tell which servers are what they say; nil for whom the system trusts.
  public var authorities: Authorities?
  /// Measures the timeouts of requests and the pace.
  public var clock: any Clock<Duration> = ContinuousClock()
  /// The most bytes of an answer.
  var answerBytes = JSONBounds.answer.bytes

  public init() {}

  /// What the environment says: proxies, and in `SSL_CERT_FILE` whom to trust.
  public static func environment(_ variables: [String: String]) throws(Problem) -> ClientOptions {
    var options = ClientOptions()
    options.proxies = try Proxies(variables)
    if let path = variables[Authorities.variable], !path.isEmpty {
      options.authorities = try Authorities(file: path)
    }
    return options
  }

  /// What is wrong with the environment.
  public enum Problem: Error, Hashable, Sendable {
    /// The variable names a file of authorities that cannot be read, or has no certificate.
    case authorities(variable: String, path: String)
    /// The variable is no URL of a proxy that can be used. What it says is not told: it may
    /// have a password in it.
    case proxy(variable: String)
    /// The variable names a SOCKS proxy with a password, which is not supported.
    case socksPassword(variable: String)
  }
}

extension ClientOptions.Problem: CustomStringConvertible {
  public var description: String {
    switch self {
    case .authorities(let variable, let path):
      "\(variable) names \(path), which cannot be read as certificates in PEM form"
    case .proxy(let variable):
      "\(variable) is not the URL of a proxy, as http://host:port or socks5://host:port"
    case .socksPassword(let variable):
      "\(variable) has a password for a SOCKS proxy, which is not supported"
    }
  }
}
