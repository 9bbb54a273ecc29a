import CloudRecords
import HTTPTypes
import Hummingbird
import NIOConcurrencyHelpers

/// A limit on how many bytes of request bodies are held in memory at the same time. A decoded body
/// takes many times its size.
final class BodyBudget: Sendable {
  /// The limit for all bodies: four of the maximum size, or dozens of the size that clients usually
  /// send.
  static let bytes = 4 * Limits.requestBytes
  /// The limit for one client, so that no client can use the whole budget: two bodies of the
  /// maximum size.
  static let share = bytes / 2
  /// The limit for all anonymous clients together, so that they cannot block signed-in users.
  static let anonymousShare = bytes / 4

  private let used = NIOLockedValueBox(Used())

  private struct Used {
    var bytes = 0
    var anonymousBytes = 0
    var byAsker: [RateLimits.Asker: Int] = [:]

    func hasRoom(for count: Int, of asker: RateLimits.Asker) -> Bool {
      bytes + count <= BodyBudget.bytes
        && byAsker[asker, default: 0] + count <= BodyBudget.share
        && (asker.isSignedIn || anonymousBytes + count <= BodyBudget.anonymousShare)
    }

    mutating func add(_ count: Int, by asker: RateLimits.Asker) {
      bytes += count
      if !asker.isSignedIn { anonymousBytes += count }
      let share = byAsker[asker, default: 0] + count
      byAsker[asker] = share == 0 ? nil : share
    }
  }

  /// The bytes of one body. They are released when the claim is deallocated.
  final class Claim: Sendable {
    private let budget: BodyBudget
    private let asker: RateLimits.Asker
    private let bytes = NIOLockedValueBox(0)

    fileprivate init(_ budget: BodyBudget, _ asker: RateLimits.Asker) {
      self.budget = budget
      self.asker = asker
    }

    /// Counts received bytes. Bytes that are only announced by `Content-Length` are not counted, so
    /// that a client cannot reserve memory without sending anything.
    ///
    /// - Throws: TRY_AGAIN_LATER if the budget is exhausted.
    func grow(by count: Int) throws(ServiceError) {
      let isFree = budget.used.withLockedValue { used in
        guard used.hasRoom(for: count, of: asker) else { return false }
        used.add(count, by: asker)
        return true
      }
      guard isFree else {
        throw ServiceError(.tryAgainLater, cause: .bodiesTooMany, retryAfter: 1)
      }
      bytes.withLockedValue { $0 += count }
    }

    deinit { budget.used.withLockedValue { $0.add(-bytes.withLockedValue { $0 }, by: asker) } }
  }

  /// Returns an empty claim for a body that a client begins to send.
  func claim(for asker: RateLimits.Asker) -> Claim { Claim(self, asker) }
}
