import RecordClient
import Sync

/// What `sync now --json` prints.
struct RoundOutput: Encodable {
  let sent: Int
  let received: Int
  let deleted: Int
  let parked: Int

  init(_ report: SyncReport) {
    sent = report.sent
    received = report.received
    deleted = report.deleted
    parked = report.parked
  }
}

/// What `sync status --json` prints: nothing of a token.
struct StatusOutput: Encodable {
  let service: String
  let container: String
  let environment: String
  let account: String?
  let isSignedIn: Bool
  /// Milliseconds since 1970, UTC.
  let syncedAt: Int64?
  let pending: Int
  let parked: [Parked]
  let unread: [Unread]

  struct Parked: Encodable {
    let kind: String
    let key: String
    let reason: String
  }

  struct Unread: Encodable {
    let name: String
    let type: String
    let problem: String
  }
}

/// Credentials that are kept nowhere.
struct HeldCredentials: CredentialKeeper {
  private let credentials: Credentials

  init(_ credentials: Credentials) {
    self.credentials = credentials
  }

  func read() async throws -> Credentials { credentials }
  func keep(webAuthToken: String) async throws {}
}
