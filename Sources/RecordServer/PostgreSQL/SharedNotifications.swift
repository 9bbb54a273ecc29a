import CloudRecords
import FoundationEssentials

/// The notifications that wait for the long polls of several processes, in a PostgreSQL database.
///
/// A row is a notification for one push channel. A poll removes the row that it returns. If the
/// content of a row is empty, the client is told that notifications may have been lost. Rows expire
/// after a day: they only tell clients to fetch changes, and a client that was away for longer does
/// that anyway.
public struct SharedNotifications: Sendable {
  private let database: PostgreSQLDatabase
  /// Returns the current time in milliseconds since 1970, UTC.
  private let now: @Sendable () -> Int64
  /// Called with each failure and its cause, for the log.
  private let onFailure: @Sendable (StorageFailure) -> Void
  /// A number of this process, which others are unlikely to have.
  private let process = Int64.random(in: 0..<1 << 22)

  /// How often a process looks for the notifications of others while it has polls that wait.
  static let interval = Duration.milliseconds(250)

  /// How long a notification is found by `recent`. A transaction becomes visible only when it
  /// commits, so this is longer than storing takes.
  static let recency = Duration.seconds(10)

  /// How long a notification waits for a poll, in milliseconds.
  private static let lifetime = 86_400_000

  /// The clock of the database server, which all processes share.
  private static let clock = "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)"

  /// - Parameters:
  ///   - storage: the storage whose database has the push channels.
  ///   - now: returns the current time in milliseconds since 1970, UTC.
  ///   - onFailure: called with each failure, so that it can be logged.
  public init(
    _ storage: PostgreSQLRecordStorage, now: @escaping @Sendable () -> Int64,
    onFailure: @escaping @Sendable (StorageFailure) -> Void = { _ in }
  ) {
    database = PostgreSQLDatabase(pool: storage.pool, isolation: .locking)
    self.now = now
    self.onFailure = onFailure
  }

  /// Queues notifications for the push channels of the subscribers. The session that made the
  /// change gets none. See `NotificationQueue.add` for the notifications that give way.
  ///
  /// - Returns: the push channel of each queued notification; nil if the database has failed.
  func add(_ firings: [Firing]) async -> [PushChannel.ID]? {
    let now = now()
    return await write { connection in
      try firings.flatMap { try add($0, at: now, connection) }
    }
  }

  private func add(
    _ firing: Firing, at now: Int64, _ connection: any SQLConnection
  ) throws -> [PushChannel.ID] {
    let subscription = firing.subscription.subscriptionID ?? ""
    let database = firing.address.database.rawValue
    let content = try Wire.encode(PushNotification(firing, id: UUID.random().uuidString))
    // A push channel that another transaction deletes is left out.
    let channels = try connection.rows(
      """
      INSERT INTO notification (courier_id, subscription, database, content, made_at)
      SELECT c.id, ?, ?, ?, \(Self.clock) FROM courier c
      JOIN web_session s ON s.id = c.session_id JOIN account a ON a.id = s.account_id
      WHERE s.account_id = ? AND s.container = ? AND c.environment = ? AND s.id <> ?
        AND s.expires_at > ? AND a.removed_at IS NULL
      FOR KEY SHARE OF c RETURNING courier_id
      """,
      [
        subscription, database, content, firing.account, firing.address.container.name,
        firing.address.environment.rawValue, firing.session.flatMap(Int64.init) ?? 0, now,
      ]
    ) { try $0[0] as PushChannel.ID }
    guard !channels.isEmpty else { return [] }
    let isOfAccount = """
      n.courier_id IN (
        SELECT c.id FROM courier c JOIN web_session s ON s.id = c.session_id
        WHERE s.account_id = ?)
      """
    try connection.run(
      """
      DELETE FROM notification n WHERE \(isOfAccount)
        AND n.subscription = ? AND n.database = ? AND n.id < (
          SELECT max(l.id) FROM notification l WHERE l.courier_id = n.courier_id
          AND l.subscription = n.subscription AND l.database = n.database)
      """, [firing.account, subscription, database])
    try dropOldest(where: isOfAccount, firing.account, connection)
    return channels
  }

