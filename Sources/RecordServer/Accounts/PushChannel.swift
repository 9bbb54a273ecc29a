public import CloudRecords

/// A URL at which one session waits for its notifications by long polling. CloudKit returns it as
/// `webcourierURL`. Its secret gives access to the notifications and to nothing else.
///
/// It expires with the session, or after 30 days without a poll.
public struct PushChannel: Hashable, Sendable, Identifiable {
  /// The number of the push channel in the database.
  public let id: Int64
  /// The session whose notifications it delivers.
  public let sessionID: Int64
  /// The account of the session.
  public let accountID: Int64
  /// The container of the session.
  public let container: ContainerID
  /// The environment whose notifications it delivers.
  public let environment: ContainerEnvironment
  /// The time of the last poll, in milliseconds since 1970, UTC. It is updated at most once a day.
  let usedAt: Int64

  /// The time without polls after which a push channel expires, in milliseconds.
  static let lifetime: Int64 = 30 * 86_400_000
  /// The maximum number of push channels of a session. A client needs one, and can have lost the
  /// responses that created others.
  static let perSession = 10
  /// The maximum number of push channels of an account, because each change is queued for all of
  /// them. It leaves room for more devices than a person has.
  static let perAccount = 20

  /// Whether another value describes the same push channel. After the files were restored to an
  /// earlier state, another channel can have the same number.
  func isSame(as other: PushChannel) -> Bool {
    id == other.id && sessionID == other.sessionID && accountID == other.accountID
      && container == other.container && environment == other.environment
  }
}
