/// Spreads operations over time.
struct Pace {
  /// When the next request may be sent.
  private(set) var start = Duration.zero

  /// A request of so many operations is sent at a time that is not before `start`.
  mutating func take(_ operations: Int, at now: Duration, perSecond: Double) {
    start = now + .seconds(Double(operations) / perSecond)
  }
}
