import CloudRecords
import GRDB

extension AccountStorage {
  /// Creates a session. If the account then has more sessions than its limit, those that have been
  /// unused for the longest time are deleted.
  ///
  /// - Returns: the id of the session; nil if the account or the API token does not exist, or the
  ///   account's password has changed since it was read; then nothing was changed.
  public func insertSession(
    _ session: NewWebSession
  ) async throws(StorageFailure) -> Int64? {
    try await write { database in
      let rotation = session.rotation
      try database.execute(
        sql: """
          INSERT INTO web_session
            (account_id, api_token_id, container, environment, nonce, created_at, lifetime,
             newest, issued_at, first_used_at, expires_at)
          SELECT a.id, t.id, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM account a, api_token t
          WHERE a.id = ? AND a.password_epoch = ? AND a.removed_at IS NULL AND t.id = ?
          """,
        arguments: [
          session.container.name, session.environment?.rawValue, session.nonce.data,
          session.createdAt, rotation.lifetime, rotation.newest, rotation.issuedAt,
          rotation.firstUsedAt, rotation.expiresAt, session.account.id,
          session.account.passwordVersion, session.apiTokenID,
        ])
      guard database.changesCount == 1 else { return nil }
      let id = database.lastInsertedRowID
      try database.execute(
        sql: """
          DELETE FROM web_session WHERE id IN (
            SELECT id FROM web_session WHERE account_id = ? AND id <> ?
            ORDER BY expires_at <= ?, expires_at - lifetime DESC, id DESC LIMIT -1 OFFSET ?)
          """, arguments: [session.account.id, id, session.createdAt, session.limit - 1])
      return id
    }
  }

  /// Returns a session with its account, even if the session has expired but is still stored.
  ///
  /// - Returns: nil if the session does not exist or its account is being deleted.
  public func session(_ id: Int64) async throws(StorageFailure) -> SessionAndAccount? {
    try await read { database in
      // Read for every request: cached, so that it is not compiled each time.
      let statement = try database.cachedStatement(
        sql: """
          SELECT s.*, p.label, \(Account.columns) FROM web_session s
          JOIN api_token p ON p.id = s.api_token_id
          JOIN account a ON a.id = s.account_id
          WHERE s.id = ? AND a.removed_at IS NULL
          """)
      let row = try Row.fetchOne(statement, arguments: [id])
      guard let row else { return nil }
      return SessionAndAccount(session: try WebSession(row: row), account: Account(row: row))
    }
  }

  /// Returns the session and the number of a token that an earlier version of the server issued.
  /// Those tokens are stored by their hashes; no new ones are added.
  public func formerToken(
    _ token: SecretHash
  ) async throws(StorageFailure) -> (session: Int64, number: Int64)? {
    try await read { database in
      try Row.fetchOne(
        database, sql: "SELECT session_id, number FROM web_token WHERE hash = ?",
        arguments: [token.data]
      ).map { ($0["session_id"], $0["number"]) }
    }
  }

  /// Replaces the token rotation of a session.
  ///
  /// - Parameters:
  ///   - former: the rotation that the session is expected to have.
  ///   - rotation: the new rotation.
  /// - Returns: false if the session does not exist or has another rotation; then nothing was
  ///   changed.
  public func advance(
    session id: Int64, from former: TokenRotation, to rotation: TokenRotation
  ) async throws(StorageFailure) -> Bool {
    try await write { database in
      try database.execute(
        sql: """
          UPDATE web_session SET newest = ?, issued_at = ?, first_used_at = ?, expires_at = ?
          WHERE id = ? AND newest = ? AND issued_at = ? AND first_used_at IS ?
            AND expires_at = ? AND lifetime = ?
          """,
        arguments: [
          rotation.newest, rotation.issuedAt, rotation.firstUsedAt, rotation.expiresAt, id,
          former.newest, former.issuedAt, former.firstUsedAt, former.expiresAt, former.lifetime,
        ])
      guard database.changesCount == 1 else { return false }
      if rotation.newest != former.newest {
        // Delete the tokens of an earlier version that are no longer valid.
        try database.execute(
          sql: "DELETE FROM web_token WHERE session_id = ? AND number < ?",
          arguments: [id, rotation.newest - 1])
      }
      return true
    }
  }

  /// Returns the sessions of an account that have not expired, newest first.
  public func sessions(
    ofAccount id: Int64, at now: Int64
  ) async throws(StorageFailure) -> [WebSession] {
    try await read { database in
      try Row.fetchAll(
        database,
        sql: """
          SELECT s.*, p.label FROM web_session s JOIN api_token p ON p.id = s.api_token_id
          WHERE s.account_id = ? AND s.expires_at > ? ORDER BY s.id DESC
          """, arguments: [id, now]
      ).map { try WebSession(row: $0) }
    }
  }

  /// Whether a session exists and has not expired.
  public func hasSession(_ id: Int64, at now: Int64) async throws(StorageFailure) -> Bool {
    try await read { database in
      let statement = try database.cachedStatement(
        sql: "SELECT EXISTS (SELECT 1 FROM web_session WHERE id = ? AND expires_at > ?)")
      return try Bool.fetchOne(statement, arguments: [id, now]) ?? false
    }
  }

  /// Deletes a session.
  ///
  /// - Returns: whether the account had the session.
  public func removeSession(
    _ id: Int64, ofAccount account: Int64
  ) async throws(StorageFailure) -> Bool {
    try await write { database in
      try database.execute(
        sql: "DELETE FROM web_session WHERE id = ? AND account_id = ?", arguments: [id, account])
      return database.changesCount == 1
    }
  }

  /// Deletes sessions.
  ///
  /// - Parameter account: the account; nil for the sessions of all accounts.
  /// - Returns: how many of them had not expired.
  public func removeSessions(
    ofAccount account: Int64?, at now: Int64
  ) async throws(StorageFailure) -> Int {
    try await write { database in
      let condition = account == nil ? "" : "WHERE account_id = ?"
      return try Int64.fetchAll(
        database, sql: "DELETE FROM web_session \(condition) RETURNING expires_at",
        arguments: account.map { [$0] } ?? []
      ).count { $0 > now }
    }
  }

  /// Deletes sessions that expired more than `WebSession.retention` ago, expired invitations, and
  /// push channels that were not used for `PushChannel.lifetime`.
  public func removeExpired(at now: Int64) async throws(StorageFailure) {
    try await write { database in
      try database.execute(
        sql: "DELETE FROM web_session WHERE expires_at <= ?",
        arguments: [now - WebSession.retention])
      try database.execute(sql: "DELETE FROM invitation WHERE expires_at <= ?", arguments: [now])
      try database.execute(
        sql: "DELETE FROM courier WHERE used_at <= ?", arguments: [now - PushChannel.lifetime])
    }
  }
}

extension WebSession {
  /// - Throws: `StorageFailure` if the row is damaged.
  fileprivate init(row: Row) throws {
    let id: Int64 = row["id"]
    guard let container = ContainerID(row["container"]) else {
      throw StorageFailure.failed(.damaged(.session(id)))
    }
    self.init(
      id: id, accountID: row["account_id"], apiTokenID: row["api_token_id"], app: row["label"],
      container: container,
      environment: row.environment, createdAt: row["created_at"],
      rotation: TokenRotation(
        lifetime: row["lifetime"], newest: row["newest"], issuedAt: row["issued_at"],
        firstUsedAt: row["first_used_at"], expiresAt: row["expires_at"]),
      nonce: row.bytes("nonce"))
  }
}
