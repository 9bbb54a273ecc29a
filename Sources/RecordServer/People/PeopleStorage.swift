public import CloudRecords

/// The storage of accounts, invitations, API tokens, sessions and couriers.
///
/// Each call is one transaction: it succeeds completely or changes nothing, and its result is on
/// the disk when it returns. Times are in milliseconds since 1970, UTC. An account whose deletion
/// has begun is returned only by `removals` and used only by `finishRemoval`.
public protocol PeopleStorage: Sendable {
  // MARK: Accounts

  /// Creates an account.
  ///
  /// - Parameter invitation: the invitation, which is deleted; nil if none is required.
  func insert(
    _ account: NewAccount, invitation: SecretHash?
  ) async throws(StorageFailure) -> AccountInsertion

  /// Returns all accounts, sorted by name.
  func accounts() async throws(StorageFailure) -> [Account]
  /// Returns the account with a name and its password hash; nil if there is none.
  func account(named name: AccountName) async throws(StorageFailure) -> StoredAccount?
  /// Returns the account with an id; nil if there is none.
  func account(_ id: Int64) async throws(StorageFailure) -> Account?

  /// Gives an account a new password and ends its sessions.
  ///
  /// - Returns: false if the account does not exist.
  func setPassword(
    _ password: PasswordHash, ofAccount id: Int64
  ) async throws(StorageFailure) -> Bool

  /// Ends the sessions of an account and marks it as being deleted. Its name stays taken until the
  /// deletion is finished.
  ///
  /// - Returns: false if the account does not exist.
  func beginRemoval(
    ofAccount id: Int64, at now: Int64
  ) async throws(StorageFailure) -> Bool

  /// Returns the accounts whose deletion has begun, oldest deletion first.
  func removals() async throws(StorageFailure) -> [Account]

  /// Deletes the rows of an account whose deletion has begun.
  func finishRemoval(ofAccount id: Int64) async throws(StorageFailure)

  // MARK: Invitations

  /// Creates an invitation.
  func insertInvitation(
    _ code: SecretHash, at now: Int64, expiresAt: Int64
  ) async throws(StorageFailure) -> Invitation

  /// Returns the invitations that have not expired, oldest first.
  func invitations(at now: Int64) async throws(StorageFailure) -> [Invitation]

  /// Returns the invitation with a code; nil if there is none or it has expired.
  func invitation(
    _ code: SecretHash, at now: Int64
  ) async throws(StorageFailure) -> Invitation?

  /// Deletes an invitation.
  ///
  /// - Returns: whether it existed.
  func removeInvitation(_ id: Int64) async throws(StorageFailure) -> Bool

  // MARK: API tokens

  /// Creates an API token.
  func insertAPIToken(
    _ secret: SecretHash, _ terms: APITokenTerms, at now: Int64
  ) async throws(StorageFailure) -> APIToken

  /// Returns all API tokens, oldest first.
  func apiTokens() async throws(StorageFailure) -> [APIToken]
  /// Returns the API token with a secret; nil if there is none.
  func apiToken(_ secret: SecretHash) async throws(StorageFailure) -> APIToken?
  /// Returns the API token with an id; nil if there is none.
  func apiToken(_ id: Int64) async throws(StorageFailure) -> APIToken?

  /// Deletes an API token and the sessions that were begun with it.
  ///
  /// - Returns: whether the token existed.
  func removeAPIToken(_ id: Int64) async throws(StorageFailure) -> Bool

  // MARK: Sessions

  /// Creates a session. If the account has too many, the sessions that were not used for the
  /// longest time are deleted.
  ///
  /// - Returns: the id of the session; nil if the account or the API token does not exist, or the
  ///   account's password has changed since it was read; then nothing was changed.
  func insertSession(_ session: NewWebSession) async throws(StorageFailure) -> Int64?

  /// Returns a session with its account, even if the session has expired recently.
  func session(_ id: Int64) async throws(StorageFailure) -> FoundWebSession?

  /// Returns the session and the number of a token that an earlier version of the server issued.
  /// Those tokens are stored by their hashes; no new ones are added.
  func formerToken(
    _ token: SecretHash
  ) async throws(StorageFailure) -> (session: Int64, number: Int64)?

  /// Replaces the token rotation of a session.
  ///
  /// - Parameters:
  ///   - former: the rotation that the session is expected to have.
  ///   - rotation: the new rotation.
  /// - Returns: false if the session does not exist or has another rotation; then nothing was
  ///   changed.
  func advance(
    session id: Int64, from former: TokenRotation, to rotation: TokenRotation
  ) async throws(StorageFailure) -> Bool

  /// Returns the sessions of an account that have not expired, newest first.
  func sessions(
    ofAccount id: Int64, at now: Int64
  ) async throws(StorageFailure) -> [WebSession]

  /// Whether a session exists and has not expired.
  func hasSession(_ id: Int64, at now: Int64) async throws(StorageFailure) -> Bool

  /// Deletes a session.
  ///
  /// - Returns: whether the account had the session.
  func removeSession(
    _ id: Int64, ofAccount account: Int64
  ) async throws(StorageFailure) -> Bool

  /// Deletes sessions.
  ///
  /// - Parameter account: the account; nil for the sessions of all accounts.
  /// - Returns: how many of them had not expired.
  func removeSessions(
    ofAccount account: Int64?, at now: Int64
  ) async throws(StorageFailure) -> Int

  // MARK: PushChannels

  /// Creates a courier.
  ///
  /// - Parameter limit: the maximum number of couriers of the session, including this one. More of
  ///   them are deleted, those first that were not used for the longest time.
  /// - Returns: the courier and the deleted couriers; nil if the session does not exist, and then
  ///   nothing was changed.
  func insertPushChannel(
    _ secret: SecretHash, ofSession session: Int64, _ environment: ContainerEnvironment,
    at now: Int64, limit: Int
  ) async throws(StorageFailure) -> (courier: PushChannel, former: [PushChannel.ID])?

  /// Returns the courier with a secret; nil if there is none or its session has ended.
  func courier(
    _ secret: SecretHash, at now: Int64
  ) async throws(StorageFailure) -> PushChannel?

  /// Whether a courier exists and its session has not ended.
  func hasPushChannel(_ id: PushChannel.ID, at now: Int64) async throws(StorageFailure) -> Bool

  /// Updates the time of a courier's last use.
  func touchPushChannel(_ id: Int64, at now: Int64) async throws(StorageFailure)

  /// Deletes sessions that expired more than `WebSession.retention` ago, expired invitations, and
  /// couriers that were not used for `PushChannel.lifetime`.
  func removeExpired(at now: Int64) async throws(StorageFailure)
}
