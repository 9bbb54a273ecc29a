import Quran
import Testing

@testable import Library

struct ReadingCalendarTests {
  /// A Sunday.
  private let today: Day

  init() throws {
    today = try #require(Day("2026-11-22"))
  }

  /// - Parameter ago: how many days ago something was read.
  private func days(_ ago: Int...) -> [Day: Int] {
    ago.reduce(into: [:]) { $0[today.advanced(by: -$1)] = 5 }
  }

  // MARK: Streaks

  @Test func daysInARowAreCounted() {
    let streak = Streak(days(0, 1, 2, 4, 5, 6, 7, 9), today: today)
    #expect((streak.current, streak.longest, streak.includesToday) == (3, 4, true))
  }

  @Test func todayWithoutReadingDoesNotBreakTheStreak() {
    let streak = Streak(days(1, 2), today: today)
    #expect((streak.current, streak.longest, streak.includesToday) == (2, 2, false))
  }

  @Test func aPastDayWithoutReadingBreaksTheStreak() {
    let streak = Streak(days(2, 3, 4), today: today)
    #expect((streak.current, streak.longest) == (0, 3))
  }

  @Test func withoutReadingThereIsNoStreak() {
    for nothing in [[:], [today: 0], [today.advanced(by: -1): -3]] as [[Day: Int]] {
      let streak = Streak(nothing, today: today)
      #expect((streak.current, streak.longest, streak.includesToday) == (0, 0, false))
    }
  }

  @Test func futureDaysDoNotCountForTheCurrentStreak() {
    // These days were read before the clock was set back.
    let streak = Streak(days(0, -1, -2, -3), today: today)
    #expect((streak.current, streak.longest) == (1, 4))
  }

  // MARK: Weeks

  @Test func aWeekIsFromMondayToSunday() throws {
    let calendar = ReadingCalendar(days(0, 6, 7, 100), today: today, weeks: 2)
    #expect(calendar.weeks.map { "\($0.monday)" } == ["2026-11-09", "2026-11-16"])
    #expect(calendar.weeks[0].ayahs == [0, 0, 0, 0, 0, 0, 5])
    #expect(calendar.weeks[1].ayahs == [5, 0, 0, 0, 0, 0, 5])
    #expect(calendar.weeks.map(\.total) == [5, 10])
  }

  @Test func futureDaysOfTheWeekAreNil() throws {
    let wednesday = today.advanced(by: 3)
    let calendar = ReadingCalendar([today: 3], today: wednesday, weeks: 2)
    #expect(calendar.weeks[0].ayahs == [0, 0, 0, 0, 0, 0, 3])
    #expect(calendar.weeks[1].ayahs == [0, 0, 0, nil, nil, nil, nil])
  }

  @Test func thereIsAtLeastOneWeek() {
    #expect(ReadingCalendar([:], today: today, weeks: 0).weeks.count == 1)
    #expect(ReadingCalendar([:], today: today, weeks: -5).weeks.count == 1)
  }

  @Test func levelsAreRelativeToTheMaximum() {
    var days: [Day: Int] = [:]
    for (index, count) in [0, 1, 25, 26, 50, 75, 100].enumerated() {
      days[today.advanced(by: -index)] = count
    }
    let calendar = ReadingCalendar(days, today: today, weeks: 1)
    #expect(calendar.maximum == 100)
    let levels = [0, 1, 25, 26, 50, 75, 76, 100, 200].map(calendar.level)
    #expect(levels == [0, 1, 1, 2, 2, 3, 4, 4, 4])
    #expect(ReadingCalendar([today: 1], today: today, weeks: 1).level(1) == 4)
    #expect(ReadingCalendar([:], today: today, weeks: 1).level(0) == 0)
  }
}
