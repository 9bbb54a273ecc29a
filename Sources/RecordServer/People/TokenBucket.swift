/// So many operations a second, and so many at once after a rest.
///
///     var bucket = TokenBucket(.user, at: now)
///     bucket.take(200, at: now)   // nil: go on
public struct TokenBucket: Hashable, Sendable {
  public struct Rate: Hashable, Sendable {
    public var perSecond: Int64
    public var burst: Int64

    public init(perSecond: Int64, burst: Int64) {
      self.perSecond = perSecond
      self.burst = burst
    }
  }

  private let rate: Rate
  /// In thousandths of an operation, of which `perSecond` come in each millisecond.
  private var level: Int64
  /// Milliseconds since 1970, UTC.
  private var filledAt: Int64

  /// A full one.
  public init(_ rate: Rate, at now: Int64) {
    self.rate = rate
    level = rate.burst * 1000
    filledAt = now
  }

  /// Takes operations, all or none.
  ///
  /// - Returns: nil where they were taken; else after how many seconds they could be. More
  ///   than a burst is taken as a burst, or it could never be.
  public mutating func take(_ operations: Int, at now: Int64) -> Double? {
    fill(at: now)
    let cost = min(Int64(max(0, operations)), rate.burst) * 1000
    guard level < cost else {
      level -= cost
      return nil
    }
    return Double((cost - level + rate.perSecond - 1) / rate.perSecond) / 1000
  }

  /// Whether it is as good as a new one.
  mutating func isFull(at now: Int64) -> Bool {
    fill(at: now)
    return level == rate.burst * 1000
  }

  private mutating func fill(at now: Int64) {
    // A clock set back brings nothing and costs nothing. The time is bounded by what fills it.
    let elapsed = min(max(0, now - filledAt), rate.burst * 1000 / rate.perSecond + 1)
    level = min(rate.burst * 1000, level + elapsed * rate.perSecond)
    filledAt = now
  }
}

extension TokenBucket.Rate {
  /// record-service.md, "Operations".
  public static let user = Self(perSecond: 200, burst: 20_000)
  /// Requests of nobody in particular, per address. Ours.
  public static let anonymous = Self(perSecond: 20, burst: 400)
  /// Forms of sign-in and registration, per address. Ours.
  public static let signIn = Self(perSecond: 1, burst: 30)
}
