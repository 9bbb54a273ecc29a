/// A rate limit for operations.
struct Pace {
  /// The time at which the next request may be sent.
  private(set) var start = Duration.zero

  /// Records that a request is sent.
  ///
  /// - Parameters:
  ///   - operations: The number of operations in the request.
  ///   - now: The current time, not before `start`.
  ///   - perSecond: The maximum number of operations per second.
  mutating func take(_ operations: Int, at now: Duration, perSecond: Double) {
    start = now + .seconds(Double(operations) / perSecond)
  }
}
