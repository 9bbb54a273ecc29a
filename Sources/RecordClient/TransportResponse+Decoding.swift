import CloudRecords
import FoundationEssentials

extension Transport.Response {
  /// Whether the status is 2xx.
  var isSuccess: Bool { (200..<300).contains(head.status) }

  /// Decodes the response body of an endpoint.
  ///
  /// - Throws: The service's error, which may also be in a response with status 2xx, or
  ///   `.unexpectedResponse`.
  func decoded<Body: Codable & Hashable & Sendable>(
    _ type: Body.Type
  ) throws(CallFailure) -> Body {
    guard isSuccess else { throw failure }
    if body.isEmpty, let nothing = EmptyBody() as? Body { return nothing }
    let outcome: ItemResult<Body>
    do {
      outcome = try Wire.decode(ItemResult<Body>.self, from: body, as: .response)
    } catch {
      throw unexpected(.unreadable)
    }
    do { return try outcome.get() } catch { throw .service(addingHeaders(to: error)) }
  }

  /// The error in the body of a response whose status is not 2xx; nil if there is none.
  var serviceError: ServiceError? {
    guard !isSuccess, let error = try? Wire.decode(ServiceError.self, from: body, as: .response)
    else { return nil }
    return addingHeaders(to: error)
  }

  /// The failure for a response whose status is not 2xx.
  private var failure: CallFailure {
    if let serviceError { return .service(serviceError) }
    // Proxies in front of a service send these statuses with a body of their own.
    return switch head.status {
    case 429: .service(addingHeaders(to: ServiceError(.throttled)))
    case 502, 503, 504: .service(addingHeaders(to: ServiceError(.serviceUnavailable)))
    default: unexpected(.undecodableError)
    }
  }

  /// Returns an error with the values of the headers: `retryAfter`, unless the error has its own,
  /// and `history`.
  private func addingHeaders(to error: ServiceError) -> ServiceError {
    var error = error
    error.retryAfter = error.retryAfter ?? head.retryAfter
    error.history = head.history
    return error
  }

  private func unexpected(_ problem: UnexpectedResponse.Problem) -> CallFailure {
    .unexpectedResponse(
      UnexpectedResponse(
        status: head.status, problem,
        contentType: head.contentType.isEmpty ? nil : head.contentType))
  }
}
