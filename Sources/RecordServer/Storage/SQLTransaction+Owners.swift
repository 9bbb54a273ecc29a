import CloudRecords
import Synchronization

extension SQLTransaction {
  // MARK: Owners

  /// Returns the row of a database; nil if nothing was stored in it yet.
  ///
  /// - Parameter account: the account of a private database; 0 for a public one.
  func owner(of address: DatabaseAddress, account: Int64) throws -> OwnerRow? {
    try connection.row(
      """
      SELECT id, sequence, floor, mark, forgotten, legacy FROM owner
      WHERE container = ? AND environment = ? AND database = ? AND account = ?\
      \(connection.dialect.forUpdate)
      """,
      [
        address.container.name, address.environment.rawValue, address.database.rawValue, account,
      ]
    ) { row in
      let id = OwnerID(rawValue: try row[0])
      noteLock(of: id)
      let newest = try ChangeTag(number: row[1], mark: Mark(stored: row[3]))
      return try OwnerRow(
        id: id, feedIncompleteThrough: row[2],
        history: History(
          owner: id, zone: History.databaseZone, newest: newest, lastDeletedMark: row[4],
          lastNumberWithoutMark: row[5]))
    }
  }

  /// Returns the account of a private database; nil for a public one.
  func account(of owner: OwnerID) throws -> Int64? {
    try connection.row(
      "SELECT account FROM owner WHERE id = ? AND database = ?",
      [owner.rawValue, DatabaseScope.private.rawValue]
    ) { try $0[0] as Int64 }
  }

  /// Returns the owners of an environment with greater IDs than `after`, in the order of their IDs.
  func owners(
    in container: ContainerID, _ environment: ContainerEnvironment, after: OwnerID, limit: Int
  ) throws -> [OwnerID] {
    try connection.rows(
      """
      SELECT id FROM owner WHERE container = ? AND environment = ? AND id > ? ORDER BY id LIMIT ?
      """, [container.name, environment.rawValue, after.rawValue, limit]
    ) { try OwnerID(rawValue: $0[0]) }
  }

  /// Returns the private databases of an account.
  func owners(of account: Int64) throws -> [OwnerID] {
    try connection.rows(
      "SELECT id FROM owner WHERE account = ? AND database = ? ORDER BY id",
      [account, DatabaseScope.private.rawValue]
    ) { try OwnerID(rawValue: $0[0]) }
  }

  /// Returns the default zones of all public databases.
  func publicScopes() throws -> [Scope] {
    let owners = try connection.rows(
      "SELECT id FROM owner WHERE account = 0 AND database = ? ORDER BY id",
      [DatabaseScope.public.rawValue]
    ) { try OwnerID(rawValue: $0[0]) }
    return try owners.compactMap { owner in
      try zone(ZoneID.defaultName, of: owner).map { Scope($0, isPublic: true) }
    }
  }

  /// Returns the owner with the greatest ID; nil if there is none.
  func lastOwner(
    in container: ContainerID, _ environment: ContainerEnvironment
  ) throws -> OwnerID? {
    try connection.row(
      """
      SELECT id FROM owner WHERE container = ? AND environment = ? ORDER BY id DESC LIMIT 1
      """, [container.name, environment.rawValue]
    ) { try OwnerID(rawValue: $0[0]) }
  }

  /// Returns the usage of an account in a database.
  func usage(of account: Int64, in owner: OwnerID) throws -> Usage {
    try lock(owner)
    return try connection.row(
      "SELECT bytes, records FROM usage WHERE owner_id = ? AND account = ?",
      [owner.rawValue, account]
    ) { try Usage(bytes: $0[0], records: $0[1]) } ?? Usage()
  }

  // MARK: Zones

  fileprivate static let zoneColumns =
    "owner_id, name, sequence, incarnation, changed, floor, deleted, mark, forgotten, legacy"

  fileprivate static func zone(_ row: any SQLRow) throws -> ZoneRow {
    let newest = try ChangeTag(number: row[2], mark: Mark(stored: row[7]))
    return try ZoneRow(
      name: row[1], changed: row[4], feedIncompleteThrough: row[5], isDeleted: row[6],
      history: History(
        owner: OwnerID(rawValue: row[0]), zone: row[3], newest: newest, lastDeletedMark: row[8],
        lastNumberWithoutMark: row[9]))
  }

