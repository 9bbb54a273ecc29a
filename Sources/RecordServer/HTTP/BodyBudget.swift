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
    var byRequester: [RateLimits.Requester: Int] = [:]

    func hasRoom(for count: Int, of requester: RateLimits.Requester) -> Bool {
      bytes + count <= BodyBudget.bytes
        && byRequester[requester, default: 0] + count <= BodyBudget.share
        && (requester.isSignedIn || anonymousBytes + count <= BodyBudget.anonymousShare)
    }

    mutating func add(_ count: Int, by requester: RateLimits.Requester) {
      bytes += count
      if !requester.isSignedIn { anonymousBytes += count }
      let share = byRequester[requester, default: 0] + count
      byRequester[requester] = share == 0 ? nil : share
    }
  }

  /// The bytes of one body. They are released when the claim is deallocated.
  final class Claim: Sendable {
    private let budget: BodyBudget
    private let requester: RateLimits.Requester
    private let bytes = NIOLockedValueBox(0)

    fileprivate init(_ budget: BodyBudget, _ requester: RateLimits.Requester) {
      self.budget = budget
      self.requester = requester
    }

    /// Counts received bytes. Bytes that are only announced by `Content-Length` are not counted, so
    /// that a client cannot reserve memory without sending anything.
    ///
    /// - Throws: TRY_AGAIN_LATER if the budget is exhausted.
    func grow(by count: Int) throws(ServiceError) {
      let isFree = budget.used.withLockedValue { used in
        guard used.hasRoom(for: count, of: requester) else { return false }
        used.add(count, by: requester)
        return true
      }
      guard isFree else {
        throw ServiceError(.tryAgainLater, cause: .bodiesTooMany, retryAfter: 1)
      }
      bytes.withLockedValue { $0 += count }
    }

    deinit { budget.used.withLockedValue { $0.add(-bytes.withLockedValue { $0 }, by: requester) } }
  }

  /// Returns an empty claim for a body that a client begins to send.
  func claim(for requester: RateLimits.Requester) -> Claim { Claim(self, requester) }
}
