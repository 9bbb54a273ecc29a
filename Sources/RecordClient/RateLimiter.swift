/// A rate limit for operations.
struct RateLimiter {
  /// The time at which the next request may be sent, since the creation of the client's clock.
  private(set) var nextStart = Duration.zero

  /// Records that a request is sent.
  ///
  /// - Parameters:
  ///   - operations: The number of operations in the request.
  ///   - now: The current time, not before `nextStart`.
  ///   - perSecond: The maximum number of operations per second.
  mutating func recordRequest(operations: Int, at now: Duration, perSecond: Double) {
    nextStart = now + .seconds(Double(operations) / perSecond)
  }
}
