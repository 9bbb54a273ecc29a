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
  /// The service went back behind what this device knows, again and again. The next round lists
  /// everything.
  case historyForked
  /// The service sent so many pages in a row that brought nothing new.
  case endlessPages(count: Int)
  /// The service has more pages than one round reads. The next round continues from the last
  /// stored sync token.
  case unfinishedPages(count: Int)
  /// Another device deleted so much that somebody has to say whether that was meant.
  case massDeletion(MassDeletion)
  /// An earlier state of the library was put back, and somebody has to say whether it counts or
  /// what the service holds.
  case restored
}

extension SyncFailure {
  /// Whether the next round may do better by itself.
  var isTransient: Bool {
    switch self {
    case .call(let failure): failure.isTransient
    case .library(.busy), .library(.diskFull), .historyForked, .endlessPages, .unfinishedPages:
      true
    default: false
    }
  }

  /// Whether the service could not be reached.
  var isConnectivityProblem: Bool {
    switch self {
    case .call(.unreachable), .call(.answerLost), .call(.unexpectedAnswer): true
    default: false
    }
  }

  /// Seconds that the service wants to be left alone.
  var retryAfter: Double? {
    if case .call(let failure) = self { failure.retryAfter } else { nil }
  }
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

  /// - Parameter counts: by the kind of the outbox.
  public init(counts: [String: Int], isProfileGone: Bool) {
    let kinds = RecordKind.ofEntries.compactMap { kind in
      counts[kind.ofThings].map { (kind, $0) }
    }
    self.init(counts: Dictionary(uniqueKeysWithValues: kinds), isProfileGone: isProfileGone)
  }

  /// The most records that go without a question, however few there are.
  static let few = 20

  /// What somebody says who was asked.
  public enum Answer: Hashable, Sendable {
    /// What was asked about may go, and no more; nil for whatever it is.
    case accept(MassDeletion?)
    /// Everything here is sent again.
    case keepEverything
  }

  /// Whether somebody said that all of it may go.
  func isAccepted(by answer: Answer?) -> Bool {
    guard case .accept(let asked) = answer else { return false }
    guard let asked else { return true }
    return counts.allSatisfy { $1 <= asked.counts[$0, default: 0] }
      && (asked.isProfileGone || !isProfileGone)
  }
}
