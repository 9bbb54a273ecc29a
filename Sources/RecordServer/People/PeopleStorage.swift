public import CloudRecords

/// Where accounts, invitations, API tokens and sessions are kept.
///
/// Every call is one transaction: it is done whole or not at all, and what it returned is on
/// the disk. Times are in milliseconds since 1970, UTC. An account whose removal has begun is
/// found by none but `removals` and `finishRemoval`.
public protocol PeopleStorage: Sendable {
  // MARK: Accounts

  /// Makes an account.
  ///
  /// - Parameter invitation: used up by it; nil where none is needed.
  func insert(
    _ account: NewAccount, invitation: SecretHash?
  ) async throws(StorageFailure) -> AccountInsertion

  /// By name.
  func accounts() async throws(StorageFailure) -> [Account]
  func account(named name: AccountName) async throws(StorageFailure) -> StoredAccount?
  func account(_ id: Int64) async throws(StorageFailure) -> Account?

  /// Gives an account another password and ends its sessions.
  ///
  /// - Returns: whether there is such an account.
  func setPassword(
    _ password: PasswordHash, ofAccount id: Int64
  ) async throws(StorageFailure) -> Bool

  /// Ends an account's sessions and leaves it to be removed; its name stays taken until it is.
  ///
  /// - Returns: whether there is such an account.
  func beginRemoval(
    ofAccount id: Int64, at now: Int64
  ) async throws(StorageFailure) -> Bool

  /// Accounts whose removal has begun, oldest first.
  func removals() async throws(StorageFailure) -> [Account]

  /// Takes away every row of an account whose removal has begun.
  func finishRemoval(ofAccount id: Int64) async throws(StorageFailure)

  // MARK: Invitations

  func insertInvitation(
    _ code: SecretHash, at now: Int64, expiresAt: Int64
  ) async throws(StorageFailure) -> Invitation

  /// Those that are still good, oldest first.
  func invitations(at now: Int64) async throws(StorageFailure) -> [Invitation]

  func invitation(
    _ code: SecretHash, at now: Int64
  ) async throws(StorageFailure) -> Invitation?

  /// - Returns: whether there was one.
  func removeInvitation(_ id: Int64) async throws(StorageFailure) -> Bool

  // MARK: API tokens

  func insertAPIToken(
    _ secret: SecretHash, _ terms: APITokenTerms, at now: Int64
  ) async throws(StorageFailure) -> APIToken

  /// Oldest first.
  func apiTokens() async throws(StorageFailure) -> [APIToken]
  func apiToken(_ secret: SecretHash) async throws(StorageFailure) -> APIToken?
  func apiToken(_ id: Int64) async throws(StorageFailure) -> APIToken?

  /// Takes an API token away, and the sessions that began by it.
  ///
  /// - Returns: whether there was one.
  func removeAPIToken(_ id: Int64) async throws(StorageFailure) -> Bool

  // MARK: Sessions

  /// - Returns: nil where the account or the API token is gone, or the account has another
  ///   password since it was read; then nothing was done.
  func insertSession(_ session: NewWebSession) async throws(StorageFailure) -> Int64?

  /// A session, also one that was over lately.
  func session(_ id: Int64) async throws(StorageFailure) -> FoundWebSession?

  /// The session and the number of a token that a former version issued. Those were stored by
  /// their hashes; there are no new ones.
  func formerToken(
    _ token: SecretHash
  ) async throws(StorageFailure) -> (session: Int64, number: Int64)?

  /// Moves a session on.
  ///
  /// - Returns: false where the session is gone, or no longer as `former` says; then nothing
  ///   was done.
  func advance(
    session id: Int64, from former: TokenRotation, to rotation: TokenRotation
  ) async throws(StorageFailure) -> Bool

  /// Those that are not over, newest first.
  func sessions(
    ofAccount id: Int64, at now: Int64
  ) async throws(StorageFailure) -> [WebSession]

  /// Whether a session has not ended.
  func hasSession(_ id: Int64, at now: Int64) async throws(StorageFailure) -> Bool

  /// - Returns: whether the account had it.
  func removeSession(
    _ id: Int64, ofAccount account: Int64
  ) async throws(StorageFailure) -> Bool

  /// - Parameter account: nil for the sessions of all accounts.
  /// - Returns: how many there were that were not over.
  func removeSessions(
    ofAccount account: Int64?, at now: Int64
  ) async throws(StorageFailure) -> Int

  // MARK: Couriers

  /// - Parameter limit: how many couriers the session may have, this one included; those
  ///   unused for longest go.
  /// - Returns: the courier and those that went; nil where the session is gone, and then
  ///   nothing was done.
  func insertCourier(
    _ secret: SecretHash, ofSession session: Int64, _ environment: ContainerEnvironment,
    at now: Int64, limit: Int
  ) async throws(StorageFailure) -> (courier: Courier, former: [Courier.ID])?

  /// A courier whose session has not ended.
  func courier(
    _ secret: SecretHash, at now: Int64
  ) async throws(StorageFailure) -> Courier?

  /// Whether a courier is there, and its session has not ended.
  func hasCourier(_ id: Courier.ID, at now: Int64) async throws(StorageFailure) -> Bool

  /// Notes that a courier was used.
  func touchCourier(_ id: Int64, at now: Int64) async throws(StorageFailure)

  /// Takes away sessions that have been over for `WebSession.retention`, invitations that are
  /// over, and couriers unused for `Courier.lifetime`.
  func removeExpired(at now: Int64) async throws(StorageFailure)
}
