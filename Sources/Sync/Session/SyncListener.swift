import CloudRecords
import RecordClient

/// Listens for notifications of the service by one long poll after another.
///
/// A notification is only a hint, because changes are fetched every few minutes in any case.
struct SyncListener {
  let service: any RecordAPI
  let environment: ContainerEnvironment
  /// Gets `notificationReceived` when the service sent a notification, or may have sent one while
  /// the listener was not connected, and `networkChanged` when the service can be reached again.
  let eventQueue: SyncEventQueue
  /// The pauses after failures. An expired URL counts as a failure.
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
        url = nil
        failures += 1
        var generator = SystemRandomNumberGenerator()
        // A service without notifications is tried again after a random pause of up to five
        // minutes.
        let attempt = error.isTransient || error.isExpired ? failures : .max
        let delay = backoff.delay(
          attempt: attempt, retryAfter: error.retryAfter, using: &generator)
        try? await Task.sleep(for: .seconds(delay))
      }
    }
  }
}

extension CallFailure {
  /// Whether the URL for long polling has expired.
  fileprivate var isExpired: Bool {
    if case .service(let error) = self { error.code.isNotFound } else { false }
  }
}
