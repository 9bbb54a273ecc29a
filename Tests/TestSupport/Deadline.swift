/// A moment after which waiting becomes a failure.
///
/// A deadline only detects hangs. It is far longer than a busy machine needs.
public struct Deadline {
  private let end: ContinuousClock.Instant

  public init(seconds: Int = 120) {
    end = .now + .seconds(seconds)
  }

  public var hasPassed: Bool { .now >= end }

  /// The remaining time in milliseconds, at most `limit`: a timeout for poll(2).
  public func milliseconds(atMost limit: Int32) -> Int32 {
    let left = (end - .now) / .milliseconds(1)
    return Int32(max(0, min(Double(limit), left.rounded(.up))))
  }
}
