import CCurl
import Glibc

extension CallFailure {
  /// Creates the failure of a transfer; nil if the transfer succeeded.
  ///
  /// If it is certain that the request was not sent, the failure is `unreachable`. Otherwise the
  /// request may have been processed. libcurl's error messages are not used, because they may
  /// contain URLs.
  ///
  /// - Parameter isSecure: Whether the connection uses TLS.
  init?(_ outcome: TransferOutcome, isSecure: Bool) {
    switch outcome.status {
    case TRANSFER_COMPLETED: return nil
    case TRANSFER_STOPPED: self = .cancelled
    case TRANSFER_INVALID_URL: self = .unreachable(.invalidURL)
    case TRANSFER_PROXY_NOT_FOUND: self = .unreachable(.proxyNotFound)
    case TRANSFER_HOST_NOT_FOUND: self = .unreachable(.hostNotFound)
    case TRANSFER_CONNECTION_FAILED: self = .unreachable(Self.problem(outcome.error_number))
    case TRANSFER_PROXY_REFUSED:
      self = .unreachable(
        outcome.proxy_status == 407 ? .proxyAuthenticationRequired : .proxyRefused)
    case TRANSFER_TIMED_OUT:
      self = .unreachable(outcome.is_connected && isSecure ? .tlsTimedOut : .timedOut)
    case TRANSFER_TLS_FAILED: self = .unreachable(.tlsFailed)
    case TRANSFER_CERTIFICATE_UNTRUSTED: self = .unreachable(.certificateUntrusted)
    case TRANSFER_CERTIFICATE_HOST_MISMATCH: self = .unreachable(.certificateHostMismatch)
    case TRANSFER_NOT_HTTP: self = .unexpectedResponse(UnexpectedResponse(status: 0, .notHTTP))
    case TRANSFER_NOT_DECOMPRESSED:
      self = .unexpectedResponse(UnexpectedResponse(status: 0, .unreadable))
    default: self = .responseLost(.connectionClosed)
    }
  }

  /// The problem for an `errno` of a failed connection attempt.
  private static func problem(_ errorNumber: Int32) -> NetworkProblem {
    switch errorNumber {
    case ECONNREFUSED: .connectionRefused
    case ENETUNREACH, EHOSTUNREACH, ENETDOWN: .networkUnreachable
    case ETIMEDOUT: .timedOut
    default: .connectionFailed
    }
  }
}
