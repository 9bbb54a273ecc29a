import CloudRecords
import Foundation
import Library
import Quran
import RecordClient
import Synchronization
import Testing

@testable import Sync

/// Waits after failures, and the stored failures.
@Suite struct WaitTests {
  private static let hour: Int64 = 3_600_000

  /// A device whose clock is `hours` ahead, and whose first change the service refused.
  private func refused(
    _ world: World, hours: Int64, _ error: ServiceError
  ) async throws -> (Device, SyncEngine, Atomic64) {
    let one = try world.device()
    let ahead = Atomic64(hours * Self.hour)
    let engine = one.engine(one.link) { world.now + ahead.value }
    _ = try await engine.round()
    try one.note("a")
    one.link.expect(.none, .refused(error))
    await #expect(throws: SyncFailure.self) { _ = try await engine.round() }
    return (one, engine, ahead)
  }

  /// The milliseconds by which a clock is ahead.
  final class Atomic64: Sendable {
    private let number: Mutex<Int64>
    init(_ value: Int64) { number = Mutex(value) }
    var value: Int64 {
      get { number.withLock { $0 } }
      set { number.withLock { $0 = newValue } }
    }
  }

  @Test(arguments: [nil, 30.0])
  func aClockThatIsSetBackDelaysNothing(_ retryAfter: Double?) async throws {
    let world = try await World()
    let (one, engine, ahead) = try await refused(
      world, hours: 7, ServiceError(.throttled, retryAfter: retryAfter))
    ahead.value = 0
    #expect(try one.library.outboxSummary(at: world.now).notBefore == 0)
    #expect(try await engine.round().sent == 1)
  }

  /// The clock is years ahead when the answer arrives, and right again afterwards.
  @Test(arguments: [ServiceError(.throttled), ServiceError(.quotaExceeded)])
  func aClockAheadDuringARoundDelaysNothing(_ error: ServiceError) async throws {
    let world = try await World()
    let one = try world.device()
    let ahead = Atomic64(0)
    _ = try await one.sync()
    try one.note("a")
    let service = LyingService(world) { request throws(ServiceError) in
      guard request is RecordsModify.Request else { return nil }
      ahead.value = 3 * 365 * 24 * Self.hour
      throw error
    }
    let engine = one.engine(service) { world.now + ahead.value }
    _ = try? await engine.round()
    ahead.value = 0
    let wait = try #require(try one.library.pendingChanges(isParked: false).first?.wait)
    #expect(wait.left(at: world.now) <= Self.hour)
    world.wait(Self.hour)
    #expect(try await one.sync().sent == 1)
  }

  /// Of several refusals, the longest wait counts.
  @Test(arguments: [[2.0, 600], [600, 2]])
  func theLongestWaitCounts(_ waits: [Double]) async throws {
    let world = try await World()
    let one = try world.device()
    _ = try await one.sync()
    try one.note("a")
    try one.note("b")
    let service = LyingService(world) { request throws(ServiceError) in
      guard let request = request as? RecordsModify.Request else { return nil }
      return RecordsModify.Response(
        records: zip(request.operations, waits).map { operation, seconds in
          let error = ServiceError(.throttled, retryAfter: seconds)
          return .failure(error.with(recordName: operation.record.recordName ?? ""))
        })
    }
    await #expect(throws: SyncFailure.self) { try await one.engine(service).round() }
    let wait = try #require(try one.library.syncAccount()?.wait)
    #expect(wait.left(at: one.now) > 590_000)
  }