  /// Deletes the oldest notifications of each push channel that has more than
  /// `NotificationQueue.limit`.
  ///
  /// The newest notification of each database is kept, so more than the limit can remain.
  ///
  /// - Parameters:
  ///   - condition: the SQL condition that selects push channels; it can use the row `n` of
  ///     `notification`, and has one `?`.
  ///   - argument: the value for that `?`.
  private func dropOldest(
    where condition: String, _ argument: Int64, _ connection: any SQLConnection
  ) throws {
    try connection.run(
      """
      DELETE FROM notification n WHERE \(condition) AND n.subscription <> ''
        AND (
          SELECT count(*) FROM notification l
          WHERE l.courier_id = n.courier_id AND l.id >= n.id AND l.subscription <> '') > ?
        AND EXISTS (
          SELECT 1 FROM notification l
          WHERE l.courier_id = n.courier_id AND l.id > n.id AND l.subscription <> ''
            AND l.database = n.database)
      """, [argument, NotificationQueue.limit])
  }

  /// Queues the message of a loss for the push channels that it concerns. Waits for the
  /// transactions that change the database: a COMMIT without an answer may still be carried out.
  ///
  /// - Returns: their push channels; nil if the database has failed.
  func add(_ loss: NotificationLoss) async -> [PushChannel.ID]? {
    let now = now()
    return await write { connection in
      try connection.run(
        """
        SELECT 1 FROM owner WHERE container = ? AND environment = ? AND account = ? FOR SHARE
        """, [loss.container.name, loss.environment.rawValue, loss.account])
      // A push channel that another transaction deletes is left out.
      return try connection.rows(
        """
        INSERT INTO notification (courier_id, subscription, database, content, made_at)
        SELECT c.id, '', ?, ?, \(Self.clock) FROM courier c JOIN web_session s ON s.id = c.session_id
        WHERE (s.account_id = ? OR ? = 0) AND s.container = ? AND c.environment = ?
          AND s.expires_at > ? AND NOT EXISTS (
            SELECT 1 FROM notification n WHERE n.courier_id = c.id AND n.subscription = '')
        FOR KEY SHARE OF c RETURNING courier_id
        """,
        [
          DatabaseScope.private.rawValue, Data(), loss.account, loss.account, loss.container.name,
          loss.environment.rawValue, now,
        ]
      ) { try $0[0] as PushChannel.ID }
    }
  }

  /// Registers a poll as the newest one of a push channel. Only the newest poll gets notifications:
  /// an older one may still wait in another process although its client has disconnected.
  ///
  /// A poll does not replace one of the same process that has a larger number. Their transactions
  /// can commit in either order.
  ///
  /// - Returns: false if the database has failed.
  func begin(_ poll: Int, of pushChannel: PushChannel) async -> Bool {
    await write { connection in
      try connection.run(
        """
        INSERT INTO poll SELECT id, ? FROM courier WHERE id = ? FOR KEY SHARE
        ON CONFLICT (courier_id) DO UPDATE SET id = excluded.id
        WHERE poll.id < excluded.id OR poll.id >> 40 <> excluded.id >> 40
        """, [id(of: poll), pushChannel.id])
    } != nil
  }

  /// Removes the registration of a poll whose client has disconnected. The client may already poll
  /// in another process, and that poll may have been registered first.
  ///
  /// - Returns: false if the database has failed.
  func end(_ poll: Int, of pushChannel: PushChannel) async -> Bool {
    await write { connection in
      try connection.run(
        "DELETE FROM poll WHERE courier_id = ? AND id = ?", [pushChannel.id, id(of: poll)])
    } != nil
  }

  /// Returns the ID of a poll in the database. It includes the number of this process, because
  /// other processes number their polls in the same way.
  private func id(of poll: Int) -> Int64 { process << 40 | Int64(poll) & 0xff_ffff_ffff }

