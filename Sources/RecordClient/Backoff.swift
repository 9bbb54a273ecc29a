/// How long to wait after failures: exponential with full jitter, so that devices that failed
/// together do not come back together.
public struct Backoff: Hashable, Sendable {
  /// The most seconds after the first failure; doubled with each further one.
  public var base: Double
  /// The most seconds there are.
  public var maximum: Double

  /// The most seconds that a service is left alone because it asked for it: a day.
  public static let longestRetryAfter = 86_400.0

  public init(base: Double = 1, maximum: Double = 300) {
    self.base = base
    self.maximum = maximum
  }

  /// The most seconds that are waited without a `retryAfter`.
  ///
  /// - Parameter attempt: how often it failed, from 1.
  public func ceiling(attempt: Int) -> Double {
    // Beyond 2^60 there is no more to double.
    min(maximum, base * Double(1 << min(max(attempt, 1) - 1, 60)))
  }

  /// Seconds to wait.
  ///
  /// - Parameters:
  ///   - attempt: how often it failed, from 1.
  ///   - retryAfter: seconds that the service asked for, of which a day is heeded at most. It is
  ///     never less, and up to a tenth more.
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
