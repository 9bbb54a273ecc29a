public import CloudRecords

/// That someone is signed in with an app.
public struct WebSession: Hashable, Sendable, Identifiable {
  public let id: Int64
  public let accountID: Int64
  /// What the app is called, as its API token says.
  public let app: String
  public let container: ContainerID
  /// Nil for both.
  public let environment: ContainerEnvironment?
  /// Milliseconds since 1970, UTC.
  public let createdAt: Int64
  public let rotation: TokenRotation
  /// What the session's tokens are made of, together with the server's key.
  let nonce: [UInt8]

  /// Milliseconds since 1970, UTC; up to a thirtieth of the lifetime too early.
  public var lastUsedAt: Int64 { rotation.lastUsedAt }
  public var expiresAt: Int64 { rotation.expiresAt }

  /// Milliseconds that a session which is over is kept. It may have been used after the copy was
  /// made to which the files were put back; then a newer token of it revives it.
  static let retention: Int64 = 86_400_000
}

/// A session that is to be.
public struct NewWebSession: Hashable, Sendable {
  public var account: Account
  public var apiTokenID: Int64
  public var container: ContainerID
  public var environment: ContainerEnvironment?
  public var nonce: [UInt8]
  /// Milliseconds since 1970, UTC.
  public var createdAt: Int64
  public var rotation: TokenRotation
  /// How many sessions the account may have, this one included; those unused for longest
  /// go.
  public var limit: Int
}

/// A session with the account that it is of.
public struct FoundWebSession: Hashable, Sendable {
  public let session: WebSession
  public let account: Account

  public init(session: WebSession, account: Account) {
    self.session = session
    self.account = account
  }
}

/// Who asks, by a web auth token.
public struct SignedIn: Hashable, Sendable {
  public let account: Account
  public let sessionID: Int64
  /// The session's newest token, for the answer's header `X-Apple-CloudKit-Web-Auth-Token`.
  public let token: String
}

/// How long one stays signed in without doing anything
/// (cloudkit-web-services.md 1.2).
public enum SessionLifetime: Sendable {
  case short
  /// "Keep me signed in".
  case long

  /// Thirty minutes or two weeks.
  public var milliseconds: Int64 {
    switch self {
    case .short: 30 * 60_000
    case .long: 14 * 86_400_000
    }
  }
}
