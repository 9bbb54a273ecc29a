import RecordClient
import Sync
import Synchronization

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
  /// `asked` where an earlier state of the library was put back and somebody has to say what
  /// counts; else the answer that the next round carries out.
  let restoration: String?
  let pending: Int
  /// Why some of them were not taken yet.
  let lastError: String?
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

/// Credentials that are kept nowhere but here.
final class HeldCredentials: CredentialKeeper {
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
