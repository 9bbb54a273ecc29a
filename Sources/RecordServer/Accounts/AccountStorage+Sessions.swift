import CloudRecords
import FoundationEssentials

extension AccountStorage {
  /// Creates a session. If the account then has more sessions than its limit, expired sessions are
  /// deleted first, and then those that have been unused for the longest time.
  ///
  /// - Returns: the id of the session; nil if the account or the API token does not exist, or the
  ///   account's password has changed since it was read; then nothing was changed.
  func insertSession(
    _ session: NewWebSession
  ) async throws(StorageFailure) -> Int64? {
    try await write { connection in
      let rotation = session.rotation
      let id = try connection.row(
        """
        INSERT INTO web_session
          (account_id, api_token_id, container, environment, nonce, created_at, lifetime,
           newest, issued_at, first_used_at, expires_at)
        SELECT a.id, t.id, ?, ?, ?, ?, ?, ?, ?, CAST(? AS BIGINT), ? FROM account a, api_token t
        WHERE a.id = ? AND a.password_epoch = ? AND a.removed_at IS NULL AND t.id = ?
        RETURNING id
        """,
        [
          session.container.name, session.environment?.rawValue, session.nonce.data,
          session.createdAt, rotation.lifetime, rotation.newest, rotation.issuedAt,
          rotation.firstUsedAt, rotation.expiresAt, session.account.id,
          session.account.passwordVersion, session.apiTokenID,
        ]
      ) { try $0[0] as Int64 }
      guard let id else { return nil }
      try connection.run(
        """
        DELETE FROM web_session WHERE account_id = ? AND id <> ? AND id NOT IN (
          SELECT id FROM web_session WHERE account_id = ? AND id <> ?
          ORDER BY expires_at <= ?, expires_at - lifetime DESC, id DESC LIMIT ?)
        """,
        [session.account.id, id, session.account.id, id, session.createdAt, session.limit - 1])
      return id
    }
  }

  /// Returns the API token with a secret, and a session with its account, even if the session has
  /// expired but is still stored. Both are read in one transaction, because most requests need
  /// both.
  ///
  /// - Parameter id: the session; nil for none.
  /// - Returns: no API token if there is none with the secret; no session if it does not exist or
  ///   its account is being deleted.
  func credentials(
    _ secret: SecretHash, session id: Int64?
  ) async throws(StorageFailure) -> (apiToken: APIToken?, session: SessionAndAccount?) {
    try await read { connection in
      let apiToken = try APIToken.find(secret, connection)
      guard let id else { return (apiToken, nil) }
      let session = try connection.row(
        """
        SELECT s.*, \(Account.columns) FROM web_session s
        JOIN account a ON a.id = s.account_id
        WHERE s.id = ? AND a.removed_at IS NULL
        """, [id]
      ) { try SessionAndAccount(session: WebSession(row: $0), account: Account(row: $0)) }
      return (apiToken, session)
    }
  }

  /// Returns the session and the number of a token that an earlier version of the server issued.
  /// Those tokens are stored by their hashes; no new ones are added.
  func formerToken(
    _ token: SecretHash
  ) async throws(StorageFailure) -> (session: Int64, number: Int64)? {
    try await read { connection in
      try connection.row("SELECT session_id, number FROM web_token WHERE hash = ?", [token.data]) {
        (try $0["session_id"], try $0["number"])
      }
    }
  }

  /// Replaces the token rotation of a session.
  ///
  /// - Parameters:
  ///   - former: the rotation that the session is expected to have.
  ///   - rotation: the new rotation.
  /// - Returns: false if the session does not exist or has another rotation; then nothing was
  ///   changed.
  func advance(
    session id: Int64, from former: TokenRotation, to rotation: TokenRotation
  ) async throws(StorageFailure) -> Bool {
    try await write { connection in
      let changed = try connection.changedRows(
        """
        UPDATE web_session SET newest = ?, issued_at = ?, first_used_at = ?, expires_at = ?
        WHERE id = ? AND newest = ? AND issued_at = ? AND coalesce(first_used_at, -1) = ?
          AND expires_at = ? AND lifetime = ?
        """,
        [
          rotation.newest, rotation.issuedAt, rotation.firstUsedAt, rotation.expiresAt, id,
          former.newest, former.issuedAt, former.firstUsedAt ?? -1, former.expiresAt,
          former.lifetime,
        ])
      guard changed == 1 else { return false }
      if rotation.newest != former.newest {
        // Delete the tokens of an earlier version that are no longer valid.
        try connection.run(
          "DELETE FROM web_token WHERE session_id = ? AND number < ?", [id, rotation.newest - 1])
      }
      return true
    }
  }

  /// Returns the sessions of an account that have not expired, newest first.
  func sessions(
    ofAccount id: Int64, at now: Int64
  ) async throws(StorageFailure) -> [WebSession] {
    try await read { connection in
      try connection.rows(
        "SELECT * FROM web_session WHERE account_id = ? AND expires_at > ? ORDER BY id DESC",
        [id, now]
      ) { try WebSession(row: $0) }
    }
  }

  /// Whether a session exists and has not expired.
  func hasSession(_ id: Int64, at now: Int64) async throws(StorageFailure) -> Bool {
    try await read { connection in
      try connection.row(
        "SELECT 1 FROM web_session WHERE id = ? AND expires_at > ?", [id, now]
      ) { _ in true } ?? false
    }
  }

  /// Deletes a session.
  ///
  /// - Returns: whether the account had the session.
  func removeSession(
    _ id: Int64, ofAccount account: Int64
  ) async throws(StorageFailure) -> Bool {
    try await write { connection in
      try connection.changedRows(
        "DELETE FROM web_session WHERE id = ? AND account_id = ?", [id, account])
        == 1
    }
  }

  /// Deletes sessions.
  ///
  /// - Parameter account: the account; nil for the sessions of all accounts.
  /// - Returns: how many of them had not expired.
  func removeSessions(
    ofAccount account: Int64?, at now: Int64
  ) async throws(StorageFailure) -> Int {
    try await write { connection in
      let condition = account == nil ? "" : "WHERE account_id = ?"
      return try connection.rows(
        "DELETE FROM web_session \(condition) RETURNING expires_at", account.map { [$0] } ?? []
      ) { try $0[0] as Int64 }.count { $0 > now }
    }
  }

  /// Deletes sessions that expired more than `WebSession.retention` ago, expired invitations, and
  /// push channels that were not used for `PushChannel.lifetime`.
  func removeExpired(at now: Int64) async throws(StorageFailure) {
    try await write { connection in
      try connection.run(
        "DELETE FROM web_session WHERE expires_at <= ?", [now - WebSession.retention])
      try connection.run("DELETE FROM invitation WHERE expires_at <= ?", [now])
      try connection.run("DELETE FROM courier WHERE used_at <= ?", [now - PushChannel.lifetime])
    }
    if isShared { try await removeExpiredSignIns(at: now) }
  }
}

extension WebSession {
  /// - Throws: `StorageFailure` if the row is damaged.
  fileprivate init(row: any SQLRow) throws {
    let id: Int64 = try row["id"]
    guard let container = ContainerID(try row["container"]) else {
      throw StorageFailure.failed(.damaged(.session(id)))
    }
    try self.init(
      id: id, apiTokenID: row["api_token_id"], container: container,
      environment: row.environment, createdAt: row["created_at"],
      rotation: TokenRotation(
        lifetime: row["lifetime"], newest: row["newest"], issuedAt: row["issued_at"],
        firstUsedAt: row["first_used_at"], expiresAt: row["expires_at"]),
      nonce: Array(row["nonce"] as Data))
  }
}
