public import CloudRecords

/// What is needed of a service. `RecordClient` is the one that there is; tests have another.
public protocol RecordCalling: Sendable {
  /// Sends a request to the private database.
  func call<E: Endpoint>(
    _ endpoint: E.Type, _ request: E.Request
  ) async throws(CallFailure) -> E.Answer

  /// Waits for one notification, by one long poll.
  ///
  /// - Parameter url: as tokens/create gave it.
  /// - Returns: nil when nothing came.
  func notification(at url: String) async throws(CallFailure) -> PushNotification?
}