  /// Only the changes of the request that failed count as attempted.
  @Test func unsentChangesAreNotCountedAsAttempted() async throws {
    let world = try await World()
    let one = try world.device()
    _ = try await one.sync()
    for number in 0..<40 { try one.note("\(number) " + String(repeating: "x", count: 60_000)) }
    one.link.expect(.none, .lost)
    await #expect(throws: SyncFailure.self) { try await one.sync() }
    let changes = try one.library.pendingChanges(isParked: false)
    #expect(changes.count == 40 && Set(changes.map(\.attempts)) == [0, 1])
    for change in changes { #expect((change.sent == nil) == (change.attempts == 0)) }
    world.wait(Self.hour)
    #expect(try await one.sync().sent == 40)
  }

  /// A wait that is over does not begin again when the clock is set back into it.
  @Test func aWaitThatIsOverStaysOver() async throws {
    let world = try await World()
    let one = try world.device()
    one.link.expect(.refused(ServiceError(.throttled, retryAfter: 600)))
    await #expect(throws: SyncFailure.self) { try await one.sync() }
    let start = world.now
    world.wait(700_000)
    one.link.expect(.lost)
    await #expect(throws: SyncFailure.self) { try await one.sync() }
    #expect(try one.library.syncAccount()?.wait == nil)
    world.wait(start + 300_000 - world.now)
    _ = try await one.sync()
  }

  @Test func aRequestedRoundIgnoresOwnBackoff() async throws {
    let world = try await World()
    let (_, engine, _) = try await refused(world, hours: 0, ServiceError(.throttled))
    #expect(try await engine.round().sent == 0)
    #expect(try await engine.round(on: .start).sent == 0)
    #expect(try await engine.round(on: .asked).sent == 1)
  }

  /// The service asked for a second or less, and our own back-off is longer after some attempts.
  @Test(arguments: [0.0, 1.0])
  func aRequestedRoundIgnoresBackOffBeyondRetryAfter(_ retryAfter: Double) async throws {
    let world = try await World()
    let error = ServiceError(.throttled, retryAfter: retryAfter)
    let (one, engine, _) = try await refused(world, hours: 0, error)
    for _ in 0..<9 {
      world.wait(300_000)
      one.link.expect(.none, .refused(error))
      await #expect(throws: SyncFailure.self) { _ = try await engine.round() }
    }
    world.wait(4000)
    #expect(try await engine.round().sent == 0)
    #expect(try await engine.round(on: .asked).sent == 1)
  }

  @Test func aRequestedRoundRetriesChangesOverTheQuota() async throws {
    let world = try await World()
    let one = try world.device()
    _ = try await one.sync()
    try one.note("a")
    one.link.expect(.none, .refused(ServiceError(.quotaExceeded)))
    #expect(try await one.sync().sent == 0)
    #expect(try one.library.outboxSummary(at: one.now).notBefore > one.now + Self.hour / 2)
    #expect(try await one.sync().sent == 0)
    #expect(try await one.sync(on: .asked).sent == 1)
  }

  @Test func ownBackOffIsFiveMinutesAtMost() async throws {
    let world = try await World()
    let (one, engine, _) = try await refused(world, hours: 0, ServiceError(.internalError))
    for _ in 0..<20 {
      world.wait(300_000)
      one.link.expect(.none, .refused(ServiceError(.internalError)))
      await #expect(throws: SyncFailure.self) { _ = try await engine.round() }
    }
    let wait = try #require(try one.library.pendingChanges(isParked: false).first?.wait)
    // The random number of the device is the middle of its range.
    #expect(wait.until - wait.since == 150_000)
  }

  /// The response to a fetch asked for the wait. New engines stand for a restart of the program.
  @Test func noRequestIsSentDuringRetryAfter() async throws {
    let world = try await World()
    let one = try world.device()
    one.link.expect(.refused(ServiceError(.throttled, reason: "slow", retryAfter: 60)))
    await #expect(throws: SyncFailure.self) { try await one.sync() }
    for occasion in [RoundOccasion.start, .scheduled, .asked] {
      let service = LyingService(world) { _ throws(ServiceError) in nil }
      let failure = await #expect(throws: SyncFailure.self) {
        _ = try await one.engine(service).round(on: occasion)
      }
      guard case .call(.service(let error)) = failure else {
        Issue.record("\(String(describing: failure))")
        return
      }
      #expect(error.code == .throttled && error.reason == "slow")
      #expect((1...60).contains(error.retryAfter ?? 0))
      #expect(service.count(.zonesList) + service.count(.changesZone) == 0)
    }
    world.wait(60_000)
    _ = try await one.sync()
    #expect(try one.library.syncAccount()?.wait == nil)
  }

  @Test(arguments: [1e300, 1e18, 400_000])
  func retryAfterIsLimitedToADay(_ retryAfter: Double) async throws {
    let world = try await World()
    let (one, engine, _) = try await refused(
      world, hours: 0, ServiceError(.throttled, retryAfter: retryAfter))
    let wait = try #require(try one.library.syncAccount()?.wait)
    #expect(wait.until - wait.since == 24 * Self.hour)
    world.wait(24 * Self.hour * 12 / 10)
    #expect(try await engine.round().sent == 1)
    #expect(try one.library.outboxSummary().count == 0)
  }

  // MARK: Stored failures

  @Test func aFailureIsStoredUntilARoundSucceeds() async throws {
    let world = try await World()
    let one = try world.device()
    one.link.expect(.lost)
    await #expect(throws: SyncFailure.self) { try await one.sync() }
    let first = try #require(try one.library.syncAccount())
    #expect(first.failure == .unreachable(network: "connectionCut"))
    let since = try #require(first.failingSince)
    world.wait(Self.hour)
    one.link.expect(.lost)
    await #expect(throws: SyncFailure.self) { try await one.sync() }
    #expect(try one.library.syncAccount()?.failingSince == since)
    one.link.expect(.refused(ServiceError(.authenticationRequired)))
    await #expect(throws: SyncFailure.self) { try await one.sync() }
    let second = try #require(try one.library.syncAccount())
    #expect(second.failure == .service(code: "AUTHENTICATION_REQUIRED", reason: nil))
    #expect((second.failingSince ?? 0) >= since + Self.hour)
    _ = try await one.sync()
    let last = try #require(try one.library.syncAccount())
    #expect(last.failure == nil && last.failingSince == nil && last.syncedAt != nil)
  }

  @Test func aMassDeletionIsStoredAsTheFailure() async throws {
    let world = try await World()
    let (one, two) = (try world.device(), try world.device())
    for number in 0..<30 { try one.note("\(number)") }
    try await world.sync(one, two)
    for id in try one.library.noteList().map(\.id) { try one.delete(id) }
    _ = try await one.sync()
    await #expect(throws: SyncFailure.self) { try await two.sync() }
    #expect(
      try two.library.syncAccount()?.failure
        == .massDeletion(counts: [.note: 30], isProfileGone: false))
  }

  @Test func aCancelledRoundIsNotStoredAsAFailure() async throws {
    let world = try await World()
    let one = try world.device()
    let service = StoppedService()
    await #expect(throws: SyncFailure.call(.cancelled)) {
      _ = try await one.engine(service).round()
    }
    #expect(try one.library.syncAccount()?.failure == nil)
  }

  private struct StoppedService: RecordAPI {
    func call<E: Endpoint>(
      _ endpoint: E.Type, _ request: E.Request, witness: String?
    ) async throws(CallFailure) -> ServiceResponse<E.Response> { throw .cancelled }
    func notification(at url: String) async throws(CallFailure) -> PushNotification? { nil }
  }
}
