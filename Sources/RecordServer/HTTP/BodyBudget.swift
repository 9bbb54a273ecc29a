import CloudRecords
import HTTPTypes
import Hummingbird
import NIOConcurrencyHelpers

/// How many bytes of bodies are held at once: each becomes many times as much when it is taken
/// apart.
final class BodyBudget: Sendable {
  /// Four of the largest, or dozens of those that clients send.
  static let bytes = 4 * Limits.requestBytes
  /// What one asker may have of them, so that no one has all: two of the largest.
  static let share = bytes / 2
  /// What all have together who are not signed in: they shall not keep others out.
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

  /// The bytes of one body, until it goes.
  final class Claim: Sendable {
    private let budget: BodyBudget
    private let asker: RateLimits.Asker
    private let bytes = NIOLockedValueBox(0)

    fileprivate init(_ budget: BodyBudget, _ asker: RateLimits.Asker) {
      self.budget = budget
      self.asker = asker
    }

    /// Counts bytes that have come: what is only announced takes nobody's place.
    ///
    /// - Throws: TRY_AGAIN_LATER where others have all there is.
    func grow(by count: Int) throws(ServiceError) {
      let isFree = budget.used.withLockedValue { used in
        guard used.hasRoom(for: count, of: asker) else { return false }
        used.add(count, by: asker)
        return true
      }
      guard isFree else {
        throw ServiceError(.tryAgainLater, reason: Reason.bodiesTooMany, retryAfter: 1)
      }
      bytes.withLockedValue { $0 += count }
    }

    deinit { budget.used.withLockedValue { $0.add(-bytes.withLockedValue { $0 }, by: asker) } }
  }

  func claim(for asker: RateLimits.Asker) -> Claim { Claim(self, asker) }
}
