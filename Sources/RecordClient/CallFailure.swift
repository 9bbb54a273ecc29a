public import CloudRecords

/// A response that does not conform to the protocol.
public struct UnexpectedResponse: Hashable, Sendable {
  /// The HTTP status; 0 if none was received, for example because the response is not HTTP.
  public var status: Int
  /// The kind of violation.
  public var problem: Problem
  /// The media type of the body, for example `text/html`; nil if the response does not state it.
  public var contentType: String?

  /// The kind of violation. The raw values are stored in the library.
  public enum Problem: String, Hashable, Sendable, CaseIterable {
    /// The response is not HTTP.
    case notHTTP
    /// The response is a redirect, which is not followed.
    case redirect
    /// The head or the body is larger than the client accepts.
    case tooLarge
    /// The body cannot be decompressed, is not JSON, or does not have the expected structure.
    case unreadable
    /// The status is that of an error, but the body is not an error.
    case undecodableError
    /// The number of records differs from the number of requested or sent records.
    case wrongCount
    /// The response contains other records than the request asked for.
    case wrongRecords
    /// The requested zone is missing.
    case noZone
    /// The change feed announces further changes, but its sync token does not advance.
    case endlessFeed
    /// The identity of the signed-in user has no user record name.
    case noUserName
  }

  /// Creates the description of a response; `status` is 0 if none was
  /// received.
  public init(status: Int, _ problem: Problem, contentType: String? = nil) {
    self.status = status
    self.problem = problem
    self.contentType = contentType
  }
}

extension UnexpectedResponse: CustomStringConvertible {
  /// The status, the problem and the media type, separated by commas, for debugging.
  public var description: String {
    [status == 0 ? nil : "\(status)", problem.rawValue, contentType].compactMap(\.self)
      .joined(separator: ", ")
  }
}

/// A failure of the credential store. The raw values are stored in the library.
public enum CredentialsProblem: String, Hashable, Sendable, CaseIterable {
  /// The credentials could not be read.
  case unreadable
  /// A new token in a response could not be stored.
  case notStored
}

/// The reason why a call has no response.
///
/// Its description never contains a token or the query of a URL.
public enum CallFailure: Error, Hashable, Sendable {
  /// The service rejected the whole request.
  case service(ServiceError)
  /// The request was not sent, for example because the connection was refused, the host is unknown
  /// or TLS failed.
  case unreachable(NetworkProblem)
  /// The request may have been processed, but no complete response was received.
  case responseLost(NetworkProblem)
  /// The response does not conform to the protocol, for example because it is a redirect or the
  /// page of a captive portal.
  case unexpectedResponse(UnexpectedResponse)
  /// The service sent a URL that is not used, because it is invalid or not secure.
  case untrustedURL(AddressProblem)
  /// The credentials could not be read or stored.
  case credentials(CredentialsProblem)
  /// The task was cancelled or the client was shut down. The request may have been processed.
  case cancelled

  /// The `retryAfter` of the service's error, in seconds; nil if there is none.
  public var retryAfter: Double? {
    if case .service(let error) = self { error.retryAfter } else { nil }
  }

  /// Whether to send the same request again later without being asked to. Unexpected responses
  /// usually come from a proxy or portal between the client and the service, and are temporary.
  public var isTransient: Bool {
    switch self {
    case .service(let error): error.code.isTransient
    case .unreachable, .responseLost, .unexpectedResponse: true
    case .untrustedURL, .credentials, .cancelled: false
    }
  }

  /// Whether a batch is to be split in half and sent again, until the invalid operation is alone.
  ///
  /// Apple does not document how its service rejects a batch that is too large; these responses
  /// have been seen. A full account is not a reason for smaller requests.
  public var shouldSplitBatch: Bool {
    switch self {
    case .service(let error):
      switch error.code {
      case .quotaExceeded: false
      case .badRequest, .limitExceeded: true
      default: error.meaning == .tooManyItems
      }
    case .unexpectedResponse(let response): response.status == 413
    default: false
    }
  }
}

extension CallFailure: CustomStringConvertible {
  /// The failure for debugging, without tokens and URLs.
  public var description: String {
    switch self {
    case .service(let error): error.description
    case .unreachable(let problem): "cannot be reached: \(problem.rawValue)"
    case .responseLost(let problem): "no response: \(problem.rawValue)"
    case .unexpectedResponse(let response): "unexpected response: \(response)"
    case .untrustedURL(let problem): "untrusted URL: \(problem.rawValue)"
    case .credentials(let problem): "credentials: \(problem.rawValue)"
    case .cancelled: "cancelled"
    }
  }
}
