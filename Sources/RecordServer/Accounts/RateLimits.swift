public import CloudRecords
import NIOConcurrencyHelpers

/// The rate limits of this process. They are held in memory, separately for each process.
public final class RateLimits: Sendable {
  /// The client to which a limit applies.
  public enum Requester: Hashable, Sendable {
    /// A signed-in user, by the account's id.
    case user(Int64)
    /// A client that is not signed in, by its address.
    case anonymous(ClientAddress)
    /// A client that opens or submits a form of sign-in or registration, by its address.
    case signIn(ClientAddress)

    var isSignedIn: Bool { if case .user = self { true } else { false } }
  }

  /// Returns the current time in milliseconds since 1970, UTC.
  private let now: @Sendable () -> Int64
  private let isUnlimited: Bool
  private let accountRate: TokenBucket.Rate?
  private let buckets: NIOLockedValueBox<BoundedDictionary<Requester, TokenBucket>>

  /// Creates the limits of a process that has not charged any client yet.
  ///
  /// - Parameters:
  ///   - limit: the maximum number of clients that are remembered.
  ///   - isUnlimited: whether there are no limits, as in a service for tests.
  ///   - accountRate: the limit of each signed-in user; nil for none.
  ///   - now: returns the current time in milliseconds since 1970, UTC.
  public init(
    limit: Int = 100_000, isUnlimited: Bool = false, accountRate: TokenBucket.Rate? = .user,
    now: @escaping @Sendable () -> Int64
  ) {
    self.now = now
    self.isUnlimited = isUnlimited
    self.accountRate = accountRate
    buckets = NIOLockedValueBox(BoundedDictionary(limit: limit))
  }

  /// Charges operations to a client before they are carried out.
  ///
  /// - Parameters:
  ///   - operations: the number of operations. Most requests are charged as one operation, and
  ///     requests that save or delete several items as one operation for each item.
  ///   - requester: the client.
  /// - Throws: THROTTLED with the seconds to wait; then nothing was charged.
  public func consume(_ operations: Int = 1, by requester: Requester) throws(ServiceError) {
    guard let rate = rate(of: requester) else { return }
    let now = now()
    let wait = buckets.withLockedValue { buckets in
      buckets.update(
        requester, new: TokenBucket(rate, at: now), isSpent: { $0.isFull(at: now) },
        { $0.consume(operations, at: now) })
    }
    if let wait {
      throw ServiceError(.throttled, cause: .tooManyRequests, retryAfter: wait)
    }
  }

  /// Charges work to a client after it was done, because its amount was not known before. The
  /// client's next requests may have to wait.
  ///
  /// - Parameter operations: the number of operations that the work is worth.
  public func charge(_ operations: Int, to requester: Requester) {
    guard operations > 0, let rate = rate(of: requester) else { return }
    let now = now()
    buckets.withLockedValue { buckets in
      buckets.update(
        requester, new: TokenBucket(rate, at: now), isSpent: { $0.isFull(at: now) },
        { $0.owe(operations, at: now) })
    }
  }

  /// The limit that applies to a client; nil if none does.
  private func rate(of requester: Requester) -> TokenBucket.Rate? {
    guard !isUnlimited else { return nil }
    return switch requester {
    case .user: accountRate
    case .anonymous: .anonymous
    case .signIn: .signIn
    }
  }
}
