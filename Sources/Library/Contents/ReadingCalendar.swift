/// The numbers of consecutive days on which something was read.
public struct Streak: Hashable, Sendable {
  /// The number of days up to today, or up to yesterday if nothing was read today.
  public let current: Int
  /// The greatest number of consecutive days.
  public let longest: Int
  /// Whether something was read today.
  public let includesToday: Bool

  /// Counts the consecutive days on which something was read.
  ///
  /// - Parameter readingDays: The numbers of ayahs read, by day.
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

/// The last weeks up to today, from Monday to Sunday.
public struct ReadingCalendar: Hashable, Sendable {
  /// A week.
  public struct Week: Hashable, Sendable {
    /// The first day.
    public let monday: Day
    /// The numbers of ayahs read from Monday to Sunday; nil for days after today.
    public let ayahs: [Int?]

    /// The number of ayahs read in the week.
    public var total: Int { ayahs.reduce(0) { $0 + ($1 ?? 0) } }
  }

  /// The weeks, oldest first. The last one contains today.
  public let weeks: [Week]
  /// The greatest number of ayahs read on one of the days.
  public let maximum: Int

  /// Creates the calendar of the last weeks, of which the last one contains today.
  ///
  /// - Parameters:
  ///   - readingDays: The numbers of ayahs read, by day.
  ///   - count: The number of weeks, at least 1.
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
    maximum = weeks.flatMap(\.ayahs).reduce(0) { max($0, $1 ?? 0) }
  }

  /// Returns the shade for a number of ayahs: 0 if none was read, otherwise the number in quarters
  /// of `maximum`, rounded up, from 1 to 4.
  public func level(_ ayahs: Int) -> Int {
    guard ayahs > 0, maximum > 0 else { return 0 }
    return min(max((ayahs * 4 + maximum - 1) / maximum, 1), 4)
  }
}
