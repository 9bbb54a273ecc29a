import CloudRecords

extension AccountStorage {
  /// Creates a push channel.
  ///
  /// - Parameters:
  ///   - perSession: the maximum number of push channels of the session, including this one; at
  ///     least 1. If there are more, those that have been unused for the longest time are deleted.
  ///   - perAccount: the same for all sessions of the account together.
  /// - Returns: the push channel and the deleted push channels; nil if the session does not exist
  ///   or has ended, and then nothing was changed.
  func insertPushChannel(
    _ secret: SecretHash, ofSession session: Int64, _ environment: ContainerEnvironment,
    at now: Int64, perSession: Int, perAccount: Int
  ) async throws(StorageFailure) -> (pushChannel: PushChannel, deleted: [PushChannel.ID])? {
    try await write { connection in
      let id = try connection.row(
        """
        INSERT INTO courier (hash, session_id, environment, used_at)
        SELECT ?, s.id, ?, ? FROM web_session s JOIN account a ON a.id = s.account_id
        WHERE s.id = ? AND s.expires_at > ? AND a.removed_at IS NULL RETURNING id
        """, [secret.data, environment.rawValue, now, session, now]
      ) { try $0[0] as Int64 }
      guard let id else { return nil }
      // `sessions` is the SQL of the IDs of sessions.
      func deleteLeastRecentlyUsed(of sessions: String, beyond limit: Int) throws
        -> [PushChannel.ID]
      {
        try connection.rows(
          """
          DELETE FROM courier WHERE session_id IN (\(sessions)) AND id <> ? AND id NOT IN (
            SELECT id FROM courier WHERE session_id IN (\(sessions)) AND id <> ?
            ORDER BY used_at DESC, id DESC LIMIT ?)
          RETURNING id
          """, [session, id, session, id, limit - 1]
        ) { try $0[0] }
      }
      let deleted =
        try deleteLeastRecentlyUsed(of: "?", beyond: perSession)
        + deleteLeastRecentlyUsed(
          of: """
            SELECT id FROM web_session
            WHERE account_id = (SELECT account_id FROM web_session WHERE id = ?)
            """, beyond: perAccount)
      return try Self.pushChannel(connection, "c.id = ?", id, at: now).map { ($0, deleted) }
    }
  }

  /// Returns a push channel; nil if it does not exist or its session has ended.
  func pushChannel(
    _ id: PushChannel.ID, at now: Int64
  ) async throws(StorageFailure) -> PushChannel? {
    try await read { connection in
      try Self.pushChannel(connection, "c.id = ?", id, at: now)
    }
  }

  /// Returns the push channel with a secret; nil if there is none or its session has ended.
  func pushChannel(
    _ secret: SecretHash, at now: Int64
  ) async throws(StorageFailure) -> PushChannel? {
    try await read { connection in
      try Self.pushChannel(connection, "c.hash = ?", secret.data, at: now)
    }
  }

  /// Updates the time of a push channel's last use.
  func touchPushChannel(_ id: Int64, at now: Int64) async throws(StorageFailure) {
    try await write { connection in
      try connection.run("UPDATE courier SET used_at = ? WHERE id = ?", [now, id])
    }
  }

  private static func pushChannel(
    _ connection: any SQLConnection, _ condition: String, _ value: any SQLArgument, at now: Int64
  ) throws -> PushChannel? {
    try connection.row(
      """
      SELECT c.id, c.session_id, c.environment, c.used_at, s.account_id, s.container
      FROM courier c JOIN web_session s ON s.id = c.session_id
      JOIN account a ON a.id = s.account_id
      WHERE \(condition) AND s.expires_at > ? AND a.removed_at IS NULL
      """, [value, now]
    ) { row in
      let id: Int64 = try row["id"]
      guard let container = ContainerID(try row["container"]), let environment = try row.environment
      else { throw StorageFailure.failed(.damaged(.pushChannel(id))) }
      return try PushChannel(
        id: id, sessionID: row["session_id"], accountID: row["account_id"], container: container,
        environment: environment, usedAt: row["used_at"])
    }
  }
}
