import CloudRecords
import HTTPTypes
import Hummingbird
import Synchronization

/// How many bytes of bodies are worked on at once: each becomes many times as much when it is
/// taken apart.
final class BodyBudget: Sendable {
  /// Four of the largest, or dozens of those that clients send.
  static let bytes = 4 * Limits.requestBytes

  private let used = Mutex(0)

  /// So many bytes, until it goes.
  final class Claim: Sendable {
    private let budget: BodyBudget
    private let bytes: Int

    fileprivate init(_ budget: BodyBudget, _ bytes: Int) {
      self.budget = budget
      self.bytes = bytes
    }

    deinit { budget.used.withLock { $0 -= bytes } }
  }

  /// - Throws: TRY_AGAIN_LATER where others have all there is.
  func claim(_ bytes: Int) throws(ServiceError) -> Claim {
    let bytes = min(bytes, Limits.requestBytes)
    let isFree = used.withLock { used in
      guard used + bytes <= Self.bytes else { return false }
      used += bytes
      return true
    }
    guard isFree else {
      throw ServiceError(.tryAgainLater, reason: Reason.bodiesTooMany, retryAfter: 1)
    }
    return Claim(self, bytes)
  }
}

extension Request {
  /// How long the body says it is; the most there may be where it does not say.
  var claimedBytes: Int {
    if let length = headers[.contentLength] { return max(0, Int(length) ?? Limits.requestBytes) }
    return headers[.transferEncoding] == nil ? 0 : Limits.requestBytes
  }
}
