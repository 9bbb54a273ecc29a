public import CloudRecords

/// What is needed of a service. `RecordClient` is the one that there is; tests have another.
public protocol RecordCalling: Sendable {
  /// Sends a request to the private database.
  ///
  /// - Parameter witness: the newest tag of the zone's history that this device has learned; nil
  ///   for a service that never told one.
  func call<E: Endpoint>(
    _ endpoint: E.Type, _ request: E.Request, witness: String?
  ) async throws(CallFailure) -> Reply<E.Answer>

  /// Waits for one notification, by one long poll.
  ///
  /// - Parameter url: as tokens/create gave it.
  /// - Returns: nil when nothing came.
  func notification(at url: String) async throws(CallFailure) -> PushNotification?
}

extension RecordCalling {
  /// Sends a request where nothing is asked about the history of a zone.
  public func call<E: Endpoint>(
    _ endpoint: E.Type, _ request: E.Request
  ) async throws(CallFailure) -> E.Answer {
    try await call(endpoint, request, witness: nil).answer
  }
}
