import Foundation
import Library
import Testing

struct DayTests {
  /// Days counted one by one, by the calendar's rules alone.
  @Test func everyDayOfTwelveCenturiesHasItsDate() throws {
    var (year, month, day) = (1600, 1, 1)
    // 2000-03-01 is day 11,017; 1600-01-01 is 400 years and 60 days before.
    var number = 11_017 - 146_097 - 60
    while year < 2800 {
      let found = Day(number: number)
      guard found.date == (year, month, day), Day(year: year, month: month, day: day) == found,
        Day(found.description) == found
      else {
        Issue.record("\(year)-\(month)-\(day) is \(found.date)")
        return
      }
      let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
      let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
      number += 1
      day += 1
      if day > lengths[month - 1] { (month, day) = (month + 1, 1) }
      if month > 12 { (year, month) = (year + 1, 1) }
    }
  }

  @Test func knownDatesAreFormattedCorrectly() {
    #expect(Day(number: 0).description == "1970-01-01")
    #expect(Day(number: -1).description == "1969-12-31")
    #expect(Day("2024-02-29")?.advanced(by: 1).description == "2024-03-01")
    #expect(Day("1900-02-28")?.advanced(by: 1).description == "1900-03-01")
    #expect(Day("0001-01-01")?.description == "0001-01-01")
    #expect(Day("9999-12-31")?.advanced(by: 1).description == "10000-01-01")
  }

  @Test func weeksBeginOnMonday() {
    #expect(Day("1970-01-01")?.weekday == 3)
    #expect(Day("2026-11-22")?.weekday == 6)
    #expect(Day("2026-11-23")?.weekday == 0)
    for number in -30...30 {
      let day = Day(number: number)
      #expect(day.advanced(by: 1).weekday == (day.weekday + 1) % 7)
    }
  }

  @Test func daysAreOrderedByDate() {
    #expect(Day(number: -1) < Day(number: 0))
    #expect(Day("2025-12-31").map { $0 < Day(number: $0.number + 1) } == true)
  }

  @Test func invalidDatesAndOtherFormatsAreRejected() {
    for text in [
      "", "2026", "2026-11", "2026-11-22-1", "2026-1-22", "2026-11-2", "26-11-22", "2026-13-01",
      "2026-00-10", "2026-02-30", "2023-02-29", "1900-02-29", "2026-11-31", "2026-11-00",
      "+2026-11-22", "-2026-11-22", "2026-+1-22", " 2026-11-22", "2026-11-22 ", "2026/11/22",
      "10000-01-01", "２０２６-11-22",
    ] {
      #expect(Day(text) == nil, "\(text)")
    }
    #expect(Day(year: 2026, month: 2, day: 29) == nil)
    #expect(Day(year: -1, month: 1, day: 1) == nil)
  }

  @Test(
    arguments: [
      // The last millisecond of a day and the first of the next, in summer and in winter.
      ("UTC0", 1_795_392_000_000, "2026-11-23"), ("UTC0", 1_795_391_999_999, "2026-11-22"),
      ("Asia/Ho_Chi_Minh", 1_795_366_799_999, "2026-11-22"),
      ("Asia/Ho_Chi_Minh", 1_795_366_800_000, "2026-11-23"),
      ("America/Los_Angeles", 1_783_580_399_999, "2026-07-08"),
      ("America/Los_Angeles", 1_783_580_400_000, "2026-07-09"),
      ("America/Los_Angeles", 1_767_254_399_999, "2025-12-31"),
      ("America/Los_Angeles", 1_767_254_400_000, "2026-01-01"),
      ("<-12>12", -1, "1969-12-31"), ("<+14>-14", -1, "1970-01-01"),
      ("UTC0", -1, "1969-12-31"), ("UTC0", -86_400_000, "1969-12-31"),
      ("UTC0", -86_400_001, "1969-12-30"), ("UTC0", .min, nil), ("UTC0", .max, nil),
    ] as [(String, Int64, String?)])
  func theDayOfATimeIsInTheLocalTimeZone(zone: String, time: Int64, day: String?) throws {
    // The time zone belongs to the whole process. Therefore another process computes the day.
    let lines = try WriterProcess.run(["--day", "\(time)"], environment: ["TZ": zone])
    if let day { #expect(lines == [day]) } else { #expect(lines.count == 1) }
  }
}
