import CloudRecords
import RecordClient

/// A service that is asked for less while keys are pressed.
///
/// Whoever reads is not to feel that thousands of records are synced meanwhile: what is taken or
/// made of an answer needs the processor, and so does a key. So a long round waits before each
/// request until the keys rest, but never for long.
struct UnhurriedService: RecordAPI {
  let service: any RecordAPI
  /// When a key was pressed last; nil for never.
  let lastKey: @Sendable () -> ContinuousClock.Instant?

  private let start = ContinuousClock.now

  /// A round that is over within this time waits for nothing.
  private static let moment = Duration.milliseconds(200)
  /// How long no key is pressed before the keys rest.
  private static let calm = Duration.milliseconds(150)
  /// How long that is waited for at most.
  private static let patience = Duration.seconds(2)

  init(
    _ service: any RecordAPI, lastKey: @escaping @Sendable () -> ContinuousClock.Instant?
  ) {
    self.service = service
    self.lastKey = lastKey
  }

  func call<E: Endpoint>(
    _ endpoint: E.Type, _ request: E.Request, witness: String?
  ) async throws(CallFailure) -> ServiceResponse<E.Response> {
    await giveWay()
    return try await service.call(endpoint, request, witness: witness)
  }

  func notification(at url: String) async throws(CallFailure) -> PushNotification? {
    try await service.notification(at: url)
  }

  private func giveWay() async {
    let asked = ContinuousClock.now
    while let key = lastKey(), !Task.isCancelled,
      let end = Self.pause(at: .now, asked: asked, lastKey: key, start: start)
    {
      try? await Task.sleep(until: end, tolerance: .milliseconds(10))
    }
  }

  /// Until when a request waits; nil where it does not.
  ///
  /// - Parameters:
  ///   - asked: when it was to be sent.
  ///   - start: when the round began.
  static func pause(
    at now: ContinuousClock.Instant, asked: ContinuousClock.Instant,
    lastKey: ContinuousClock.Instant, start: ContinuousClock.Instant
  ) -> ContinuousClock.Instant? {
    guard asked > start + moment else { return nil }
    let end = min(lastKey + calm, asked + patience)
    return now < end ? end : nil
  }
}
