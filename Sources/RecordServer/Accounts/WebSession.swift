public import CloudRecords

/// A session: the sign-in of a user with an app.
public struct WebSession: Hashable, Sendable, Identifiable {
  /// The number of the session in the database.
  public let id: Int64
  /// The id of the API token with which the session was begun. The session's tokens are only valid
  /// together with it.
  public let apiTokenID: Int64
  /// The container that the session can use.
  public let container: ContainerID
  /// The environment that the session can use; nil for both.
  public let environment: ContainerEnvironment?
  /// The time of the sign-in, in milliseconds since 1970, UTC.
  public let createdAt: Int64
  /// The state of the session's tokens.
  public let rotation: TokenRotation
  /// The random bytes from which the session's tokens are derived, together with the server's key.
  let nonce: [UInt8]

  /// The time for which an expired session is kept, in milliseconds. After a restore of the files
  /// to an earlier state, a client can have a newer token of the session, which makes the session
  /// valid again.
  static let retention: Int64 = 86_400_000
}

/// The values of a session that is to be created.
struct NewWebSession: Hashable, Sendable {
  /// The account of the user.
  var account: Account
  /// The id of the app's API token.
  var apiTokenID: Int64
  /// The container that the session can use.
  var container: ContainerID
  /// The environment that the session can use; nil for both.
  var environment: ContainerEnvironment?
  /// The 16 random bytes from which the session's tokens are derived.
  var nonce: [UInt8]
  /// The time of the sign-in, in milliseconds since 1970, UTC.
  var createdAt: Int64
  /// The initial state of the session's tokens.
  var rotation: TokenRotation
  /// The maximum number of sessions of the account, including this one. If there are more, expired
  /// sessions are deleted first, and then those that have been unused for the longest time.
  var limit: Int
}

/// A session with its account.
struct SessionAndAccount: Hashable, Sendable {
  /// The session.
  let session: WebSession
  /// The account of the session.
  let account: Account
}

/// The user who was authenticated by a web auth token.
public struct AuthenticatedUser: Hashable, Sendable {
  /// The account of the user.
  public let account: Account
  /// The session of the token.
  public let sessionID: Int64
  /// The session's newest token, for the response header `X-Apple-CloudKit-Web-Auth-Token`.
  public let token: String
}

/// How long a session stays valid without use. CloudKit has the same two lifetimes.
public enum SessionLifetime: Sendable {
  /// The user did not choose to stay signed in: 30 minutes.
  case short
  /// The user chose to stay signed in: two weeks.
  case long

  /// The lifetime in milliseconds.
  public var milliseconds: Int64 {
    switch self {
    case .short: 30 * 60_000
    case .long: 14 * 86_400_000
    }
  }
}
