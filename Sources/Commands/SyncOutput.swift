import CloudRecords
import Library
import RecordClient
import Sync
import Synchronization

/// The output of `sync now --json`.
struct RoundOutput: Encodable {
  let sent: Int
  let received: Int
  let deleted: Int
  let parked: Int
  /// The number of texts that were replaced after a restore of the library and moved to the trash.
  let trashed: Int
  /// The reason why the round failed; nil if it succeeded.
  let failure: SyncProblem?
  /// The same as `StatusOutput.restoration`.
  let restoration: String?
  /// The same as `StatusOutput.waitsUntil`.
  let waitsUntil: Int64?
  let left: UnsentOutput

  init(_ report: SyncReport, left facts: SyncFacts) {
    sent = report.sent
    received = report.received
    deleted = report.deleted
    parked = report.parked
    trashed = report.trashed
    failure = facts.account?.failure
    restoration = facts.account?.restoration?.rawValue
    waitsUntil = facts.waitsUntil
    left = UnsentOutput(facts)
  }
}

/// The changes that the service does not have.
struct UnsentOutput: Encodable {
  /// The number of changes that will be sent as soon as possible.
  let pending: Int
  /// The time of the next attempt to send the first pending change, in milliseconds since 1970,
  /// UTC; nil if it is sent in the next round.
  let pendingUntil: Int64?
  /// The reason why some pending changes were not accepted yet.
  let lastError: SyncProblem?
  /// The changes that are not sent again until the user asks for it or edits them.
  let parked: [Parked]

  struct Parked: Encodable {
    let kind: String
    let key: String
    let reason: SyncProblem
  }

  init(_ facts: SyncFacts) {
    pending = facts.outbox.count
    pendingUntil = facts.pendingUntil
    lastError = facts.outbox.lastError
    parked = facts.parked.map {
      Parked(kind: $0.thing.kind.rawValue, key: $0.thing.key, reason: $0.reason)
    }
  }
}

/// The output of `sync status --json`, which contains no part of a token.
struct StatusOutput: Encodable {
  /// The address of the service; nil, as the next two, if the library is not connected to one.
  let service: String?
  let container: String?
  let environment: String?
  let account: String?
  let isSignedIn: Bool
  /// Whether the service was reachable the last time; nil if it was never contacted.
  let isReachable: Bool?
  /// The reason why the last round failed; nil if it succeeded.
  let failure: SyncProblem?
  /// The time since which rounds fail for this reason. All times of this type are in milliseconds
  /// since 1970, UTC.
  let failingSince: Int64?
  /// The time until which the service asked not to be contacted.
  let waitsUntil: Int64?
  /// The time at which the last round completed.
  let syncedAt: Int64?
  /// `asked` if an earlier state of the library was restored and the user has to choose which
  /// version wins; otherwise the answer that the next round applies.
  let restoration: String?
  let pending: Int
  let pendingUntil: Int64?
  let lastError: SyncProblem?
  let parked: [UnsentOutput.Parked]
  let unreadable: [UnreadableRecordOutput]

  /// A record of the service that this version cannot decode.
  struct UnreadableRecordOutput: Encodable {
    let name: String
    let type: String
    let problem: UnreadableRecord.Problem
  }

  init(_ facts: SyncFacts) {
    let unsent = UnsentOutput(facts)
    let account = facts.account
    service = facts.content?.origin
    container = facts.content?.container
    environment = facts.content?.environment
    self.account = account?.name
    isSignedIn = facts.isSignedIn
    isReachable = facts.isReachable
    failure = account?.failure
    failingSince = account?.failingSince
    waitsUntil = facts.waitsUntil
    syncedAt = account?.syncedAt
    restoration = account?.restoration?.rawValue
    pending = unsent.pending
    pendingUntil = unsent.pendingUntil
    lastError = unsent.lastError
    parked = unsent.parked
    unreadable = facts.unreadable.map {
      UnreadableRecordOutput(
        name: ServiceError.sanitized($0.name), type: ServiceError.sanitized($0.type),
        problem: $0.problem)
    }
  }
}

/// Credentials that are stored only in memory.
final class InMemoryCredentials: CredentialStore {
  private let credentials: Mutex<Credentials>

  init(_ content: CredentialFile.Content) {
    credentials = Mutex(
      Credentials(apiToken: content.apiToken, webAuthToken: content.webAuthToken))
  }

  /// The most recent web auth token.
  var webAuthToken: String? { credentials.withLock { $0.webAuthToken } }

  func read() async throws -> Credentials { credentials.withLock { $0 } }

  func store(webAuthToken: String, replacing previous: String?) async throws {
    credentials.withLock { $0.webAuthToken = webAuthToken }
  }
}
