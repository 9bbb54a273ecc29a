public import Library
public import RecordClient

/// Why a round of sync failed. No failure loses data.
public enum SyncFailure: Error, Hashable, Sendable {
  /// The library has no account.
  case signedOut
  /// The user has not confirmed the account yet.
  case unconfirmed
  /// A request to the service failed.
  case call(CallFailure)
  /// The library could not be read or changed.
  case library(LibraryFailure)
  /// The service's history was rolled back behind what this device knows, in every attempt of the
  /// round. The next round lists everything.
  case historyForked
  /// The service sent `count` consecutive pages without anything new.
  case endlessPages(count: Int)
  /// The service has more pages than the `count` pages that one round reads. The next round
  /// continues from the last stored sync token.
  case unfinishedPages(count: Int)
  /// The library has reached the limit of what it stores of a service, `records` records or `bytes`
  /// bytes, and the service sent more records.
  case storageLimitReached(records: Int, bytes: Int)
  /// Another device deleted so much that the user must say whether that was intended.
  case massDeletion(MassDeletion)
  /// An earlier state of the library was restored, and the user must choose between it and the
  /// service.
  case restored
}

extension SyncFailure {
  /// Whether the next round may succeed without anybody acting.
  var isTransient: Bool {
    switch self {
    case .call(let failure): failure.isTransient
    case .library(.busy), .library(.diskFull), .historyForked, .endlessPages, .unfinishedPages,
      .storageLimitReached:
      true
    default: false
    }
  }

  /// The seconds that the service asked to wait; nil if it did not.
  var retryAfter: Double? {
    if case .call(let failure) = self { failure.retryAfter } else { nil }
  }
}

/// The deletions that one round would apply, if they are so many that the user is asked first.
public struct MassDeletion: Hashable, Sendable {
  /// The number of deletions of each kind.
  public var counts: [Thing.Kind: Int]
  /// Whether the profile was deleted, too, even if there is a new one now. In that case the account
  /// was deleted by another device.
  public var isProfileGone: Bool

  /// Creates the question about deletions, from their numbers.
  ///
  /// - Parameters:
  ///   - counts: The number of deletions of each kind.
  ///   - isProfileGone: Whether the profile was deleted, too.
  public init(counts: [Thing.Kind: Int], isProfileGone: Bool) {
    self.counts = counts
    self.isProfileGone = isProfileGone
  }

  /// The deletion of up to this many things of a kind needs no question, even if these are all
  /// things of the kind. If the profile is gone, every deletion needs one.
  static let limitWithoutQuestion = 20

  /// The user's answer.
  public enum Answer: Hashable, Sendable {
    /// Accepts the deletions if no kind has more of them than in the question that the user
    /// answered, and if the profile still exists or was gone in that question, too. Nil accepts
    /// any deletions.
    case accept(MassDeletion?)
    /// Rejects the deletions: what was deleted is sent again.
    case keepEverything
  }

  /// Whether an answer accepts all of these deletions.
  func isAccepted(by answer: Answer?) -> Bool {
    guard case .accept(let asked) = answer else { return false }
    guard let asked else { return true }
    return counts.allSatisfy { $1 <= asked.counts[$0, default: 0] }
      && (asked.isProfileGone || !isProfileGone)
  }
}
