public import CloudRecords

/// A place where one session's notifications can be waited for
/// (cloudkit-web-services.md 1.12). Who knows its secret gets them, and nothing else.
///
/// It ends with the session, or when nobody has waited there for 30 days.
public struct Courier: Hashable, Sendable, Identifiable {
  public let id: Int64
  public let sessionID: Int64
  public let accountID: Int64
  public let container: ContainerID
  public let environment: ContainerEnvironment
  /// Milliseconds since 1970, UTC; up to a day too early.
  let usedAt: Int64

  /// Milliseconds without use after which it is over.
  static let lifetime: Int64 = 30 * 86_400_000
  /// How many a session may have: a client has one, and perhaps lost the answers about others.
  static let perSession = 10
}
