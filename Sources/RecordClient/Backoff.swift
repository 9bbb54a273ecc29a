/// The delays before failed requests are sent again: exponential backoff with full jitter, so that
/// devices whose requests failed at the same time do not all retry at the same time.
public struct Backoff: Hashable, Sendable {
  /// The maximum delay after the first failure in seconds. It doubles with each further failure.
  public var base: Double
  /// The upper limit of the maximum delay in seconds.
  public var maximum: Double

  /// The maximum `retryAfter` in seconds that is obeyed: one day.
  public static let longestRetryAfter = 86_400.0

  /// Creates a backoff whose maximum delay doubles from `base` up to `maximum`.
  ///
  /// - Parameters:
  ///   - base: The maximum delay after the first failure, in seconds.
  ///   - maximum: The upper limit of the maximum delay, in seconds.
  public init(base: Double = 1, maximum: Double = 300) {
    self.base = base
    self.maximum = maximum
  }

  /// Returns the maximum delay in seconds if the service has not sent a `retryAfter`.
  ///
  /// - Parameter attempt: The number of consecutive failures, at least 1.
  public func ceiling(attempt: Int) -> Double {
    // The shift is limited to 60 bits, because a longer one is not needed and could overflow.
    min(maximum, base * Double(1 << min(max(attempt, 1) - 1, 60)))
  }

  /// Returns a random delay in seconds.
  ///
  /// - Parameters:
  ///   - attempt: The number of consecutive failures, at least 1.
  ///   - retryAfter: The number of seconds that the service has asked for, of which at most
  ///     `longestRetryAfter` is obeyed. The delay is at least this number plus a random part of up
  ///     to a tenth of it.
  public func delay(
    attempt: Int, retryAfter: Double? = nil, using generator: inout some RandomNumberGenerator
  ) -> Double {
    let delay = Double.random(in: 0...ceiling(attempt: attempt), using: &generator)
    guard let retryAfter, retryAfter > 0, retryAfter.isFinite else { return delay }
    let asked = min(retryAfter, Self.longestRetryAfter)
    let least = asked + .random(in: 0...asked / 10, using: &generator)
    return max(delay, least)
  }
}
