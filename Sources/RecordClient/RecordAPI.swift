public import CloudRecords

/// A client of a record service. `RecordClient` implements it over HTTP; tests have another
/// implementation.
public protocol RecordAPI: Sendable {
  /// Sends a request to the private database.
  ///
  /// - Parameter witness: The newest tag of the zone's history that this device has received; nil
  ///   if the service has not sent any.
  /// - Throws: A `CallFailure` if there is no successful response.
  func call<E: Endpoint>(
    _ endpoint: E.Type, _ request: E.Request, witness: String?
  ) async throws(CallFailure) -> ServiceResponse<E.Response>

  /// Waits for a notification with one long poll.
  ///
  /// - Parameter url: The `webcourierURL` of a `tokens/create` response.
  /// - Returns: The notification; nil if none arrived.
  /// - Throws: A `CallFailure`: a NOT_FOUND error of the service if the URL is no longer valid.
  func notification(at url: String) async throws(CallFailure) -> PushNotification?
}

extension RecordAPI {
  /// Sends a request without a witness, and returns only the response body.
  public func call<E: Endpoint>(
    _ endpoint: E.Type, _ request: E.Request
  ) async throws(CallFailure) -> E.Response {
    try await call(endpoint, request, witness: nil).body
  }
}
