import CloudRecords
import FoundationEssentials

/// How a client behaves.
public struct ClientOptions: Sendable {
  /// How long a connection may take to be made.
  public var connectTimeout = Duration.seconds(10)
  /// How long a request may take, its answer included.
  public var requestTimeout = Duration.seconds(60)
  /// How long the end of a session is waited for: the token is forgotten here in any case.
  public var endTimeout = Duration.seconds(10)
  /// How long a notification is waited for in one poll.
  public var pollTimeout = Duration.seconds(75)
  /// Operations on records that are sent in a second; a service takes 200.
  public var operationsPerSecond = 180.0
  /// What the client says it is.
  public var userAgent = "quran-vi"
  /// A file of certificates in PEM form: of those who are trusted to tell which servers are what
  /// they say, instead of those whom the system trusts; nil for the system's.
  var authorities: String?
  /// Measures the timeouts of requests and the pace.
  public var clock: any Clock<Duration> = ContinuousClock()
  /// The most bytes of an answer.
  var answerBytes = JSONBounds.answer.bytes

  private static let authoritiesVariable = "SSL_CERT_FILE"

  public init() {}

  /// What the environment says: in `SSL_CERT_FILE` whom to trust. Proxies are libcurl's, from the same
  /// variables as the command's: `https_proxy`, `http_proxy`, `all_proxy`, `no_proxy`; this machine is
  /// never reached by one.
  public static func environment(_ variables: [String: String]) throws(Problem) -> ClientOptions {
    var options = ClientOptions()
    if let path = variables[authoritiesVariable], !path.isEmpty {
      // libcurl would tell it only when it connects, and as a failure of TLS.
      let mark = Data("-----BEGIN ".utf8)
      guard let file = try? Data(contentsOf: URL(filePath: path)), file.firstRange(of: mark) != nil
      else { throw .authorities(variable: authoritiesVariable, path: path) }
      options.authorities = path
    }
    return options
  }

  /// What is wrong with the environment.
  public enum Problem: Error, Hashable, Sendable {
    /// The variable names a file of authorities that cannot be read, or has no certificate.
    case authorities(variable: String, path: String)
  }
}
