public import CloudRecords
import GRDB

extension AccountStorage {
  /// Creates a push channel.
  ///
  /// - Parameters:
  ///   - perSession: the maximum number of push channels of the session, including this one. If there
  ///     are more, those that have been unused for the longest time are deleted.
  ///   - perAccount: the same for all sessions of the account together.
  /// - Returns: the push channel and the deleted push channels; nil if the session does not exist,
  ///   and then nothing was changed.
  public func insertPushChannel(
    _ secret: SecretHash, ofSession session: Int64, _ environment: ContainerEnvironment,
    at now: Int64, perSession: Int, perAccount: Int
  ) async throws(StorageFailure) -> (pushChannel: PushChannel, former: [PushChannel.ID])? {
    try await write { database in
      try database.execute(
        sql: """
          INSERT INTO courier (hash, session_id, environment, used_at)
          SELECT ?, id, ?, ? FROM web_session WHERE id = ? AND expires_at > ?
          """, arguments: [secret.data, environment.rawValue, now, session, now])
      guard database.changesCount == 1 else { return nil }
      let id = database.lastInsertedRowID
      func deleteUnused(of sessions: String, beyond limit: Int) throws -> [PushChannel.ID] {
        try PushChannel.ID.fetchAll(
          database,
          sql: """
            DELETE FROM courier WHERE id IN (
              SELECT id FROM courier WHERE session_id IN (\(sessions)) AND id <> ?
              ORDER BY used_at DESC, id DESC LIMIT -1 OFFSET ?)
            RETURNING id
            """, arguments: [session, id, limit - 1])
      }
      let former =
        try deleteUnused(of: "?", beyond: perSession)
        + deleteUnused(
          of: """
            SELECT id FROM web_session
            WHERE account_id = (SELECT account_id FROM web_session WHERE id = ?)
            """, beyond: perAccount)
      return try Self.pushChannel(database, "c.id = ?", id, at: now).map { ($0, former) }
    }
  }

  /// Returns a push channel; nil if it does not exist or its session has ended.
  public func pushChannel(
    _ id: PushChannel.ID, at now: Int64
  ) async throws(StorageFailure) -> PushChannel? {
    try await read { database in
      try Self.pushChannel(database, "c.id = ?", id, at: now)
    }
  }

  /// Returns the push channel with a secret; nil if there is none or its session has ended.
  public func pushChannel(
    _ secret: SecretHash, at now: Int64
  ) async throws(StorageFailure) -> PushChannel? {
    try await read { database in
      try Self.pushChannel(database, "c.hash = ?", secret.data, at: now)
    }
  }

  /// Updates the time of a push channel's last use.
  public func touchPushChannel(_ id: Int64, at now: Int64) async throws(StorageFailure) {
    try await write { database in
      try database.execute(
        sql: "UPDATE courier SET used_at = ? WHERE id = ?", arguments: [now, id])
    }
  }

  private static func pushChannel(
    _ database: Database, _ condition: String, _ value: some DatabaseValueConvertible,
    at now: Int64
  ) throws -> PushChannel? {
    let row = try Row.fetchOne(
      database,
      sql: """
        SELECT c.id, c.session_id, c.environment, c.used_at, s.account_id, s.container
        FROM courier c JOIN web_session s ON s.id = c.session_id
        JOIN account a ON a.id = s.account_id
        WHERE \(condition) AND s.expires_at > ? AND a.removed_at IS NULL
        """, arguments: [value, now])
    guard let row else { return nil }
    let id: Int64 = row["id"]
    guard let container = ContainerID(row["container"]), let environment = row.environment else {
      throw StorageFailure.failed(.damaged(.pushChannel(id)))
    }
    return PushChannel(
      id: id, sessionID: row["session_id"], accountID: row["account_id"], container: container,
      environment: environment, usedAt: row["used_at"])
  }
}
