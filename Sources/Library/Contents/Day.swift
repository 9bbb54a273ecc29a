import Glibc

/// A day of the Gregorian calendar, printed as `2026-11-22`.
public struct Day: Hashable, Sendable {
  /// Days since 1970-01-01.
  public let number: Int

  /// Creates a day from the number of days since 1970-01-01.
  public init(number: Int) {
    self.number = number
  }

  /// Creates the day that contains a time in the local time zone.
  ///
  /// - Parameter time: Milliseconds since 1970, UTC.
  public init(containing time: Int64) {
    let seconds = time.flooredQuotient(by: 1000)
    var moment = time_t(seconds)
    var local = tm()
    localtime_r(&moment, &local)
    number = Int((seconds + Int64(local.tm_gmtoff)).flooredQuotient(by: 86_400))
  }

  /// The day of the week, 0…6; 0 is Monday.
  public var weekday: Int { ((number + 3) % 7 + 7) % 7 }

  /// Returns the day that is a number of days later, or earlier if the number is negative.
  public func advanced(by days: Int) -> Day { Day(number: number + days) }

  /// The date in the proleptic Gregorian calendar. The calculation uses eras of 400 years, which
  /// have 146,097 days, and years that begin in March, so that the leap day is the last day.
  public var date: (year: Int, month: Int, day: Int) {
    let shifted = number + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let march = (5 * dayOfYear + 2) / 153
    let month = march < 10 ? march + 3 : march - 9
    return (
      yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * march + 2) / 5 + 1
    )
  }

  /// Creates the day of a date. Nil if there is no such date, or if the year is not in 0…9999.
  public init?(year: Int, month: Int, day: Int) {
    guard (1...12).contains(month), (1...31).contains(day), (0...9999).contains(year) else {
      return nil
    }
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    number = era * 146_097 + dayOfEra - 719_468
    guard date == (year, month, day) else { return nil }
  }
}

extension Day: Comparable {
  /// Whether a day is earlier than another.
  public static func < (a: Day, b: Day) -> Bool { a.number < b.number }
}

extension Day: LosslessStringConvertible {
  /// The date as `2026-11-22`.
  public var description: String {
    let (year, month, day) = date
    func padded(_ value: Int, _ width: Int) -> String {
      let digits = String(value)
      return String(repeating: "0", count: max(width - digits.count, 0)) + digits
    }
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
  }

  /// Creates a day from a string in the form of `description`.
  public init?(_ description: String) {
    let parts = description.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
    guard parts.count == 3, let year = parts[0], let month = parts[1], let number = parts[2],
      let day = Day(year: year, month: month, day: number), day.description == description
    else { return nil }
    self = day
  }
}

extension Int64 {
  /// Returns the quotient, rounded down.
  func flooredQuotient(by divisor: Int64) -> Int64 {
    self / divisor - (self % divisor < 0 ? 1 : 0)
  }
}
