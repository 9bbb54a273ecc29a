import CloudRecords
import RecordClient

/// Waits for what a service tells of changes, one long poll after the other.
///
/// What it hears is a hint: others' changes are looked for every few minutes all the same.
struct SyncListener {
  let service: any RecordAPI
  let environment: ContainerEnvironment
  /// - Parameter isBack: whether the service could not be reached before.
  let heard: @Sendable (_ isBack: Bool) -> Void
  /// After failures, and where the service does not know the URL any more.
  var backoff = Backoff()

  /// A service that says nothing faster than this is not asked faster.
  private static let pause = Duration.seconds(1)

  /// Until it is cancelled.
  func run() async {
    var url: String?
    var failures = 0
    while !Task.isCancelled {
      do throws(CallFailure) {
        if let url {
          let start = ContinuousClock.now
          let isTold = try await service.notification(at: url) != nil
          failures = 0
          if isTold { heard(false) } else { try? await Task.sleep(until: start + Self.pause) }
        } else {
          url = try await service.call(
            TokensCreate.self, TokensCreate.Request(apnsEnvironment: environment)
          ).webcourierURL
          // What changed while nobody listened is not told any more.
          heard(failures > 0)
        }
      } catch {
        url = nil
        failures += 1
        var generator = SystemRandomNumberGenerator()
        // A service without notifications is asked now and then.
        let attempt = error.isTransient || error.isExpired ? failures : .max
        let delay = backoff.delay(
          attempt: attempt, retryAfter: error.retryAfter, using: &generator)
        try? await Task.sleep(for: .seconds(delay))
      }
    }
  }
}

extension CallFailure {
  /// Whether the service does not know a URL any more.
  fileprivate var isExpired: Bool {
    if case .service(let error) = self { error.code.isNotFound } else { false }
  }
}
