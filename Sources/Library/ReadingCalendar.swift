/// Days in a row on which something was read.
public struct Streak: Hashable, Sendable {
  /// Up to today, or up to yesterday as long as nothing was read today: today is not over.
  public let current: Int
  public let longest: Int
  /// Whether today is one of the days.
  public let includesToday: Bool

  /// - Parameter readingDays: ayahs read on each day.
  public init(_ readingDays: [Day: Int], today: Day) {
    func wasRead(_ day: Day) -> Bool { readingDays[day, default: 0] > 0 }
    includesToday = wasRead(today)
    var day = includesToday ? today : today.advanced(by: -1)
    var current = 0
    while wasRead(day) {
      current += 1
      day = day.advanced(by: -1)
    }
    self.current = current
    var longest = 0
    var length = 0
    var last: Day?
    for (day, ayahs) in readingDays.sorted(by: { $0.key < $1.key }) where ayahs > 0 {
      length = last?.advanced(by: 1) == day ? length + 1 : 1
      longest = max(longest, length)
      last = day
    }
    self.longest = longest
  }
}

/// The last weeks up to today, a week from Monday to Sunday each.
public struct ReadingCalendar: Hashable, Sendable {
  public struct Week: Hashable, Sendable {
    public let monday: Day
    /// Ayahs read from Monday to Sunday; nil for days that are yet to come.
    public let ayahs: [Int?]

    public var total: Int { ayahs.reduce(0) { $0 + ($1 ?? 0) } }
  }

  /// Oldest first; the last one holds today.
  public let weeks: [Week]
  /// The most that was read on one of these days.
  public let most: Int

  /// - Parameter count: how many weeks, at least one.
  public init(_ readingDays: [Day: Int], today: Day, weeks count: Int) {
    let lastMonday = today.advanced(by: -today.weekday)
    let weeks = (0..<max(count, 1)).reversed().map { weeksAgo in
      let monday = lastMonday.advanced(by: -7 * weeksAgo)
      return Week(
        monday: monday,
        ayahs: (0..<7).map { offset in
          let day = monday.advanced(by: offset)
          return day > today ? nil : readingDays[day, default: 0]
        })
    }
    self.weeks = weeks
    most = weeks.flatMap(\.ayahs).reduce(0) { max($0, $1 ?? 0) }
  }

  /// How dark a day is drawn.
  public static let levels = 0...4

  /// 0 for a day on which nothing was read, else 1…4, 4 for about the most.
  public func level(_ ayahs: Int) -> Int {
    guard ayahs > 0, most > 0 else { return 0 }
    return min(max((ayahs * 4 + most - 1) / most, 1), 4)
  }
}
