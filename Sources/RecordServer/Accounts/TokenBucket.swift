import CloudRecords

/// A token bucket, which limits the average rate and the bursts of operations.
///
///     var bucket = TokenBucket(.user, at: now)
///     bucket.consume(200, at: now)   // nil: allowed
public struct TokenBucket: Hashable, Sendable {
  /// The size of a bucket and how fast it is filled.
  public struct Rate: Hashable, Sendable {
    /// The number of operations that are added per second.
    public var perSecond: Int64
    /// The number of operations that a full bucket allows at once.
    public var burst: Int64

    public init(perSecond: Int64, burst: Int64) {
      self.perSecond = perSecond
      self.burst = burst
    }
  }

  private let rate: Rate
  /// The thousandths of operations in the bucket; negative if it owes some. `perSecond` of them are
  /// added in each millisecond.
  private var level: Int64
  /// The time to which the bucket was filled, in milliseconds since 1970, UTC.
  private var filledAt: Int64

  /// Creates a full bucket.
  ///
  /// - Parameter now: the current time in milliseconds since 1970, UTC.
  public init(_ rate: Rate, at now: Int64) {
    self.rate = rate
    level = rate.burst * 1000
    filledAt = now
  }

  /// Takes operations from the bucket, all or none. More operations than a burst count as a burst,
  /// since they could never be taken otherwise.
  ///
  /// - Returns: nil if they were taken; otherwise the seconds after which they can be taken.
  public mutating func consume(_ operations: Int, at now: Int64) -> Double? {
    fill(at: now)
    let cost = min(Int64(max(0, operations)), rate.burst) * 1000
    guard level < cost else {
      level -= cost
      return nil
    }
    return Double((cost - level + rate.perSecond - 1) / rate.perSecond) / 1000
  }

  /// Takes operations that were already carried out. If the bucket has too few, it owes the rest,
  /// at most one burst.
  public mutating func owe(_ operations: Int, at now: Int64) {
    fill(at: now)
    let cost = min(Int64(max(0, operations)), 2 * rate.burst) * 1000
    level = max(-rate.burst * 1000, level - cost)
  }

  /// Whether the bucket is full, as a new one is.
  mutating func isFull(at now: Int64) -> Bool {
    fill(at: now)
    return level == rate.burst * 1000
  }

  /// Adds the operations of the time since the last call.
  private mutating func fill(at now: Int64) {
    // A clock that is set back adds nothing. The time is limited to what fills the bucket, so that
    // the product does not overflow; a bucket that owes a burst needs twice the time.
    let elapsed = min(max(0, now - filledAt), 2 * rate.burst * 1000 / rate.perSecond + 1)
    level = min(rate.burst * 1000, level + elapsed * rate.perSecond)
    filledAt = now
  }
}

extension TokenBucket.Rate {
  /// The limit of a signed-in user, unless the operator chooses another one.
  public static let user = Self(perSecond: 200, burst: 20_000)
  /// The numbers of operations per second that an operator can choose.
  public static let perSecondRange: ClosedRange<Int64> = 1...1_000_000
  /// The bursts that an operator can choose: at least one request with as many operations as a
  /// request can have.
  public static let burstRange: ClosedRange<Int64> = Int64(Limits.operations)...1_000_000_000
  /// The limit of an address from which requests come without a web auth token.
  public static let anonymous = Self(perSecond: 20, burst: 400)
  /// The limit of an address from which forms of sign-in and registration are opened or submitted.
  public static let signIn = Self(perSecond: 1, burst: 30)
}
