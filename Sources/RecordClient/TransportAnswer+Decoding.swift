import CloudRecords
import FoundationEssentials

extension Transport.Answer {
  var isSuccess: Bool { (200..<300).contains(head.status) }

  /// The answer of an endpoint.
  ///
  /// - Throws: the service's error, also one that comes with a status of success.
  func decoded<Body: Codable & Hashable & Sendable>(
    _ type: Body.Type
  ) throws(CallFailure) -> Body {
    guard isSuccess else { throw failure }
    if body.isEmpty, let nothing = Nothing() as? Body { return nothing }
    let outcome: Outcome<Body>
    do {
      outcome = try Wire.decode(Outcome<Body>.self, from: body, as: .answer)
    } catch {
      throw unexpected(.unreadable)
    }
    do { return try outcome.get() } catch { throw .service(waiting(error)) }
  }

  /// The error in the body; nil where there is none.
  var serviceError: ServiceError? {
    guard !isSuccess, let error = try? Wire.decode(ServiceError.self, from: body, as: .answer)
    else { return nil }
    return waiting(error)
  }

  private var failure: CallFailure {
    if let serviceError { return .service(serviceError) }
    // What stands before a service answers so too, in words of its own.
    return switch head.status {
    case 429: .service(waiting(ServiceError(.throttled)))
    case 502, 503, 504: .service(waiting(ServiceError(.serviceUnavailable)))
    default: unexpected(.noServiceError)
    }
  }

  /// An error with what the headers say: the time to wait, unless it has its own, and the history.
  private func waiting(_ error: ServiceError) -> ServiceError {
    var error = error
    error.retryAfter = error.retryAfter ?? head.retryAfter
    error.history = head.history
    return error
  }

  private func unexpected(_ problem: UnexpectedAnswer.Problem) -> CallFailure {
    .unexpectedAnswer(
      UnexpectedAnswer(
        status: head.status, problem,
        contentType: head.contentType.isEmpty ? nil : head.contentType))
  }
}
