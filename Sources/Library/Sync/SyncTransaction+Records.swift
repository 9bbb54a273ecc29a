import GRDB

// The account, and the states of its records.
extension SyncTransaction {
  /// The account of the library; nil if it is not connected.
  public func account() throws -> SyncAccount? { try database.syncAccount() }

  /// Stores the account of the library. If this is another account than before, or none, all record
  /// states are deleted.
  ///
  /// - Parameter account: The account; nil to disconnect the library.
  public func setAccount(_ account: SyncAccount?) throws {
    let previous = try self.account()
    if let previous, account.map({ !$0.isSame(as: previous) }) ?? true {
      try deleteRecordStates()
    }
    guard let account else {
      return try database.run("DELETE FROM account")
    }
    try database.run(
      """
      INSERT OR REPLACE INTO account (
        id, origin, container, environment, userRecordName, name, isConfirmed, hasProfile,
        hasFeed, syncToken, listing, listedAt, syncedAt, serviceID, witness, owesListing,
        restoration, failure, failingSince, waitsSince, notBefore, owesPreparation,
        profileCreatedAt
      ) VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      account.origin, account.container, account.environment,
      account.userRecordName, account.name, account.isConfirmed,
      account.hasProfile, account.hasFeed, account.syncToken,
      account.listing, account.listedAt, account.syncedAt,
      account.serviceID, account.witness, account.needsListing,
      account.restoration?.rawValue, account.failure?.json,
      account.failingSince, account.wait?.since, account.wait?.until,
      account.needsPreparation, account.profileCreatedAt)
  }

  /// Deletes the stored states of the service's records, and the results of earlier attempts to
  /// send changes, so that the next sync works like the first one.
  public func deleteRecordStates() throws {
    for statement in [
      "DELETE FROM recordState", "DELETE FROM unreadRecord",
      """
      UPDATE outbox SET sent = NULL, attempts = 0, notBefore = NULL, waitsSince = NULL,
        parked = NULL, lastError = NULL
      """,
      "DELETE FROM deletedRecord",
      """
      UPDATE account SET syncToken = NULL, listedAt = NULL, hasFeed = NULL, witness = NULL,
        owesListing = 0
      """,
    ] {
      try database.run(statement)
    }
  }

  /// The state of a record; nil if the record is unknown.
  public func state(named name: String) throws -> RecordState? {
    try database.recordStates(where: "name = ?", name).first
  }

  /// The states of a thing's records, sorted by name: several if other programs created records of
  /// it, too.
  public func states(of thing: Thing) throws -> [RecordState] {
    try database.recordStates(
      where: "kind = ? AND key = ? ORDER BY name", thing.kind.rawValue, thing.key)
  }

  /// The states of a kind's records that a listing did not return, and that were known before it
  /// began.
  public func states(missingFrom listing: Int, kind: Thing.Kind) throws -> [RecordState] {
    try database.recordStates(
      where: "listing < ? AND kind = ? ORDER BY name", listing, kind.rawValue)
  }

  /// The number of entries of a kind in the library that have at least one record on the service,
  /// as far as this device knows.
  public func syncedEntryCount(kind: Thing.Kind) throws -> Int {
    try database.rows(
      """
      SELECT count(*) FROM (\(Self.things)) AS thing
      WHERE kind = ? AND EXISTS (
        SELECT 1 FROM recordState
        WHERE kind = thing.kind AND key = thing.key AND tag IS NOT NULL)
      """, kind.rawValue
    ) { $0.int(0) }.first ?? 0
  }

  /// The number of known records, including those that cannot be decoded.
  public func recordCount() throws -> Int {
    try database.rows(
      "SELECT (SELECT count(*) FROM recordState) + (SELECT count(*) FROM unreadRecord)"
    ) {
      $0.int(0)
    }.first ?? 0
  }

  /// The size of the library's contents in bytes, without the free pages of the file.
  public func databaseSize() throws -> Int {
    try database.rows(
      """
      SELECT (page_count - freelist_count) * page_size
      FROM pragma_page_count, pragma_freelist_count, pragma_page_size
      """
    ) {
      $0.int(0)
    }.first ?? 0
  }

  /// Stores the state of a record, and deletes its stored deletion.
  public func store(_ state: RecordState) throws {
    try database.run(
      """
      INSERT INTO recordState (name, kind, key, tag, formerTags, base, listing, createdAt)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (name) DO UPDATE SET kind = excluded.kind, key = excluded.key,
        tag = excluded.tag, formerTags = excluded.formerTags, base = excluded.base,
        listing = excluded.listing, createdAt = excluded.createdAt
      """,
      state.name, state.thing.kind.rawValue, state.thing.key, state.tag,
      state.formerTags.joined(separator: " "), state.base, state.listing,
      state.createdAt)
    try database.run("DELETE FROM deletedRecord WHERE name = ?", state.name)
  }

  /// Stores that a listing returned the known version of a record.
  public func markListed(_ name: String, in listing: Int) throws {
    try database.run(
      "UPDATE recordState SET listing = ? WHERE name = ?", listing, name)
  }

  /// Stores when the service created a record, in milliseconds since 1970, UTC.
  public func setCreationTime(_ time: Int64, ofRecord name: String) throws {
    try database.run("UPDATE recordState SET createdAt = ? WHERE name = ?", time, name)
  }

  /// Deletes the state of a record.
  public func removeState(named name: String) throws {
    try database.run("DELETE FROM recordState WHERE name = ?", name)
  }

  /// Stores the deletion of a record, so that it can be repeated if the service's history is rolled
  /// back to a state before it.
  ///
  /// - Parameter record: The deleted record. If it has no tags, nothing is stored.
  public func store(_ record: DeletedRecord) throws {
    guard !record.tags.isEmpty else { return }
    try database.run(
      """
      INSERT OR REPLACE INTO deletedRecord (name, kind, key, tags, deletedAt, lastDay)
      VALUES (?, ?, ?, ?, ?, ?)
      """,
      record.name, record.thing.kind.rawValue, record.thing.key,
      record.tags.joined(separator: " "), record.deletedAt,
      Database.day(of: record.deletedAt))
  }

  /// The stored deletion of a record; nil if there is none.
  public func deletedRecord(named name: String) throws -> DeletedRecord? {
    try database.rows(
      "SELECT kind, key, tags, deletedAt FROM deletedRecord WHERE name = ?", name
    ) { row -> DeletedRecord? in
      Thing(kind: row.string(0), key: row.string(1)).map { thing in
        DeletedRecord(
          name: name, thing: thing, tags: row.string(2).split(separator: " ").map(String.init),
          deletedAt: row.int64(3))
      }
    }.first
  }

  /// Whether a record is known and cannot be decoded.
  public func isUnread(_ name: String) throws -> Bool {
    try !database.rows("SELECT 1 FROM unreadRecord WHERE name = ?", name, make: { $0.int(0) })
      .isEmpty
  }

  /// Stores whether a record can be decoded.
  ///
  /// - Parameters:
  ///   - record: The record and its problem; nil if it can be decoded, or was deleted.
  ///   - name: The name of the record.
  public func setUnreadable(_ record: UnreadableRecord?, named name: String) throws {
    guard let record else {
      // This is called for each record of a page, and nearly all of them can be decoded.
      guard try isUnread(name) else { return }
      return try database.run("DELETE FROM unreadRecord WHERE name = ?", name)
    }
    try database.run(
      "INSERT OR REPLACE INTO unreadRecord VALUES (?, ?, ?)", record.name,
      record.type, record.problem.stored)
  }
}
