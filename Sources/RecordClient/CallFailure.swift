public import CloudRecords

/// An answer that does not speak the protocol.
public struct UnexpectedAnswer: Hashable, Sendable {
  /// Of HTTP; 0 where it was not even that.
  public var status: Int
  public var problem: Problem
  /// What the answer says it is, as `text/html`; nil where it says nothing.
  public var contentType: String?

  /// What is wrong with it. The names are stored in the library.
  public enum Problem: String, Hashable, Sendable, CaseIterable {
    case notHTTP
    /// It leads elsewhere, and is not followed.
    case redirect
    /// Its body has more bytes than are read.
    case tooLarge
    /// Its body is no JSON, or JSON of another shape.
    case unreadable
    /// Its status is that of an error, and its body says nothing of one.
    case noServiceError
    /// It has another number of records than were asked for or sent.
    case wrongCount
    /// The zone that was asked for is not in it.
    case noZone
    /// Its feed of changes says that more is coming, and goes on where it began.
    case endlessFeed
    /// The account in it has no name.
    case noUserName
  }

  public init(status: Int, _ problem: Problem, contentType: String? = nil) {
    self.status = status
    self.problem = problem
    self.contentType = contentType
  }
}

extension UnexpectedAnswer: CustomStringConvertible {
  public var description: String {
    [status == 0 ? nil : "\(status)", problem.rawValue, contentType].compactMap(\.self)
      .joined(separator: ", ")
  }
}

/// What became of the credentials. The names are stored in the library.
public enum CredentialsProblem: String, Hashable, Sendable, CaseIterable {
  case unreadable
  /// The token that an answer handed over could not be stored.
  case notStored
}

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
  case unexpectedAnswer(UnexpectedAnswer)
  /// A URL that the service gave is not used; why.
  case untrustedURL(AddressProblem)
  /// The credentials could not be read or kept.
  case credentials(CredentialsProblem)
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
    case .unexpectedAnswer(let answer): answer.status == 413
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
    case .unexpectedAnswer(let answer): "unexpected answer: \(answer)"
    case .untrustedURL(let problem): "untrusted URL: \(problem.rawValue)"
    case .credentials(let problem): "credentials: \(problem.rawValue)"
    case .cancelled: "cancelled"
    }
  }
}
