import CloudRecords
import RecordClient

/// Listens for notifications of the service by one long poll after another.
///
/// A notification that is lost only delays a fetch: changes are also fetched every few minutes.
struct SyncListener {
  let service: any RecordAPI
  let environment: ContainerEnvironment
  /// Gets `notificationReceived` when the service sent a notification, or may have sent one while
  /// the listener was not connected, and `networkChanged` when a URL was created after a failure.
  let eventQueue: SyncEventQueue
  /// The pauses after failures.
  var backoff = Backoff()

  /// The minimum time from the start of one long poll to the next.
  private static let minimumInterval = Duration.seconds(1)

  /// Listens until the task is cancelled.
  func run() async {
    var url: String?
    var failures = 0
    while !Task.isCancelled {
      do throws(CallFailure) {
        if let url {
          let start = ContinuousClock.now
          let notification = try await service.notification(at: url)
          failures = 0
          if notification != nil { eventQueue.post(.notificationReceived) }
          try? await Task.sleep(until: start + Self.minimumInterval)
        } else {
          url = try await service.call(
            TokensCreate.self, TokensCreate.Request(apnsEnvironment: environment)
          ).webcourierURL
          // The service does not repeat notifications from before this URL was created.
          eventQueue.post(.notificationReceived)
          if failures > 0 { eventQueue.post(.networkChanged) }
        }
      } catch {
        failures += 1
        var generator = SystemRandomNumberGenerator()
        let delay = backoff.delay(
          attempt: Self.attempt(after: failures, error, isPolling: url != nil),
          retryAfter: error.retryAfter, using: &generator)
        url = nil
        try? await Task.sleep(for: .seconds(delay))
      }
    }
  }

  /// Returns the attempt number for the pause of `backoff` after consecutive failures. It is the
  /// highest if the last failure will not go away soon, for example because the service has no
  /// notifications.
  ///
  /// - Parameter isPolling: Whether the long poll failed, rather than the creation of its URL.
  static func attempt(after failures: Int, _ last: CallFailure, isPolling: Bool) -> Int {
    if last.isTransient { return failures }
    // The URL has expired.
    if isPolling, case .service(let error) = last, error.code.isNotFound { return failures }
    return .max
  }
}
