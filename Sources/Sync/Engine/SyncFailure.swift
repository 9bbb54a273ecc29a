public import Library
public import RecordClient

/// Why a library and its service do not agree yet. Nothing is lost by any of them.
public enum SyncFailure: Error, Hashable, Sendable {
  /// There is no account.
  case signedOut
  /// Nobody said yet that the account is the right one.
  case unconfirmed
  /// The service, or the way to it, failed.
  case call(CallFailure)
  case library(LibraryFailure)
  /// Another device deleted so much that somebody has to say whether that was meant.
  case massDeletion(MassDeletion)
}

/// How much one round would delete.
public struct MassDeletion: Hashable, Sendable {
  /// What would go, by kind.
  public var counts: [RecordKind: Int]
  /// Whether the profile is gone, too: the account was emptied elsewhere.
  public var isProfileGone: Bool

  public init(counts: [RecordKind: Int], isProfileGone: Bool) {
    self.counts = counts
    self.isProfileGone = isProfileGone
  }

  /// The most records that go without a question, however few there are.
  static let few = 20
}
