import CloudRecords
import FoundationEssentials

extension SQLTransaction {
  /// Returns the subscriptions of an account, in the order of their IDs.
  func subscriptions(of account: Int64, in owner: OwnerID) throws -> [Subscription] {
    try lock(owner)
    return try connection.rows(
      "SELECT content FROM subscription WHERE owner_id = ? AND account = ? ORDER BY id",
      [owner.rawValue, account], Self.subscription)
  }

  /// Returns the number of an account's subscriptions and the total size of their JSON.
  func subscriptionUsage(
    of account: Int64, in owner: OwnerID
  ) throws -> (count: Int, bytes: Int) {
    try lock(owner)
    return try connection.row(
      """
      SELECT count(*), coalesce(sum(length(content)), 0) FROM subscription
      WHERE owner_id = ? AND account = ?
      """, [owner.rawValue, account]
    ) { try ($0[0], $0[1]) } ?? (0, 0)
  }

  /// Returns a subscription of an account; nil if there is none with this ID.
  func subscription(
    _ id: String, of account: Int64, in owner: OwnerID
  ) throws -> Subscription? {
    guard Self.isText(id) else { return nil }
    try lock(owner)
    return try connection.row(
      "SELECT content FROM subscription WHERE owner_id = ? AND account = ? AND id = ?",
      [owner.rawValue, account, id], Self.subscription)
  }

  /// Whether any account has a subscription that may fire for records of a type, or for a zone.
  ///
  /// - Parameter type: the record type; nil for zone subscriptions.
  func hasSubscriptions(watching type: String?, in owner: OwnerID) throws -> Bool {
    try lock(owner)
    return try connection.row(
      """
      SELECT 1 FROM \(connection.dialect.table("subscription", by: "subscription_by_type"))
      WHERE owner_id = ? AND type = ? LIMIT 1
      """, [owner.rawValue, type ?? ""]
    ) { _ in true } ?? false
  }

  /// Returns the subscriptions of all accounts that may fire for records of a type, or for a zone,
  /// in the order of their positions.
  ///
  /// - Parameter type: the record type; nil for zone subscriptions.
  func subscriptions(
    watching type: String?, in owner: OwnerID, after: SubscriptionRow.Position?, limit: Int
  ) throws -> [SubscriptionRow] {
    try lock(owner)
    return try connection.rows(
      """
      SELECT content, account, user_record_name
      FROM \(connection.dialect.table("subscription", by: "subscription_by_type"))
      WHERE owner_id = ? AND type = ? AND (account, id) > (?, ?) ORDER BY account, id LIMIT ?
      """,
      [owner.rawValue, type ?? "", after?.account ?? -1, after?.id ?? "", limit]
    ) { row in
      try SubscriptionRow(
        account: row[1], userRecordName: row[2], subscription: Self.subscription(row))
    }
  }

  private static func subscription(_ row: any SQLRow) throws -> Subscription {
    do {
      return try Wire.decode(Subscription.self, from: row[0], as: .request)
    } catch {
      throw StorageFailure.failed(.damaged(.subscription))
    }
  }

  // MARK: Jobs

  /// Returns the unfinished jobs, oldest first.
  func jobs() throws -> [JobRow] { try connection.jobs() }
}

extension SQLWriteTransaction {
  /// Saves a subscription; replaces one with the same account and ID.
  func save(_ row: SubscriptionRow, in owner: OwnerID) throws {
    try restrictChanges(to: owner)
    let type = row.subscription.subscriptionType == .query ? row.subscription.query?.recordType : ""
    try connection.run(
      """
      INSERT INTO subscription VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (owner_id, account, id)
      DO UPDATE SET type = excluded.type, content = excluded.content
      """,
      [
        owner.rawValue, row.account, row.id, type ?? "", row.userRecordName,
        try Wire.encode(row.subscription),
      ])
  }

  /// Deletes a subscription, if it exists.
  func removeSubscription(_ id: String, of account: Int64, in owner: OwnerID) throws {
    try restrictChanges(to: owner)
    try connection.run(
      "DELETE FROM subscription WHERE owner_id = ? AND account = ? AND id = ?",
      [owner.rawValue, account, id])
  }

  /// Deletes all subscriptions of an account.
  func removeSubscriptions(of account: Int64, in owner: OwnerID) throws {
    try restrictChanges(to: owner)
    try connection.run(
      "DELETE FROM subscription WHERE owner_id = ? AND account = ?", [owner.rawValue, account])
  }

  // MARK: Jobs

  /// Adds a job.
  @discardableResult
  func add(_ job: StorageJob) throws -> JobRow {
    let id = try connection.insertedID(
      "INSERT INTO job (content) VALUES (?) RETURNING id", [try Wire.encode(job)])
    return JobRow(id: id, job: job)
  }

  /// Returns the job that deletes an account; adds it if there is none.
  func job(deleting account: Int64) throws -> JobRow {
    // Another transaction that adds such a job waits here until this one ends.
    if connection.dialect.locksRows {
      _ = try connection.row("SELECT id FROM service\(connection.dialect.forUpdate)") { _ in true }
    }
    let known = try jobs().first { job in
      if case .deleteAccount(account, _) = job.job { true } else { false }
    }
    return try known ?? add(.deleteAccount(account, records: 0))
  }

  /// Saves the progress of a job.
  func save(_ job: JobRow) throws {
    try connection.run(
      "UPDATE job SET content = ? WHERE id = ?", [try Wire.encode(job.job), job.id])
  }

  /// Removes a finished job.
  func remove(_ job: JobRow) throws {
    try connection.run("DELETE FROM job WHERE id = ?", [job.id])
  }
}
