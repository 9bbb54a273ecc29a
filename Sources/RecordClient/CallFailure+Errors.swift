import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension CallFailure {
  /// What an error of the network means for a request whose answer had not begun.
  ///
  /// In short words of our own: those of the libraries may have a URL in them. What is not
  /// known to have happened before the request was sent may have happened after it.
  init(beforeAnswer error: any Error) {
    switch error {
    case is CancellationError: self = .cancelled
    case let error as HTTPClientError: self = Self.ofClient(error)
    case let error as NIOConnectionError: self = .unreachable(Self.phrase(error))
    case ChannelError.connectTimeout: self = .unreachable(Self.slow)
    case let error as IOError:
      // Of a host that is an address. Any other may also end a connection that was made.
      let phrase = Self.phrase(error) ?? Self.cut
      self = error.errnoCode == ECONNREFUSED ? .unreachable(phrase) : .answerLost(phrase)
    case NIOSSLError.uncleanShutdown: self = .answerLost(Self.cut)
    case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError:
      self = .unreachable(Self.tlsPhrase(error))
    case HTTPParserError.invalidEOFState, HTTPParserError.closedConnection:
      self = .answerLost(Self.cut)
    case is HTTPParserError: self = .unexpectedAnswer(status: 0, "not HTTP")
    default: self = .answerLost(Self.cut)
    }
  }

  /// What an error of the network means for an answer that had begun.
  init(duringAnswer error: any Error) {
    let isCancelled = error is CancellationError || error as? HTTPClientError == .cancelled
    self = isCancelled ? .cancelled : .answerLost(Self.cut)
  }

  private static let cut = "the connection was cut"
  static let slow = "it took too long"

  private static func ofClient(_ error: HTTPClientError) -> CallFailure {
    switch error {
    case .cancelled, .alreadyShutdown: .cancelled
    case .connectTimeout, .getConnectionFromPoolTimeout: .unreachable(slow)
    case .tlsHandshakeTimeout: .unreachable("TLS: \(slow)")
    case .socksHandshakeTimeout, .httpProxyHandshakeTimeout: .unreachable("the proxy: \(slow)")
    case .proxyAuthenticationRequired: .unreachable("the proxy asks for a password")
    case .invalidProxyResponse: .unreachable("the proxy refused")
    case .readTimeout, .writeTimeout, .deadlineExceeded: .answerLost(slow)
    case .invalidURL, .emptyHost, .emptyScheme, .invalidProxyConfiguration:
      .unreachable("the address cannot be used")
    default: .answerLost(cut)
    }
  }

  private static func phrase(_ error: NIOConnectionError) -> String {
    // What failed to connect tells more than a name that has addresses of one kind only.
    for failure in error.connectionErrors {
      if let phrase = (failure.error as? IOError).flatMap(phrase) { return phrase }
      if case .connectTimeout? = failure.error as? ChannelError { return slow }
    }
    if error.connectionErrors.isEmpty, error.dnsAError != nil || error.dnsAAAAError != nil {
      return "the name is not known"
    }
    return "no connection"
  }

  private static func phrase(_ error: IOError) -> String? {
    switch error.errnoCode {
    case ECONNREFUSED: "connection refused"
    case ENETUNREACH, EHOSTUNREACH, ENETDOWN: "no way to the network"
    case ETIMEDOUT: slow
    default: nil
    }
  }

  private static func tlsPhrase(_ error: any Error) -> String {
    switch error {
    case let error as NIOSSLExtraError where error == .failedToValidateHostname:
      return "TLS: the certificate is for another name"
    case NIOSSLError.unableToValidateCertificate, NIOSSLError.noCertificateToValidate:
      return "TLS: the certificate is not trusted"
    default:
      // BoringSSL tells it only in words.
      return "\(error)".contains("CERTIFICATE_VERIFY_FAILED")
        ? "TLS: the certificate is not trusted" : "TLS failed"
    }
  }
}
