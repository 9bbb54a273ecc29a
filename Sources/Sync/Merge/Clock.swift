import Library

/// What times of other devices are worth: hints, as a clock may be wrong by years.
struct Clock: Sendable {
  /// Milliseconds since 1970, UTC.
  let now: Int64

  /// A day: clocks that are set by hand, and time zones taken for one another, differ by less.
  static let trust: Int64 = 86_400_000

  /// A time as it is compared, never as it is stored: one far ahead counts as now.
  func believed(_ time: Int64) -> Int64 {
    let (latest, overflow) = now.addingReportingOverflow(Self.trust)
    return !overflow && time > latest ? now : time
  }
}
