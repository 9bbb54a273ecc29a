import Library
import Testing

@testable import Sync

/// The times of the next rounds.
@Suite struct SyncScheduleTests {
  private var schedule = SyncSchedule(at: 0)

  init() {
    schedule.began(at: 0)
    schedule.succeeded()
  }

  private static func outbox(
    _ generations: Int, count: Int = 1, progress: Bool = false
  ) -> OutboxSummary {
    OutboxSummary(
      count: count, otherThanProgress: progress ? 0 : count, generations: generations)
  }

  @Test func theFirstRoundIsDueAtOnce() {
    #expect(SyncSchedule(at: 7).due == 7)
  }

  @Test func aRoundIsDueEveryFiveMinutes() {
    #expect(schedule.due == 300_000)
  }

  @Test mutating func aChangeIsSentAfterAShortPause() {
    schedule.outboxChanged(Self.outbox(1), wait: 0, at: 1000)
    #expect(schedule.due == 1300)
    schedule.outboxChanged(Self.outbox(2), wait: 0, at: 1200)
    #expect(schedule.due == 1500)
  }

  @Test mutating func anUnchangedOutboxDoesNotExtendTheWait() {
    schedule.outboxChanged(Self.outbox(1), wait: 0, at: 1000)
    schedule.outboxChanged(Self.outbox(1), wait: 0, at: 1200)
    #expect(schedule.due == 1300)
  }

  @Test mutating func changesWaitTwoSecondsAtMost() {
    for step in 0..<20 {
      schedule.outboxChanged(Self.outbox(step + 1), wait: 0, at: 1000 + Int64(step) * 250)
    }
    #expect(schedule.due == 3000)
  }

  @Test mutating func progressWaitsTenSecondsAtMost() {
    schedule.outboxChanged(Self.outbox(1, progress: true), wait: 0, at: 1000)
    #expect(schedule.due == 1700)
    for step in 0..<40 {
      schedule.outboxChanged(
        Self.outbox(step + 2, progress: true), wait: 0, at: 1000 + Int64(step) * 500)
    }
    #expect(schedule.due == 11_000)
    schedule.outboxChanged(Self.outbox(50, count: 2), wait: 0, at: 3000)
    #expect(schedule.due == 3000)
  }

  @Test mutating func afterSendingTheNextRoundIsInFiveMinutes() {
    schedule.outboxChanged(Self.outbox(1), wait: 0, at: 1000)
    schedule.began(at: 1300)
    schedule.succeeded()
    schedule.outboxChanged(Self.outbox(0, count: 0), wait: 0, at: 1400)
    #expect(schedule.due == 301_300)
  }

  @Test mutating func aWaitingChangeIsDueAfterItsWait() {
    schedule.outboxChanged(Self.outbox(1), wait: 5000, at: 1000)
    #expect(schedule.due == 6000)
  }

  @Test mutating func anotherDevicesChangeIsFetchedAtOnce() {
    schedule.notificationReceived(at: 500)
    #expect(schedule.due == 500)
  }

  @Test mutating func noRoundIsDueBeforeTheDelayOfAFailure() {
    schedule.outboxChanged(Self.outbox(1), wait: 0, at: 1000)
    schedule.began(at: 1300)
    schedule.failed(at: 1400, delay: 8000)
    schedule.outboxChanged(Self.outbox(1), wait: 0, at: 1500)
    schedule.notificationReceived(at: 1600)
    #expect(schedule.due == 9400)
  }

  @Test mutating func aRequestedRoundIsDueAtOnce() {
    schedule.failed(at: 1400, delay: 8000)
    schedule.requestRound()
    #expect(schedule.due == .min)
    schedule.began(at: 1500)
    schedule.failed(at: 1600, delay: 1000)
    #expect(schedule.due == 2600)
  }

  @Test mutating func aNetworkThatIsBackIsTriedAtOnce() {
    schedule.failed(at: 1400, delay: 8000)
    schedule.reconnected(at: 2000, wasUnreachable: true)
    #expect(schedule.due == 2000)
  }

  /// Network addresses may change often although the service can be reached.
  @Test mutating func aNetworkChangeMakesARoundDueOnceAMinute() {
    schedule.reconnected(at: 2000, wasUnreachable: false)
    #expect(schedule.due == 60_000)
    schedule.began(at: 60_000)
    schedule.succeeded()
    schedule.reconnected(at: 200_000, wasUnreachable: false)
    #expect(schedule.due == 200_000)
  }

  @Test mutating func aPauseThatTheServiceAskedForIsKept() {
    schedule.failed(at: 1400, delay: 90_000)
    schedule.reconnected(at: 80_000, wasUnreachable: false)
    #expect(schedule.due == 91_400)
  }

  /// The service could not be reached after the user answered a question.
  @Test mutating func aFailedRequestedRoundIsRetried() {
    schedule.stop()
    schedule.requestRound()
    schedule.began(at: 2000)
    schedule.failed(at: 2100, delay: 1000)
    #expect(schedule.due == 3100)
  }

  @Test mutating func aStoppedScheduleWaitsForARequest() {
    schedule.stop()
    schedule.outboxChanged(Self.outbox(1), wait: 0, at: 1000)
    schedule.notificationReceived(at: 1000)
    #expect(schedule.due == nil)
    schedule.requestRound()
    schedule.began(at: 2000)
    schedule.succeeded()
    #expect(schedule.due == 302_000)
  }
}