  /// Returns the zone with this name, even if it is deleted.
  func zone(_ name: String, of owner: OwnerID) throws -> ZoneRow? {
    guard Self.isText(name) else { return nil }
    try lock(owner)
    return try connection.row(
      "SELECT \(Self.zoneColumns) FROM zone WHERE owner_id = ? AND name = ?",
      [owner.rawValue, name], Self.zone)
  }

  /// Returns the zones that are not deleted, including the default zone, in the order of their last
  /// changes.
  func liveZones(of owner: OwnerID) throws -> [ZoneRow] {
    try zones(of: owner, changedAfter: -1, limit: .max).filter { !$0.isDeleted }
  }

  /// Returns the zones that changed after `number` in the database's feed, including deleted ones,
  /// in the order of their changes.
  func zones(of owner: OwnerID, changedAfter number: Int64, limit: Int) throws -> [ZoneRow] {
    try lock(owner)
    return try connection.rows(
      """
      SELECT \(Self.zoneColumns) FROM zone
      WHERE owner_id = ? AND changed > ? ORDER BY changed LIMIT ?
      """, [owner.rawValue, number, limit], Self.zone)
  }
}

extension SQLWriteTransaction {
  // MARK: Owners

  /// Whether an account was removed or is being removed. Nothing may be created for it any more.
  ///
  /// The table of accounts exists only if this service manages its own accounts. Without it, no
  /// account counts as removed.
  ///
  /// - Parameter isHeld: whether the account must not be removed until the transaction ends. That
  ///   is needed only where no row of an owner is locked yet: the deletion of an account locks its
  ///   owners, and deletes what was saved before.
  func isGone(account: Int64, isHeld: Bool) throws -> Bool {
    if !cache.hasAccounts.load(ordering: .relaxed) {
      guard try connection.hasTable("account") else { return false }
      cache.hasAccounts.store(true, ordering: .relaxed)
    }
    return try connection.row(
      """
      SELECT 1 FROM account WHERE id = ? AND removed_at IS NULL\
      \(isHeld ? connection.dialect.sharing("account") : "")
      """, [account]
    ) { try $0[0] as Int } == nil
  }

  /// Creates an owner and its default zone. `account` is 0 for a public database.
  func makeOwner(
    of address: DatabaseAddress, account: Int64, _ source: MarkSource
  ) throws -> OwnerRow {
    let id = try connection.insertedID(
      """
      INSERT INTO owner (container, environment, database, account, sequence, number)
      SELECT container, environment, ?, ?, 0, number FROM environment
      WHERE container = ? AND environment = ? RETURNING id
      """,
      [
        address.database.rawValue, account, address.container.name, address.environment.rawValue,
      ])
    _ = try makeZone(ZoneID.defaultName, of: OwnerID(rawValue: id), source)
    guard let owner = try owner(of: address, account: account) else {
      throw StorageFailure.failed(.missing(.owner))
    }
    return owner
  }

  /// Deletes an owner that has no records or assets left, and everything else that is stored about
  /// it.
  func removeOwner(_ owner: OwnerID) throws {
    try restrictChanges(to: owner)
    for table in ["subscription", "usage", "history", "zone", "asset", "asset_chunk"] {
      try connection.run("DELETE FROM \(table) WHERE owner_id = ?", [owner.rawValue])
    }
    try connection.run("DELETE FROM owner WHERE id = ?", [owner.rawValue])
    for job in try jobs() {
      if case .purgeZone(owner.rawValue, _) = job.job { try remove(job) }
    }
  }

  /// Adds to the usage of an account.
  ///
  /// - Parameter change: the difference; negative for deleted records.
  func charge(_ change: Usage, to account: Int64, in owner: OwnerID) throws {
    try restrictChanges(to: owner)
    try connection.run(
      """
      INSERT INTO usage VALUES (?, ?, ?, ?) ON CONFLICT (owner_id, account)
      DO UPDATE SET bytes = usage.bytes + excluded.bytes,
      records = usage.records + excluded.records
      """, [owner.rawValue, account, change.bytes, change.records])
  }

