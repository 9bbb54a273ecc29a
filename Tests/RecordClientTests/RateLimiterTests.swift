import CloudRecords
import Testing

@testable import RecordClient
@testable import RecordServiceSupport

struct RateLimiterTests {
  private func limited(
    to operationsPerSecond: Double = 100,
    _ body: (RecordClient, FakeService, ManualClock) async throws -> Void
  ) async throws {
    let clock = ManualClock()
    try await withClient(
      .answering { _ in .json(#"{"records":[]}"#) },
      .with { options in
        options.clock = clock
        options.operationsPerSecond = operationsPerSecond
      }
    ) { client, service in try await body(client, service, clock) }
  }

  @Test func theNextRequestWaitsAfterAFullBatch() async throws {
    try await limited(to: ClientOptions().operationsPerSecond) { client, service, clock in
      _ = try await client.call(RecordsModify.self, modification(200))
      let next = Task { try await client.call(RecordsModify.self, modification(1)) }
      await clock.waits(for: 1)
      #expect(clock.deadlines == [.seconds(200.0 / 180)])
      clock.advance(by: .milliseconds(1111))
      #expect(clock.sleeping == 1)
      #expect(service.requests.count == 1)
      clock.advance(by: .milliseconds(1))
      _ = try await next.value
      #expect(service.requests.count == 2)
    }
  }

  @Test func otherRequestsCountAsOneOperation() async throws {
    try await limited { client, service, clock in
      let names = (0..<200).map { RecordsLookup.Item("r\($0)") }
      _ = try await client.call(RecordsLookup.self, .init(records: names))
      let next = Task { try await client.call(ZonesList.self, EmptyBody()) }
      await clock.waits(for: 1)
      #expect(clock.deadlines == [.milliseconds(10)])
      clock.advance(by: .milliseconds(10))
      _ = try await next.value
    }
  }

  @Test func slowRequestsAreNotDelayed() async throws {
    try await limited { client, service, clock in
      for _ in 0..<5 {
        _ = try await client.call(RecordsModify.self, modification(200))
        clock.advance(by: .seconds(2))
      }
      #expect(service.requests.count == 5)
    }
  }

  @Test func aDelayedCallCanBeCancelled() async throws {
    try await limited { client, service, clock in
      _ = try await client.call(RecordsModify.self, modification(200))
      let next = Task { await failure(of: client) }
      await clock.waits(for: 1)
      #expect(clock.deadlines == [.seconds(2)])
      next.cancel()
      #expect(await next.value == .cancelled)
      #expect(service.requests.count == 1)
      clock.advance(by: .seconds(2))
      #expect(await failure(of: client) == nil)
    }
  }
}
