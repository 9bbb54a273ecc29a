import Glibc

/// A moment on the reader's own clock, printed as `2026-11-22 10:15`.
public struct LocalTime: Hashable, Sendable, CustomStringConvertible {
  public let day: Day
  public let hour: Int
  public let minute: Int

  /// - Parameter time: milliseconds since 1970, UTC.
  public init(_ time: Int64) {
    var seconds = time_t(time / 1000)
    var local = tm()
    localtime_r(&seconds, &local)
    day = Day(containing: time)
    hour = Int(local.tm_hour)
    minute = Int(local.tm_min)
  }

  public var description: String { "\(day) \(timeOfDay)" }

  /// As `10:15`.
  public var timeOfDay: String {
    "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
  }
}
