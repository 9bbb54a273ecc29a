import CloudRecords
import HTTPTypes
import Hummingbird
import NIOConcurrencyHelpers

/// A limit on how many bytes of bodies are held in memory at the same time: of requests that are
/// received and carried out, or of responses that are not written yet.
final class BodyBudget: Sendable {
  /// The limit for request bodies: four of the maximum size, or dozens of the size that clients
  /// usually send. A decoded body takes many times its size.
  static let requestBytes = 4 * Limits.requestBytes
  /// The limit for response bodies: 64 pages. TLS can hold an encrypted copy of each.
  static let responseBytes = 64 * Limits.pageBytes
  /// The size in bytes up to which a response needs no claim. A connection buffers more than that.
  static let smallResponse = 16_384

  /// The limits in bytes: of all bodies; of one client, so that no client can use the whole budget;
  /// and of all anonymous clients together, so that they cannot block signed-in users.
  private let limits: (all: Int, share: Int, anonymous: Int)
  /// The cause in the error if the budget is exhausted.
  private let cause: ErrorCause
  private let used = NIOLockedValueBox(Used())

  private struct Used {
    var bytes = 0
    var anonymousBytes = 0
    var byRequester: [RateLimits.Requester: Int] = [:]

    mutating func add(_ count: Int, by requester: RateLimits.Requester) {
      bytes += count
      if !requester.isSignedIn { anonymousBytes += count }
      let share = byRequester[requester, default: 0] + count
      byRequester[requester] = share == 0 ? nil : share
    }
  }

  init(bytes: Int = BodyBudget.requestBytes, cause: ErrorCause = .bodiesTooMany) {
    limits = (bytes, bytes / 2, bytes / 4)
    self.cause = cause
  }

  private func hasRoom(
    for count: Int, of requester: RateLimits.Requester, in used: Used
  ) -> Bool {
    used.bytes + count <= limits.all
      && used.byRequester[requester, default: 0] + count <= limits.share
      && (requester.isSignedIn || used.anonymousBytes + count <= limits.anonymous)
  }

  private var exhausted: ServiceError { ServiceError(.tryAgainLater, cause: cause, retryAfter: 1) }

  /// The bytes of one body. They are released when the claim is deallocated.
  final class Claim: Sendable {
    private let budget: BodyBudget
    private let requester: RateLimits.Requester
    private let bytes = NIOLockedValueBox(0)

    fileprivate init(_ budget: BodyBudget, _ requester: RateLimits.Requester) {
      self.budget = budget
      self.requester = requester
    }

    /// Counts bytes if there is room for them. Bytes of a request that are only announced by
    /// `Content-Length` are not counted, so that a client cannot reserve memory without sending
    /// anything.
    ///
    /// - Throws: TRY_AGAIN_LATER if the budget is exhausted.
    func grow(by count: Int) throws(ServiceError) {
      let isFree = budget.used.withLockedValue { used in
        guard budget.hasRoom(for: count, of: requester, in: used) else { return false }
        used.add(count, by: requester)
        return true
      }
      guard isFree else { throw budget.exhausted }
      bytes.withLockedValue { $0 += count }
    }

    /// Checks that there is room for bytes, without counting them.
    ///
    /// - Throws: TRY_AGAIN_LATER if the budget is exhausted.
    func requireRoom(for count: Int) throws(ServiceError) {
      guard budget.used.withLockedValue({ budget.hasRoom(for: count, of: requester, in: $0) })
      else { throw budget.exhausted }
    }

    /// Counts bytes even if the budget is exhausted.
    func add(_ count: Int) {
      budget.used.withLockedValue { $0.add(count, by: requester) }
      bytes.withLockedValue { $0 += count }
    }

    deinit { budget.used.withLockedValue { $0.add(-bytes.withLockedValue { $0 }, by: requester) } }
  }

  /// Returns an empty claim for a body.
  func claim(for requester: RateLimits.Requester) -> Claim { Claim(self, requester) }
}