  /// Deletes the usage of an account in a database.
  func removeUsage(of account: Int64, in owner: OwnerID) throws {
    try restrictChanges(to: owner)
    try connection.run(
      "DELETE FROM usage WHERE owner_id = ? AND account = ?", [owner.rawValue, account])
  }

  // MARK: Zones

  /// Creates a zone, or creates a deleted one again.
  func makeZone(
    _ name: String, of owner: OwnerID, _ source: MarkSource
  ) throws -> ZoneRow {
    let mark = source.mark(after: nil) { content in
      content.add(owner.rawValue)
      content.add(name)
    }
    let number = try advance(owner, mark, source)
    // For an existing row, `forgotten` is set to the last number of the deleted zone. Tags that
    // clients hold of that zone are then reported as unknown and not as forked.
    let zone = try connection.row(
      """
      INSERT INTO zone (owner_id, name, incarnation, sequence, changed, mark)
      VALUES (?, ?, ?, (SELECT number FROM owner WHERE id = ?), ?, ?)
      ON CONFLICT (owner_id, name) DO UPDATE
      SET incarnation = excluded.incarnation, changed = excluded.changed, floor = 0, deleted = 0,
      sequence = zone.sequence + 1, mark = excluded.mark, forgotten = zone.sequence, legacy = -1
      RETURNING \(Self.zoneColumns)
      """, [owner.rawValue, name, number, owner.rawValue, number, mark.stored], Self.zone)
    guard let zone else { throw StorageFailure.failed(.missing(.zone)) }
    try addHistory(of: owner, zone: zone.incarnation, zone.history.newest, source)
    return zone
  }

  /// Marks a zone as deleted. The caller adds a job that deletes its records.
  func deleteZone(_ scope: Scope, _ source: MarkSource) throws {
    let mark = source.mark(after: nil) { $0.add(scope.zoneName) }
    try connection.run(
      "UPDATE zone SET deleted = 1, changed = ? WHERE owner_id = ? AND name = ?",
      [try advance(scope.owner, mark, source), scope.owner.rawValue, scope.zoneName])
  }

  /// Deletes the rows of the zones that were deleted first, if more than `limit` zones are stored.
  func deleteOldestZones(of owner: OwnerID, beyond limit: Int) throws {
    try restrictChanges(to: owner)
    let count = try connection.row(
      "SELECT count(*) FROM zone WHERE owner_id = ?", [owner.rawValue]
    ) { try $0[0] as Int }
    guard let count, count > limit else { return }
    let expired = try connection.rows(
      """
      SELECT name, changed, sequence FROM \(connection.dialect.table("zone", by: "zone_by_change"))
      WHERE owner_id = ? AND deleted = 1 ORDER BY changed LIMIT ?
      """, [owner.rawValue, count - limit]
    ) { try ($0[0] as String, $0[1] as Int64, $0[2] as Int64) }
    for (name, number, sequence) in expired {
      try connection.run(
        "DELETE FROM zone WHERE owner_id = ? AND name = ?", [owner.rawValue, name])
      // A zone that is created again under this name must not reuse the numbers, and so the change
      // tags, of the deleted one.
      try connection.run(
        """
        UPDATE owner SET floor = ?, number = CASE WHEN number < ? THEN ? ELSE number END
        WHERE id = ?
        """, [number, sequence, sequence, owner.rawValue])
    }
  }

  /// Allots sequence numbers. Until the transaction ends, no other writer can allot numbers in the
  /// zone, so the order of the numbers is the order of the commits. `advance` stores the last one.
  ///
  /// - Parameter newest: the last number of the zone, as this transaction has read or allotted it.
  /// - Returns: the first of the numbers.
  func allotNumbers(_ count: Int, after newest: Int64, in scope: Scope) throws -> Int64 {
    // Locks the owner, and with it the numbers of its zones.
    try restrictChanges(to: scope.owner)
    guard scope.isPublic else { return newest + 1 }
    let last = try connection.row(
      "UPDATE sequence SET number = number + ? WHERE name = ? RETURNING number",
      [count, RecordTables.publicSequence]
    ) { try $0[0] as Int64 }
    guard let last else { throw StorageFailure.failed(.missing(.zone)) }
    return last - Int64(count) + 1
  }
}
