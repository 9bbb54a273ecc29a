public import CloudRecords
import NIOConcurrencyHelpers

/// How much anyone may ask of this process (record-service.md, "Operations").
public final class RateLimits: Sendable {
  /// Who is counted.
  public enum Asker: Hashable, Sendable {
    /// By account.
    case user(Int64)
    case anonymous(ClientAddress)
    /// Who asks for, or fills in, a form of sign-in or registration.
    case signIn(ClientAddress)

    var isSignedIn: Bool { if case .user = self { true } else { false } }
  }

  /// Milliseconds since 1970, UTC.
  private let now: @Sendable () -> Int64
  private let buckets: NIOLockedValueBox<Tally<Asker, TokenBucket>>

  /// - Parameter limit: how many askers are remembered at once.
  public init(limit: Int = 100_000, now: @escaping @Sendable () -> Int64) {
    self.now = now
    buckets = NIOLockedValueBox(Tally(limit: limit))
  }

  /// Counts operations: those of records/modify, or one for any other request.
  ///
  /// - Throws: THROTTLED, with the seconds to wait; then nothing was counted.
  public func take(_ operations: Int = 1, by asker: Asker) throws(ServiceError) {
    let now = now()
    let wait = buckets.withLockedValue { buckets in
      buckets.update(
        asker, new: TokenBucket(asker.rate, at: now), isSpent: { $0.isFull(at: now) },
        { $0.take(operations, at: now) })
    }
    if let wait {
      throw ServiceError(.throttled, reason: Reason.tooManyRequests, retryAfter: wait)
    }
  }
}

extension RateLimits.Asker {
  var rate: TokenBucket.Rate {
    switch self {
    case .user: .user
    case .anonymous: .anonymous
    case .signIn: .signIn
    }
  }
}
