public import CloudRecords

extension AccountService {
  /// Authenticates a request by its API token and its web auth token. This may also replace the web
  /// auth token by a new one, which the client must use from then on.
  ///
  /// - Parameters:
  ///   - secret: the request's API token, with which the session must have been begun.
  ///   - origin: the value of the request's `Origin` header.
  /// - Returns: the account, the session and its newest token, which the response must contain.
  /// - Throws: AUTHENTICATION_FAILED if the API token is refused; AUTHENTICATION_REQUIRED without
  ///   the URL of the sign-in page, which the caller adds; TRY_AGAIN_LATER or INTERNAL_ERROR if the
  ///   storage fails.
  public func authenticate(
    _ token: String, apiToken secret: String, container: ContainerID,
    environment: ContainerEnvironment, origin: String?
  ) async throws(ServiceError) -> AuthenticatedUser {
    do {
      return try await authenticatedUser(token, secret, container, environment, origin)
    } catch let error as ServiceError {
      throw error
    } catch {
      throw StorageFailure(error).serviceError
    }
  }

  private func authenticatedUser(
    _ text: String, _ secret: String, _ container: ContainerID,
    _ environment: ContainerEnvironment, _ origin: String?
  ) async throws -> AuthenticatedUser {
    guard Hex.isDigits(secret, count: Self.apiTokenLength) else {
      throw ServiceError(.authenticationFailed, cause: .unknownAPIToken)
    }
    let hash = SecretHash(of: secret)
    let token = SessionToken(text)
    let former = token == nil ? try await formerToken(text) : nil
    let id = token?.session ?? former?.session
    // Repeat if another request has changed the rotation in the meantime. Few such changes happen
    // at the same time: the first use of the newest token, the issue of a new one, and the
    // postponement of the expiry.
    for _ in 0..<100 {
      let stored = try await storage.credentials(hash, session: id)
      let apiToken = try check(stored.apiToken, container, environment, origin: origin)
      guard let found = stored.session, token?.fits(found, key: key) ?? true,
        found.session.apiTokenID == apiToken.id, found.session.container == container,
        found.session.environment.map({ $0 == environment }) ?? true,
        let number = token?.number ?? former?.number
      else { throw ServiceError.notSignedIn }
      let session = found.session
      var rotation = session.rotation
      guard rotation.use(number, issuedAt: token?.issuedAt, at: now()) else {
        throw ServiceError.notSignedIn
      }
      // Most requests do not change the session and write nothing.
      let isDone =
        if rotation == session.rotation {
          true
        } else {
          try await storage.advance(session: session.id, from: session.rotation, to: rotation)
        }
      if isDone {
        return AuthenticatedUser(
          account: found.account, sessionID: session.id,
          token: found.token(rotation.newest, issuedAt: rotation.issuedAt, key: key).text)
      }
    }
    throw StorageFailure.busy
  }

  /// Reports that a signed-in user uses an account from an address. Wrong passwords from elsewhere
  /// do not delay sign-ins from there.
  func recordUse(of account: Account, from address: ClientAddress) {
    signInGuard.use(account: account.name, address: address, at: now())
  }

  /// Finds a token of an earlier version of the server. Those tokens were stored by their hashes
  /// and do not name their session.
  private func formerToken(
    _ text: String
  ) async throws(StorageFailure) -> (session: Int64, number: Int64)? {
    guard Hex.isDigits(text, count: SessionToken.formerLength) else { return nil }
    return try await storage.formerToken(SecretHash(of: text))
  }

  /// Returns the sessions that have not expired, newest first.
  public func sessions(of account: Account) async throws(StorageFailure) -> [WebSession] {
    try await storage.sessions(ofAccount: account.id, at: now())
  }

  /// Whether a session exists and has not expired.
  public func isAlive(session id: Int64) async throws(StorageFailure) -> Bool {
    try await storage.hasSession(id, at: now())
  }

  /// Ends a session.
  ///
  /// - Returns: whether the account had the session.
  public func revoke(
    session id: Int64, of account: Account
  ) async throws(StorageFailure) -> Bool {
    try await storage.removeSession(id, ofAccount: account.id)
  }

  /// Ends all sessions of an account.
  ///
  /// - Returns: how many of them had not expired.
  public func revokeSessions(of account: Account) async throws(StorageFailure) -> Int {
    try await storage.removeSessions(ofAccount: account.id, at: now())
  }

  /// Ends all sessions of all accounts.
  ///
  /// - Returns: how many of them had not expired.
  public func revokeAllSessions() async throws(StorageFailure) -> Int {
    try await storage.removeSessions(ofAccount: nil, at: now())
  }
}
