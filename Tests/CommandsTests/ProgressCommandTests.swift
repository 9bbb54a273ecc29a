import Foundation
import Library
import Messages
import Quran
import Testing
import Text

@testable import Commands

struct ProgressCommandTests {
  private struct Surah: Decodable, Equatable {
    let surah: Int
    let lastReadAyah: Int
    let totalAyahs: Int
    let percentage: Double
    let lastUpdatedAt: Int64?
    let changed: Bool?
  }

  private struct Page: Decodable {
    struct Streak: Decodable, Equatable {
      let current: Int
      let longest: Int
      let includesToday: Bool
    }
    struct Plan: Decodable, Equatable {
      let start: String
      let end: String
      let days: Int
      let day: Int
      let read: Int
      let done: Int
      let due: Int
      let total: Int
      let ahead: Int
      let left: Int
      let finish: String?
    }
    struct ReadingDay: Decodable, Equatable {
      let day: String
      let ayahs: Int
    }
    let read: Int
    let total: Int
    let percentage: Double
    let streak: Streak
    let plan: Plan?
    let readingDays: [ReadingDay]
    let surahs: [Surah]
  }

  private let fixture: CommandFixture

  init() throws {
    fixture = try CommandFixture()
  }

  private var today: Day { Day(containing: fixture.now) }

  /// - Parameter days: The numbers of ayahs that were read today, yesterday and so on.
  private func read(_ days: Int...) throws {
    var reading = ReadingChanges()
    for (ago, count) in days.enumerated() {
      reading.ayahsRead[today.advanced(by: -ago)] = count
    }
    let library = try fixture.library()
    _ = try library.save(reading, at: fixture.now)
    library.close()
  }

  // MARK: Changing