  /// Removes and returns the first notification of a push channel.
  ///
  /// - Returns: nil if there is none, or if another poll is the newest one of the push channel.
  /// - Throws: the error, after it was reported to `onFailure`. The notification may have been
  ///   removed.
  func take(
    from pushChannel: PushChannel, for poll: Int
  ) async throws -> NotificationQueue.Item? {
    let id = id(of: poll)
    do {
      return try await database.write { try take(from: pushChannel, for: id, $0) }
    } catch {
      onFailure(StorageFailure(error))
      throw error
    }
  }

  /// See `take(from:for:)`. A notification that cannot be decoded would block the later ones. So it
  /// is removed as well, and the client is told that notifications may have been lost.
  private func take(
    from pushChannel: PushChannel, for poll: Int64, _ connection: any SQLConnection
  ) throws -> NotificationQueue.Item? {
    try connection.row(
      """
      DELETE FROM notification WHERE id = (
        SELECT n.id FROM notification n WHERE n.courier_id = ?
          AND NOT EXISTS (SELECT 1 FROM poll p WHERE p.courier_id = n.courier_id AND p.id <> ?)
        ORDER BY n.id LIMIT 1 FOR UPDATE OF n)
      RETURNING id, subscription, database, content
      """, [pushChannel.id, poll]
    ) { row in
      let (id, content) = (try row["id"] as Int64, try row["content"] as Data)
      guard !content.isEmpty else { return .loss(number: id) }
      do {
        guard let database = DatabaseScope(rawValue: try row["database"]) else {
          throw StorageFailure.failed(.damaged(.column("database")))
        }
        return NotificationQueue.Item(
          number: id, subscription: try row["subscription"], database: database,
          notification: try Wire.decode(PushNotification.self, from: content, as: .response))
      } catch {
        onFailure(StorageFailure(error))
        return .loss(number: id)
      }
    }
  }

  /// Stores a removed notification again, in its former place. It replaces older ones of its
  /// subscription, and is not stored if there is a newer one.
  ///
  /// - Returns: false if the database has failed.
  func putBack(_ item: NotificationQueue.Item, to pushChannel: PushChannel) async -> Bool {
    let database = item.database.rawValue
    return await write { connection -> Void in
      try connection.run(
        """
        DELETE FROM notification WHERE courier_id = ? AND subscription = ? AND database = ? AND id < ?
        """, [pushChannel.id, item.subscription, database, item.number])
      try connection.run(
        """
        INSERT INTO notification (id, courier_id, subscription, database, content, made_at)
        SELECT ?, c.id, ?, ?, ?, \(Self.clock) FROM courier c WHERE c.id = ? AND c.session_id = ?
          AND NOT EXISTS (SELECT 1 FROM notification n
            WHERE n.courier_id = c.id AND n.subscription = ? AND n.database = ?)
        FOR KEY SHARE OF c ON CONFLICT (id) DO NOTHING
        """,
        [
          item.number, item.subscription, database,
          try item.notification.map { try Wire.encode($0) } ?? Data(),
          pushChannel.id,
          pushChannel.sessionID, item.subscription, database,
        ])
      try dropOldest(where: "n.courier_id = ?", pushChannel.id, connection)
    } != nil
  }

  /// Returns the push channels that have got notifications lately; nil if the database has failed.
  func recent() async -> Set<PushChannel.ID>? {
    do {
      return try await database.read(within: nil) { connection in
        Set(
          try connection.rows(
            "SELECT courier_id FROM notification WHERE made_at > \(Self.clock) - ?",
            [Self.recency.components.seconds * 1000]
          ) { try $0[0] as PushChannel.ID })
      }
    } catch { return reported(error) }
  }

  /// Deletes the notifications that have waited for too long.
  func removeExpired() async {
    await write { connection in
      try connection.run(
        "DELETE FROM notification WHERE made_at <= \(Self.clock) - ?", [Self.lifetime])
    }
  }

  // MARK: Transactions

  @discardableResult
  private func write<Value: Sendable>(
    _ body: @escaping @Sendable (any SQLConnection) throws -> Value
  ) async -> Value? {
    do { return try await database.write(body) } catch { return reported(error) }
  }

  private func reported<Value>(_ error: any Error) -> Value? {
    onFailure(StorageFailure(error))
    return nil
  }
}
