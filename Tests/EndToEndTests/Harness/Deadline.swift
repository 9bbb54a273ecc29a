/// A moment after which waiting becomes a failure.
///
/// Deadlines are for hangs alone, never for speed: far longer than a busy
/// machine needs.
struct Deadline {
  private let end: ContinuousClock.Instant

  init(seconds: Int = 120) {
    end = .now + .seconds(seconds)
  }

  var hasPassed: Bool { .now >= end }

  /// The remaining time in milliseconds, at most `limit`: a timeout for poll(2).
  func milliseconds(atMost limit: Int32) -> Int32 {
    let left = (end - .now) / .milliseconds(1)
    return Int32(max(0, min(Double(limit), left.rounded(.up))))
  }
}
