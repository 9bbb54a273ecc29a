import CCurl

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension CallFailure {
  /// Creates the failure of a transfer that ended before the response began; nil if the transfer
  /// succeeded.
  ///
  /// libcurl's error messages are not used, because they may contain URLs. If it is not certain
  /// that the transfer failed before the request was sent, the request may have been processed.
  ///
  /// - Parameter isSecure: Whether the connection uses TLS.
  init?(_ outcome: TransferOutcome, isSecure: Bool) {
    switch outcome.ending {
    case TRANSFER_ENDED: return nil
    case TRANSFER_STOPPED: self = .cancelled
    case TRANSFER_URL_UNUSABLE: self = .unreachable(.addressUnusable)
    case TRANSFER_PROXY_UNKNOWN: self = .unreachable(.proxyUnknown)
    case TRANSFER_NAME_UNKNOWN: self = .unreachable(.nameUnknown)
    case TRANSFER_NOT_CONNECTED: self = .unreachable(Self.problem(outcome.error_number))
    case TRANSFER_PROXY_REFUSED:
      self = .unreachable(outcome.proxy_status == 407 ? .proxyPasswordAsked : .proxyRefused)
    case TRANSFER_TOO_SLOW:
      self = .unreachable(outcome.is_connected && isSecure ? .tlsTooSlow : .tooSlow)
    case TRANSFER_TLS_FAILED: self = .unreachable(.tlsFailed)
    case TRANSFER_CERTIFICATE_UNTRUSTED: self = .unreachable(.certificateUntrusted)
    case TRANSFER_CERTIFICATE_OF_ANOTHER: self = .unreachable(.certificateOfAnother)
    case TRANSFER_NOT_HTTP: self = .unexpectedAnswer(UnexpectedAnswer(status: 0, .notHTTP))
    default: self = .answerLost(.connectionCut)
    }
  }

  /// The problem for an `errno` of a failed connection attempt.
  private static func problem(_ errorNumber: Int32) -> NetworkProblem {
    switch errorNumber {
    case ECONNREFUSED: .connectionRefused
    case ENETUNREACH, EHOSTUNREACH, ENETDOWN: .noNetwork
    case ETIMEDOUT: .tooSlow
    default: .noConnection
    }
  }
}
