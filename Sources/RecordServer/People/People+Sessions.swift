public import CloudRecords

extension People {
  /// Finds out who asks, and moves the session on.
  ///
  /// - Returns: with the session's newest token, which the answer has to carry.
  /// - Throws: AUTHENTICATION_REQUIRED, without the URL of sign-in, which the caller knows;
  ///   TRY_AGAIN_LATER or INTERNAL_ERROR where the storage fails.
  public func authenticate(
    _ token: String, container: ContainerID, environment: ContainerEnvironment
  ) async throws(ServiceError) -> SignedIn {
    do {
      return try await signedIn(token, container, environment)
    } catch let error as ServiceError {
      throw error
    } catch {
      throw StorageFailure(error).serviceError
    }
  }

  private static var signInNeeded: ServiceError {
    ServiceError(.authenticationRequired, reason: Reason.authorizationNeeded)
  }

  private func signedIn(
    _ text: String, _ container: ContainerID, _ environment: ContainerEnvironment
  ) async throws -> SignedIn {
    let token = SessionToken(text)
    let former = token == nil ? try await formerToken(text) : nil
    guard let id = token?.session ?? former?.session, let number = token?.number ?? former?.number
    else { throw Self.signInNeeded }
    // Each time round another request has moved the session on, which at one moment can
    // happen only a few times: use of the newest, a new one, a longer life.
    for _ in 0..<100 {
      guard let found = try await storage.session(id), token?.fits(found, key: key) ?? true,
        found.session.container == container,
        found.session.environment.map({ $0 == environment }) ?? true
      else { throw Self.signInNeeded }
      let session = found.session
      var rotation = session.rotation
      guard rotation.use(number, issuedAt: token?.issuedAt, at: now()) else {
        throw Self.signInNeeded
      }
      // Most requests change nothing, and write nothing.
      let isDone =
        if rotation == session.rotation {
          true
        } else {
          try await storage.advance(session: session.id, from: session.rotation, to: rotation)
        }
      if isDone {
        return SignedIn(
          account: found.account, sessionID: session.id,
          token: found.newestToken(rotation, key: key).text)
      }
    }
    throw StorageFailure.busy
  }

  /// What a token of a former version is. It was stored by its hash, and says nothing itself.
  private func formerToken(
    _ text: String
  ) async throws(StorageFailure) -> (session: Int64, number: Int64)? {
    guard Hex.isDigits(text, count: SessionToken.formerLength) else { return nil }
    return try await storage.formerToken(SecretHash(of: text))
  }

  /// Those that are not over, newest first.
  public func sessions(of account: Account) async throws(StorageFailure) -> [WebSession] {
    try await storage.sessions(ofAccount: account.id, at: now())
  }

  /// Whether a session has not ended: what hangs on one ends with it.
  public func isAlive(session id: Int64) async throws(StorageFailure) -> Bool {
    try await storage.hasSession(id, at: now())
  }

  /// Signs out.
  ///
  /// - Returns: whether the account had that session.
  public func revoke(
    session id: Int64, of account: Account
  ) async throws(StorageFailure) -> Bool {
    try await storage.removeSession(id, ofAccount: account.id)
  }

  /// Signs out everywhere.
  ///
  /// - Returns: how many sessions there were.
  public func revokeSessions(of account: Account) async throws(StorageFailure) -> Int {
    try await storage.removeSessions(ofAccount: account.id, at: now())
  }

  /// Signs everybody out everywhere.
  ///
  /// - Returns: how many sessions there were.
  public func revokeAllSessions() async throws(StorageFailure) -> Int {
    try await storage.removeSessions(ofAccount: nil, at: now())
  }
}
