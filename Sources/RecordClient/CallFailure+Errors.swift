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
  /// None of the libraries' words: they may have a URL in them. What is not
  /// known to have happened before the request was sent may have happened after it.
  init(beforeAnswer error: any Error) {
    switch error {
    case is CancellationError: self = .cancelled
    case let error as HTTPClientError: self = Self.ofClient(error)
    case let error as NIOConnectionError: self = .unreachable(Self.problem(error))
    case ChannelError.connectTimeout: self = .unreachable(.tooSlow)
    case let error as IOError:
      // Of a host that is an address. Any other may also end a connection that was made.
      let problem = Self.problem(error) ?? .connectionCut
      self = error.errnoCode == ECONNREFUSED ? .unreachable(problem) : .answerLost(problem)
    case NIOSSLError.uncleanShutdown: self = .answerLost(.connectionCut)
    case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError:
      self = .unreachable(Self.tlsProblem(error))
    case HTTPParserError.invalidEOFState, HTTPParserError.closedConnection:
      self = .answerLost(.connectionCut)
    case is HTTPParserError: self = .unexpectedAnswer(status: 0, "not HTTP")
    default: self = .answerLost(.connectionCut)
    }
  }

  /// What an error of the network means for an answer that had begun.
  init(duringAnswer error: any Error) {
    let isCancelled = error is CancellationError || error as? HTTPClientError == .cancelled
    self = isCancelled ? .cancelled : .answerLost(.connectionCut)
  }

  private static func ofClient(_ error: HTTPClientError) -> CallFailure {
    switch error {
    case .cancelled, .alreadyShutdown: .cancelled
    case .connectTimeout, .getConnectionFromPoolTimeout: .unreachable(.tooSlow)
    case .tlsHandshakeTimeout: .unreachable(.tlsTooSlow)
    case .socksHandshakeTimeout, .httpProxyHandshakeTimeout: .unreachable(.proxyTooSlow)
    case .proxyAuthenticationRequired: .unreachable(.proxyPasswordAsked)
    case .invalidProxyResponse: .unreachable(.proxyRefused)
    case .readTimeout, .writeTimeout, .deadlineExceeded: .answerLost(.tooSlow)
    case .invalidURL, .emptyHost, .emptyScheme, .invalidProxyConfiguration:
      .unreachable(.addressUnusable)
    default: .answerLost(.connectionCut)
    }
  }

  private static func problem(_ error: NIOConnectionError) -> NetworkProblem {
    // What failed to connect tells more than a name that has addresses of one kind only.
    for failure in error.connectionErrors {
      if let problem = (failure.error as? IOError).flatMap(problem) { return problem }
      if case .connectTimeout? = failure.error as? ChannelError { return .tooSlow }
    }
    if error.connectionErrors.isEmpty, error.dnsAError != nil || error.dnsAAAAError != nil {
      return .nameUnknown
    }
    return .noConnection
  }

  private static func problem(_ error: IOError) -> NetworkProblem? {
    switch error.errnoCode {
    case ECONNREFUSED: .connectionRefused
    case ENETUNREACH, EHOSTUNREACH, ENETDOWN: .noNetwork
    case ETIMEDOUT: .tooSlow
    default: nil
    }
  }

  private static func tlsProblem(_ error: any Error) -> NetworkProblem {
    switch error {
    case let error as NIOSSLExtraError where error == .failedToValidateHostname:
      return .certificateOfAnother
    case NIOSSLError.unableToValidateCertificate, NIOSSLError.noCertificateToValidate:
      return .certificateUntrusted
    default:
      // BoringSSL tells it only in words.
      return "\(error)".contains("CERTIFICATE_VERIFY_FAILED")
        ? .certificateUntrusted : .tlsFailed
    }
  }
}
