import Glibc

/// A time in the local time zone, printed as `2026-11-22 10:15`.
public struct LocalTime: Hashable, Sendable, CustomStringConvertible {
  /// The date.
  public let day: Day
  /// The hour, 0…23.
  public let hour: Int
  /// The minute, 0…59.
  public let minute: Int

  /// Creates the local time of a time.
  ///
  /// - Parameter time: Milliseconds since 1970, UTC.
  public init(_ time: Int64) {
    var seconds = time_t(time.flooredQuotient(by: 1000))
    var local = tm()
    localtime_r(&seconds, &local)
    day = Day(containing: time)
    hour = Int(local.tm_hour)
    minute = Int(local.tm_min)
  }

  /// The time as `2026-11-22 10:15`.
  public var description: String { "\(day) \(timeOfDay)" }

  /// The time of the day as `10:15`.
  public var timeOfDay: String {
    "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
  }
}
