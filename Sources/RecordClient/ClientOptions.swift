import CloudRecords
import FoundationEssentials

/// The configuration of a `RecordClient`.
public struct ClientOptions: Sendable {
  /// The maximum time for establishing a connection.
  public var connectTimeout = Duration.seconds(10)
  /// The maximum time for a request and its response.
  public var requestTimeout = Duration.seconds(60)
  /// The maximum time for ending a session. The local token is deleted regardless of the result.
  public var endTimeout = Duration.seconds(10)
  /// The maximum time that one long poll waits for a notification.
  public var pollTimeout = Duration.seconds(75)
  /// The maximum time for the upload or download of an asset.
  public var assetTimeout = Duration.seconds(300)
  /// The maximum number of operations sent per second. The record service accepts 200.
  public var operationsPerSecond = 180.0
  /// The value of the `User-Agent` header field.
  public var userAgent = "quran-vi"
  /// The path of a PEM file with the certificate authorities to trust instead of those of the
  /// system; nil for those of the system.
  var certificateAuthorities: String?
  /// The clock for timeouts and for the rate of operations.
  public var clock: any Clock<Duration> = ContinuousClock()
  /// The maximum size of a decompressed response body in bytes.
  var responseBytes = JSONBounds.response.bytes

  private static let certificateAuthoritiesVariable = "SSL_CERT_FILE"

  /// Creates the default options.
  public init() {}

  /// Creates the options that the environment specifies.
  ///
  /// `SSL_CERT_FILE` is the path of a PEM file with certificate authorities. libcurl itself reads
  /// the proxy variables `https_proxy`, `http_proxy`, `all_proxy` and `no_proxy`; loopback
  /// addresses are never accessed through a proxy.
  ///
  /// - Throws: A `Problem` if a variable is invalid.
  public static func environment(_ variables: [String: String]) throws(Problem) -> ClientOptions {
    var options = ClientOptions()
    if let path = variables[certificateAuthoritiesVariable], !path.isEmpty {
      // libcurl would report an invalid file only when it connects, as a TLS failure.
      let mark = Data("-----BEGIN ".utf8)
      guard let file = try? Data(contentsOf: URL(filePath: path)), file.firstRange(of: mark) != nil
      else { throw .certificateAuthorities(variable: certificateAuthoritiesVariable, path: path) }
      options.certificateAuthorities = path
    }
    return options
  }

  /// The reason why the environment is invalid.
  public enum Problem: Error, Hashable, Sendable {
    /// The variable names a file that cannot be read or has no certificate.
    case certificateAuthorities(variable: String, path: String)
  }
}
