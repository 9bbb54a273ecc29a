import Quran
import Testing

@testable import Library

struct KhatmPlanTests {
  private let start: Day
  private let plan: KhatmPlan

  init() throws {
    start = try #require(Day("2026-11-22"))
    plan = try #require(KhatmPlan(start: start, days: 30, readCount: 0))
  }

  private func status(_ day: Int, _ readCount: Int) -> KhatmPlan.Status {
    plan.status(on: start.advanced(by: day - 1), readCount: readCount)
  }

  @Test func theDueCountGrowsDailyAndIsRoundedUp() {
    #expect([1, 2, 3, 15, 29].map { status($0, 0).due } == [208, 416, 624, 3118, 6029])
    #expect(status(30, 0).due == 6236)
    #expect(status(31, 0).due == 6236)
    #expect(plan.end.description == "2026-12-21")
  }

  @Test func beforeItsStartNothingIsDue() {
    for day in [0, -1, -1000] {
      let status = status(day, 0)
      #expect((status.day, status.due, status.ahead) == (0, 0, 0))
    }
  }

  @Test func aheadAndBehindAreCountedInAyahs() {
    // On the first day the user cannot be behind.
    #expect((status(1, 0).ahead, status(1, 0).left) == (0, 208))
    #expect((status(2, 208).ahead, status(2, 208).left) == (0, 208))
    let onTime = status(2, 400)
    #expect((onTime.ahead, onTime.left, onTime.isDone) == (0, 16, false))
    let behind = status(3, 400)
    #expect((behind.ahead, behind.left, behind.isDone) == (-16, 224, false))
    let ahead = status(2, 500)
    #expect((ahead.ahead, ahead.left) == (84, 0))
  }

  @Test func theFinishIsEstimatedFromThePace() throws {
    // At 208 ayahs a day, the book takes 30 days.
    #expect(status(1, 208).finish == plan.end)
    #expect(status(10, 2080).finish == plan.end)
    // At half that pace from the first day, it takes 60 days.
    #expect(status(10, 1040).finish == start.advanced(by: 59))
    #expect(status(10, 0).finish == nil)
    #expect(status(10, 6236).finish == nil)
    #expect(status(1, 1).finish == start.advanced(by: 6235))
  }

  @Test func aFinishedPlanIsDone() {
    let status = status(20, 6236)
    #expect((status.isDone, status.left, status.ahead) == (true, 0, 6236 - 4158))
  }

  @Test func ayahsReadBeforeThePlanAreNotCounted() throws {
    let plan = try #require(KhatmPlan(start: start, days: 10, readCount: 5236))
    let status = plan.status(on: start, readCount: 5300)
    #expect((status.total, status.done, status.due) == (1000, 64, 100))
    #expect((status.ahead, status.left) == (0, 36))
    // A surah whose progress was reset after the start must be read again.
    #expect(plan.status(on: start, readCount: 5000).done == -236)
    #expect(plan.status(on: start, readCount: 5000).finish == nil)
  }

  @Test func aPlanAfterACompleteReadingStartsOver() throws {
    let plan = try #require(KhatmPlan(start: start, days: 10, readCount: 6236))
    #expect(plan.readBeforeStart == 0)
    #expect(plan.status(on: start, readCount: 0).total == 6236)
  }

  @Test func plansOutOfRangeAreRejected() {
    for (days, read) in [(0, 0), (-1, 0), (3651, 0), (30, -1), (30, 6237), (.max, .max)] {
      #expect(KhatmPlan(start: start, days: days, readCount: read) == nil)
    }
    let short = KhatmPlan(start: start, days: 1, readCount: 0)
    #expect(short?.status(on: start, readCount: 0).due == 6236)
  }

  @Test func theSettingHoldsThePlan() throws {
    let plan = try #require(KhatmPlan(start: start, days: 30, readCount: 12))
    #expect(plan.setting == #"{"days":30,"read":12,"start":"2026-11-22"}"#)
    #expect(KhatmPlan(setting: plan.setting) == plan)
    #expect(
      KhatmPlan(setting: #" {"start":"2026-11-22", "x":[], "days":30} "#)
        == KhatmPlan(start: start, days: 30, readCount: 0))
    for bad in [
      "", "null", "30", "\"off\"", "{}", #"{"start":"2026-02-30","days":30,"read":0}"#,
      #"{"start":"2026-11-22","days":0,"read":0}"#, #"{"start":"2026-11-22","days":30,"read":-5}"#,
      #"{"start":"2026-11-22","days":1e300,"read":0}"#, #"{"start":1,"days":30}"#,
    ] {
      #expect(KhatmPlan(setting: bad) == nil, "\(bad)")
    }
  }

  @Test func aSnapshotHasThePlanAndThePercentage() throws {
    let library = try Library.inMemory()
    #expect(try library.snapshot().khatmPlan == nil)
    try library.commit(
      [.set(SettingKey.khatm.rawValue, plan.setting), .setProgress(.first, to: 7)], at: 1)
    let snapshot = try library.snapshot()
    #expect(snapshot.khatmPlan == plan)
    #expect(snapshot.percentage == 700.0 / 6236)
  }
}
