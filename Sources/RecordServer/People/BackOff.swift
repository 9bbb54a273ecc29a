/// How long one has to wait who keeps failing.
///
/// The first few failures cost nothing, each further one doubles the wait; what was long ago
/// is forgiven, one failure at a time. Times are in milliseconds since 1970, UTC.
struct BackOff: Hashable, Sendable {
  struct Policy: Hashable, Sendable {
    /// Failures that cost nothing.
    var free: Int
    /// Milliseconds to wait after the first that does.
    var first: Int64
    /// Milliseconds to wait at most.
    var longest: Int64
    /// Milliseconds in which one failure is forgiven.
    var forgiveness: Int64
  }

  private(set) var failures = 0
  private var lastAt: Int64
  /// Since when they are being forgiven.
  private var since: Int64

  init(at now: Int64) {
    lastAt = now
    since = now
  }

  /// Milliseconds to wait before the next attempt; nil for none.
  func wait(_ policy: Policy, at now: Int64) -> Int64? {
    guard failures > policy.free else { return nil }
    // Enough doublings to be longer than any wait, and few enough to be counted.
    let doublings = min(failures - policy.free - 1, 20)
    let whole = min(policy.longest, policy.first << Int64(doublings))
    // A clock set back makes no wait longer.
    let wait = min(whole, lastAt + whole - now)
    return wait > 0 ? wait : nil
  }

  mutating func fail(_ policy: Policy, at now: Int64) {
    forgive(policy, at: now)
    failures += 1
    lastAt = now
  }

  /// An attempt did not count after all.
  mutating func takeBack() {
    failures = max(0, failures - 1)
  }

  /// Whether nothing is held against anyone.
  func isSpent(_ policy: Policy, at now: Int64) -> Bool {
    var later = self
    later.forgive(policy, at: now)
    return later.failures == 0
  }

  private mutating func forgive(_ policy: Policy, at now: Int64) {
    let forgiven = max(0, now - since) / policy.forgiveness
    failures = max(0, failures - Int(clamping: forgiven))
    // A clock set back begins anew.
    since = failures == 0 || now < since ? now : since + forgiven * policy.forgiveness
  }
}
