/// The exponential back-off after repeated failures.
///
/// The first few failures have no consequence; each one after that doubles the wait. Failures
/// expire one after the other. Times are in milliseconds since 1970, UTC.
struct BackOff: Hashable, Sendable {
  /// The parameters of a back-off.
  struct Policy: Hashable, Sendable {
    /// The number of failures without a wait.
    var free: Int
    /// The first wait in milliseconds.
    var first: Int64
    /// The longest wait in milliseconds.
    var longest: Int64
    /// The time in which one failure expires, in milliseconds.
    var forgiveness: Int64
  }

  /// The number of failures that have not expired.
  private(set) var failures = 0
  /// The time of the last failure.
  private(set) var lastAt: Int64
  /// The time from which the expiry of the failures is counted.
  private(set) var since: Int64

  /// Returns how many milliseconds to wait before the next attempt; nil if it is allowed now.
  func wait(_ policy: Policy, at now: Int64) -> Int64? {
    guard failures > policy.free else { return nil }
    // Enough doublings to reach the longest wait, and few enough not to overflow.
    let doublings = min(failures - policy.free - 1, 20)
    let whole = min(policy.longest, policy.first << Int64(doublings))
    // A clock that is set back does not make the wait longer.
    let wait = min(whole, lastAt + whole - now)
    return wait > 0 ? wait : nil
  }

  /// A failure that was counted, with what `takeBack` needs to undo it.
  struct Failure: Hashable, Sendable {
    /// The time of the failure.
    fileprivate let at: Int64
    /// The number of failures after this one was counted.
    fileprivate let count: Int
    /// The value of `lastAt` before this failure.
    fileprivate let formerLastAt: Int64
  }

  /// Counts a failure.
  ///
  /// - Returns: the failure, for `takeBack`.
  @discardableResult
  mutating func fail(_ policy: Policy, at now: Int64) -> Failure {
    forgive(policy, at: now)
    failures += 1
    defer { lastAt = now }
    return Failure(at: now, count: failures, formerLastAt: lastAt)
  }

  /// Takes back a failure.
  mutating func takeBack(_ failure: Failure) {
    // `lastAt` stays as it is if another failure was counted since, perhaps at the same time.
    if lastAt == failure.at, failures <= failure.count { lastAt = failure.formerLastAt }
    failures = max(0, failures - 1)
  }

  /// Whether all failures have expired.
  func isSpent(_ policy: Policy, at now: Int64) -> Bool {
    var later = self
    later.forgive(policy, at: now)
    return later.failures == 0
  }

  /// Removes the failures that have expired.
  private mutating func forgive(_ policy: Policy, at now: Int64) {
    let forgiven = max(0, now - since) / policy.forgiveness
    failures = max(0, failures - Int(clamping: forgiven))
    // If the clock was set back, start counting again.
    since = failures == 0 || now < since ? now : since + forgiven * policy.forgiveness
  }
}

extension BackOff {
  /// Creates a back-off without failures.
  init(at now: Int64) { self.init(lastAt: now, since: now) }
}
