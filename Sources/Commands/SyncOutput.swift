import CloudRecords
import Library
import RecordClient
import Sync
import Synchronization

/// What `sync now --json` prints.
struct RoundOutput: Encodable {
  let sent: Int
  let received: Int
  let deleted: Int
  let parked: Int
  /// Texts that gave way to others where the library was put back, and that the trash keeps.
  let trashed: Int
  /// Why the round did not do what it had to; nil where it did.
  let failure: SyncProblem?
  /// As in `sync status`.
  let restoration: String?
  let left: UnsentOutput

  init(_ report: SyncReport, left facts: SyncFacts) {
    sent = report.sent
    received = report.received
    deleted = report.deleted
    parked = report.parked
    trashed = report.trashed
    failure = facts.account?.failure
    restoration = facts.account?.restoration?.rawValue
    left = UnsentOutput(facts)
  }
}

/// Changes that the service does not have.
struct UnsentOutput: Encodable {
  /// How many are sent as soon as that is possible.
  let pending: Int
  /// When the first of them is tried again, in milliseconds since 1970; nil for with the next
  /// round.
  let pendingUntil: Int64?
  /// Why some of them were not taken yet.
  let lastError: SyncProblem?
  /// Those that are not sent any more.
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
      Parked(kind: $0.thing.kind, key: $0.thing.key, reason: $0.reason)
    }
  }
}

/// What `sync status --json` prints: nothing of a token.
struct StatusOutput: Encodable {
  let service: String
  let container: String
  let environment: String
  let account: String?
  let isSignedIn: Bool
  /// Nil where it was never tried.
  let isReachable: Bool?
  /// Why the last round did not do what it had to; nil where it did.
  let failure: SyncProblem?
  /// Since when it fails like that; milliseconds since 1970, UTC, as all times.
  let failingSince: Int64?
  /// Until when the service wants to be left alone.
  let waitsUntil: Int64?
  /// When the last round came to its end.
  let syncedAt: Int64?
  /// `asked` where an earlier state of the library was put back and somebody has to say what
  /// counts; else the answer that the next round carries out.
  let restoration: String?
  let pending: Int
  let pendingUntil: Int64?
  let lastError: SyncProblem?
  let parked: [UnsentOutput.Parked]
  let unread: [Unread]

  struct Unread: Encodable {
    let name: String
    let type: String
    let problem: String
  }

  init(_ facts: SyncFacts, at now: Int64) {
    let unsent = UnsentOutput(facts)
    let account = facts.account
    service = facts.content.origin
    container = facts.content.container
    environment = facts.content.environment
    self.account = account?.name
    isSignedIn = facts.isSignedIn
    isReachable = facts.isReachable
    failure = account?.failure
    failingSince = account?.failingSince
    waitsUntil = account?.wait.flatMap { $0.left(at: now) > 0 ? $0.until : nil }
    syncedAt = account?.syncedAt
    restoration = account?.restoration?.rawValue
    pending = unsent.pending
    pendingUntil = unsent.pendingUntil
    lastError = unsent.lastError
    parked = unsent.parked
    unread = facts.unread.map {
      Unread(
        name: ServiceError.cleaned($0.name), type: ServiceError.cleaned($0.type),
        problem: $0.problem)
    }
  }
}

/// Credentials that are kept nowhere but here.
final class HeldCredentials: CredentialStore {
  private let credentials: Mutex<Credentials>

  init(_ content: CredentialFile.Content) {
    credentials = Mutex(
      Credentials(apiToken: content.apiToken, webAuthToken: content.webAuthToken))
  }

  /// The newest.
  var webAuthToken: String? { credentials.withLock { $0.webAuthToken } }

  func read() async throws -> Credentials { credentials.withLock { $0 } }

  func keep(webAuthToken: String, after former: String?) async throws {
    credentials.withLock { $0.webAuthToken = webAuthToken }
  }
}
