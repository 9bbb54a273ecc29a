public import CloudRecords

/// Why a call has no answer.
///
/// What is told of it never has a token in it, nor the query of a URL.
public enum CallFailure: Error, Hashable, Sendable {
  /// The service refused the whole request, in its own words.
  case service(ServiceError)
  /// The request did not get there: the connection was refused, the name is unknown, TLS failed.
  case unreachable(NetworkProblem)
  /// The request may have been carried out, but its answer did not come.
  case answerLost(NetworkProblem)
  /// What answered does not speak the protocol: the page of a captive portal, a redirect.
  /// The status is 0 where it was not even HTTP.
  case unexpectedAnswer(status: Int, String)
  /// A URL that the service gave is not used; why.
  case untrustedURL(String)
  /// The credentials could not be read or kept.
  case credentials(String)
  /// The task was cancelled, or the client shut down. As with `answerLost` the request may have
  /// been carried out.
  case cancelled

  /// Seconds to wait before trying again, if the service said so.
  public var retryAfter: Double? {
    if case .service(let error) = self { error.retryAfter } else { nil }
  }

  /// Whether the same request may succeed later. An unexpected answer is mostly that of
  /// something on the way, and it goes by.
  public var isTransient: Bool {
    switch self {
    case .service(let error): error.code.isTransient
    case .unreachable, .answerLost, .unexpectedAnswer: true
    case .untrustedURL, .credentials, .cancelled: false
    }
  }

  /// Whether the request is to be sent again in halves, until what is wrong is alone.
  ///
  /// How a service refuses a batch that is too large is not told; these ways were seen
  /// (cloudkit-web-services.md 3). A full account is no reason for smaller requests.
  public var asksForSmallerRequests: Bool {
    switch self {
    case .service(let error):
      switch error.code {
      case .quotaExceeded: false
      case .badRequest, .limitExceeded: true
      default: error.reason?.contains("maximum number") == true
      }
    case .unexpectedAnswer(status: 413, _): true
    default: false
    }
  }
}

extension CallFailure: CustomStringConvertible {
  public var description: String {
    switch self {
    case .service(let error): error.description
    case .unreachable(let problem): "cannot be reached: \(problem.rawValue)"
    case .answerLost(let problem): "no answer: \(problem.rawValue)"
    case .unexpectedAnswer(status: 0, let reason): "unexpected answer: \(reason)"
    case .unexpectedAnswer(let status, let reason): "unexpected answer \(status): \(reason)"
    case .untrustedURL(let reason): "the service named a URL that \(reason)"
    case .credentials(let reason): "credentials: \(reason)"
    case .cancelled: "cancelled"
    }
  }
}
