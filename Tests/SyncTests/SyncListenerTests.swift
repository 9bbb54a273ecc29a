import CloudRecords
import RecordClient
import Synchronization
import Testing

@testable import Sync

@Suite struct SyncListenerTests {
  /// A service that forgets its first URL, as after a rollback of its files.
  private final class ForgetfulService: RecordAPI {
    let given = Mutex(0)
    let polled = Mutex<[String]>([])

    func call<E: Endpoint>(
      _: E.Type, _: E.Request, witness: String?
    ) async throws(CallFailure) -> ServiceResponse<E.Response> {
      let number = given.withLock { count in
        count += 1
        return count
      }
      let answer = TokensCreate.Response(
        apnsEnvironment: .production, apnsToken: "\(number)", webcourierURL: "url \(number)")
      guard let answer = answer as? E.Response else {
        throw .service(ServiceError(.badRequest, reason: "not asked for here"))
      }
      return ServiceResponse(answer)
    }

    func notification(at url: String) async throws(CallFailure) -> PushNotification? {
      polled.withLock { $0.append(url) }
      guard url != "url 1" else {
        throw .service(ServiceError(.notFound, reason: "unknown push token"))
      }
      return PushNotification()
    }
  }

  @Test func aNewURLIsRequestedAfterTheFirstExpired() async {
    let service = ForgetfulService()
    let eventQueue = SyncEventQueue()
    let listening = Task {
      await SyncListener(
        service: service, environment: .production, eventQueue: eventQueue,
        backoff: Backoff(base: 0, maximum: 0)
      ).run()
    }
    var events: [String] = []
    while events.count < 4 { events += await eventQueue.events(within: nil).map { "\($0)" } }
    listening.cancel()
    #expect(
      events.prefix(4) == [
        "notificationReceived", "notificationReceived", "networkChanged", "notificationReceived",
      ], "connected, connected again, notified")
    #expect(service.polled.withLock { $0.prefix(2) } == ["url 1", "url 2"])
    #expect(service.given.withLock { $0 } == 2)
  }

  @Test func aServiceWithoutNotificationsGetsTheHighestAttemptNumber() {
    func attempt(_ code: ErrorCode, isPolling: Bool) -> Int {
      SyncListener.attempt(after: 2, .service(ServiceError(code)), isPolling: isPolling)
    }
    #expect(attempt(.notFound, isPolling: true) == 2, "the URL has expired")
    #expect(attempt(.notFound, isPolling: false) == .max)
    #expect(attempt(.badRequest, isPolling: true) == .max)
    #expect(attempt(.serviceUnavailable, isPolling: false) == 2)
  }
}