  @Test func progressIsSetForwardAndBack() throws {
    #expect(
      try fixture.progress(.set, "2:45", "yasin 83").lines == [
        "Surah 2 (Al-Baqarah): read up to ayah 45 of 286",
        "Surah 36 (Ya-Sin): read up to ayah 83 of 83",
      ])
    fixture.now += 1
    let surahs = try fixture.progress(.set, "2:40", "36:83", asJSON: true).decoded([Surah].self)
    #expect(
      surahs == [
        Surah(
          surah: 2, lastReadAyah: 40, totalAyahs: 286, percentage: 4000.0 / 286,
          lastUpdatedAt: fixture.now, changed: true),
        Surah(
          surah: 36, lastReadAyah: 83, totalAyahs: 83, percentage: 100,
          lastUpdatedAt: fixture.now - 1, changed: false),
      ])
  }

  @Test func surahsAreReset() throws {
    try fixture.progress(.set, "2:45", "36:83", "112:4")
    #expect(
      try fixture.progress(.reset, "112", "ya", "sin").lines == [
        "Surah 36 (Ya-Sin): starts from the beginning",
        "Surah 112 (Al-Ikhlas): starts from the beginning",
      ])
    #expect(try fixture.snapshot().readCount == 45)
    try fixture.progress(.reset, "1-114")
    #expect(try fixture.snapshot().readCount == 0)
  }

  @Test func onlyAyahsAreSetAndOnlySurahsReset() throws {
    for reference in ["2", "2:1-5", "juz 30"] {
      #expect(
        try failure { try fixture.progress(.set, reference) }
          == CommandFailure(.usage, fixture.messages.progressNeedsAyah))
    }
    for reference in ["2:45", "2:1-3:5", "juz 1", "2:2-286"] {
      #expect(
        try failure { try fixture.progress(.reset, reference) }
          == CommandFailure(.usage, fixture.messages.progressNeedsSurah))
    }
    #expect(try failure { try fixture.progress(.set) }.status == .usage)
    #expect(try failure { try fixture.progress(.reset) }.status == .usage)
    #expect(try fixture.isEmpty)
  }

  // MARK: Showing

  @Test func everySurahHasAProgressBar() throws {
    try fixture.progress(.set, "1:7", "2:45", "3:1", "4:175")
    let lines = try fixture.progress(.show).lines
    #expect(lines[..<114].allSatisfy { $0.columns == 80 })
    #expect(
      lines[0] == "  1  Al-Fatihah · Mở Đầu                         ▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓ 100 %      7/7"
    )
    #expect(lines[1].hasSuffix("  ▓▓░░░░░░░░░░░░░░  15 %   45/286"))
    #expect(lines[2].hasSuffix("  ▓░░░░░░░░░░░░░░░   0 %    1/200"))
    #expect(lines[3].hasSuffix("  ▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓░  99 %  175/176"))
    #expect(lines[113].hasPrefix("114  An-Nas · "))
    #expect(lines.last == "The book: ▓░░░░░░░░░░░░░░░░░░░ 3 %, 228 of 6236 ayahs")
  }

  /// A row of a surah has at least 40 columns, and at most 84.
  @Test(arguments: [(20, 40), (40, 40), (60, 56), (79, 79), (100, 84), (200, 84)])
  func theWidthDependsOnTheTerminal(columns: Int, width: Int) throws {
    try fixture.progress(.set, "1:7")
    try fixture.settings(.set("khatm", "30"))
    try read(5, 6)
    let lines = try fixture.progress(.show, columns: columns).lines
    #expect(lines[..<114].allSatisfy { $0.columns == width })
    // The calendar.
    #expect(lines[115..<122].allSatisfy { $0.columns <= columns })
    #expect(lines.count == 114 + 1 + 7 + 1 + 1 + 2 + 1)
  }

  @Test func theDaysOfReadingAreShown() throws {
    try read(5, 20, 0, 1)
    let lines = try fixture.progress(.show).lines
    let days = lines[115..<122]
    #expect(Array(days).map { String($0.prefix(2)) } == ["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"])
    #expect(days[115 + today.weekday].hasSuffix(" ░"))
    let yesterday = today.advanced(by: -1)
    #expect(days[115 + yesterday.weekday].contains("█"))
    #expect(lines[122] == "2 days in a row, longest 2; 5 ayahs today")
  }

  @Test func theKhatmPlanIsShown() throws {
    #expect(try !fixture.progress(.show).text.contains("Khatm"))
    try fixture.settings(.set("khatm", "30"))
    let start = today
    let plan = "Khatm plan: 30 days, \(start) to \(start.advanced(by: 29))"
    func shown() throws -> [String] {
      let lines = try fixture.progress(.show).lines
      return lines[(lines.firstIndex(of: plan) ?? lines.count - 2)...].dropLast().map { $0 }
    }
    #expect(
      try shown() == [
        plan, "  day 1: 208 ayahs are due by the end of today, 0 are read – 208 left today",
      ])
    try fixture.progress(.set, "2:208")
    #expect(
      try shown() == [
        plan, "  day 1: 208 ayahs are due by the end of today, 208 are read – on time",
        "  at this pace all is read on \(start.advanced(by: 29))",
      ])
    fixture.now += 2 * 86_400_000
    #expect(
      try shown()[1]
        == "  day 3: 624 ayahs are due by the end of today, 208 are read – 208 behind")
    fixture.now -= 86_400_000
    try fixture.progress(.set, "2:286", "3:200")
    #expect(
      try shown()[1]
        == "  day 2: 416 ayahs are due by the end of today, 486 are read – 70 ahead")
    let library = try fixture.library()
    try library.commit(
      SurahNumber.all.map { .setProgress($0, to: $0.ayahCount) }, at: fixture.now)
    library.close()
    #expect(try shown() == [plan, "  the whole book is read"])
    #expect(
      try fixture.progress(.show).lines.last
        == "The book: ▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓ 100 %, 6236 of 6236 ayahs")
  }

  @Test func jsonContainsTheWholeProgress() throws {
    try fixture.progress(.set, "1:7")
    try fixture.settings(.set("khatm", "10"))
    try fixture.progress(.set, "2:286")
    try read(5, 20)
    let page = try fixture.progress(.show, asJSON: true).decoded(Page.self)
    #expect((page.read, page.total) == (293, 6236))
    #expect(page.percentage == 29300.0 / 6236)
    #expect(page.streak == Page.Streak(current: 2, longest: 2, includesToday: true))
    #expect(
      page.plan
        == Page.Plan(
          start: "\(today)", end: "\(today.advanced(by: 9))", days: 10, day: 1, read: 7,
          done: 286, due: 623, total: 6229, ahead: 0, left: 337,
          finish: "\(today.advanced(by: 21))"))
    #expect(
      page.readingDays == [
        Page.ReadingDay(day: "\(today.advanced(by: -1))", ayahs: 20),
        Page.ReadingDay(day: "\(today)", ayahs: 5),
      ])
    #expect(page.surahs.map(\.surah) == Array(1...114))
    #expect(
      page.surahs[0]
        == Surah(
          surah: 1, lastReadAyah: 7, totalAyahs: 7, percentage: 100, lastUpdatedAt: fixture.now,
          changed: nil))
    #expect(page.surahs[2].lastUpdatedAt == nil)
  }

  @Test func withoutALibraryProgressIsZeroAndNoneIsCreated() throws {
    let page = try fixture.progress(.show, asJSON: true).decoded(Page.self)
    #expect(page.read == 0 && page.plan == nil && page.readingDays.isEmpty)
    #expect(
      try fixture.progress(.show).lines.last
        == "The book: ░░░░░░░░░░░░░░░░░░░░ 0 %, 0 of 6236 ayahs")
    #expect(try fixture.isEmpty)
  }

  // MARK: Bars

  @Test func aBarIsOnlyFullAt100Percent() {
    #expect(TextBar.text(0, of: 10, width: 5) == "░░░░░")
    #expect(TextBar.text(1, of: 1000, width: 5) == "▓░░░░")
    #expect(TextBar.text(999, of: 1000, width: 5) == "▓▓▓▓░")
    #expect(TextBar.text(1000, of: 1000, width: 5) == "▓▓▓▓▓")
    #expect(TextBar.text(2000, of: 1000, width: 5) == "▓▓▓▓▓")
    #expect(TextBar.text(-1, of: 1000, width: 3) == "░░░")
    #expect(TextBar.text(5, of: 0, width: 3) == "░░░")
    #expect(TextBar.text(5, of: 5, width: 0) == "")
  }
}
