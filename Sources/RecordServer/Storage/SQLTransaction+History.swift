import CloudRecords

extension SQLTransaction {
  /// Returns the mark of a sequence number that was assigned after marks were introduced; nil if
  /// the number is greater than the newest one. If the mark was deleted (`lastDeletedMark`), the
  /// result is the mark of a later transaction.
  func mark(of number: Int64, in history: History) throws -> Mark? {
    try lock(history.owner)
    return try connection.row(
      """
      SELECT mark FROM history WHERE owner_id = ? AND zone = ? AND number >= ?
      ORDER BY number LIMIT 1
      """, [history.owner.rawValue, history.zone, number]
    ) { try Mark(stored: $0[0]) }
  }

  /// Returns the history of a database; nil if there is no such owner.
  func history(of owner: OwnerID) throws -> History? {
    try lock(owner)
    return try connection.row(
      "SELECT sequence, mark, forgotten, legacy FROM owner WHERE id = ?", [owner.rawValue]
    ) { row in
      try History(
        owner: owner, zone: History.databaseZone,
        newest: ChangeTag(number: row[0], mark: Mark(stored: row[1])), lastDeletedMark: row[2],
        lastNumberWithoutMark: row[3])
    }
  }

  /// Returns the last sequence number whose mark may be deleted; nil if there is nothing to delete.
  /// The newest mark is never deleted.
  ///
  /// - Parameters:
  ///   - time: marks of transactions before this time may be deleted, in milliseconds since 1970.
  ///   - count: the number of transactions whose marks are kept; older ones may be deleted.
  ///   - limit: the maximum number of transactions to delete at once.
  func lastDeletableNumber(
    in history: History, before time: Int64, keeping count: Int, limit: Int
  ) throws -> Int64? {
    try lock(history.owner)
    let surplus = try connection.row(
      """
      SELECT number FROM history WHERE owner_id = ? AND zone = ?
      ORDER BY number DESC LIMIT 1 OFFSET ?
      """, [history.owner.rawValue, history.zone, count]
    ) { try $0[0] as Int64 }
    let oldest = try connection.rows(
      """
      SELECT number, made_at FROM history WHERE owner_id = ? AND zone = ? AND number < ?
      ORDER BY number LIMIT ?
      """, [history.owner.rawValue, history.zone, history.newest.number, limit]
    ) { try (number: $0[0] as Int64, madeAt: $0[1] as Int64) }
    return oldest.prefix { $0.madeAt < time || $0.number <= surplus ?? -1 }.last?.number
  }

  /// Returns the number of responses that reported to a client that the service has lost a part of
  /// its history.
  func forkCount() throws -> Int {
    try connection.row("SELECT forks FROM service", []) { try $0[0] } ?? 0
  }
}

extension SQLWriteTransaction {
  /// Deletes the marks of a history up to a number.
  func deleteMarks(of history: History, through number: Int64) throws {
    try restrictChanges(to: history.owner)
    try connection.run(
      "DELETE FROM history WHERE owner_id = ? AND zone = ? AND number <= ?",
      [history.owner.rawValue, history.zone, number])
    if history.zone == History.databaseZone {
      try connection.run(
        "UPDATE owner SET forgotten = ? WHERE id = ? AND forgotten < ?",
        [number, history.owner.rawValue, number])
    } else {
      try connection.run(
        """
        UPDATE zone SET forgotten = ? WHERE owner_id = ? AND incarnation = ? AND forgotten < ?
        """, [number, history.owner.rawValue, history.zone, number])
    }
  }

  /// Counts a response that reports to a client that the service has lost a part of its history.
  func countFork() throws { try connection.run("UPDATE service SET forks = forks + 1", []) }

  /// Adds the transaction to the history of a zone and, in a private database, to the feed of the
  /// database.
  ///
  /// - Parameter newest: the last number that the transaction assigned in the zone, and its mark.
  func advance(_ scope: Scope, to newest: ChangeTag, _ source: MarkSource) throws {
    if scope.isPublic {
      try restrictChanges(to: scope.owner)
      try connection.run(
        "UPDATE zone SET sequence = ?, mark = ? WHERE owner_id = ? AND name = ?",
        [newest.number, newest.mark.stored, scope.owner.rawValue, scope.zoneName])
    } else {
      let number = try advance(scope.owner, newest.mark, source)
      try connection.run(
        "UPDATE zone SET sequence = ?, mark = ?, changed = ? WHERE owner_id = ? AND name = ?",
        [
          newest.number, newest.mark.stored, number, scope.owner.rawValue, scope.zoneName,
        ])
    }
    try addHistory(of: scope.owner, zone: scope.incarnation, newest, source)
  }

  /// Adds the transaction to the history of a database.
  ///
  /// - Parameter mark: the mark of the changed zone, which the hash contains in place of the
  ///   transaction's changes.
  /// - Returns: the sequence number of the transaction in the database.
  func advance(_ owner: OwnerID, _ mark: Mark, _ source: MarkSource) throws -> Int64 {
    try restrictChanges(to: owner)
    // Not RETURNING, for which SQLite makes a temporary table each time.
    let next = try connection.row(
      "SELECT sequence, mark FROM owner WHERE id = ?", [owner.rawValue]
    ) { row in
      let next = source.mark(after: Mark(stored: try row[1])) { $0.add(mark.stored) }
      return ChangeTag(number: try row[0] + 1, mark: next)
    }
    guard let next else { throw StorageFailure.failed(.missing(.owner)) }
    try connection.run(
      "UPDATE owner SET sequence = ?, mark = ? WHERE id = ?",
      [next.number, next.mark.stored, owner.rawValue])
    try addHistory(of: owner, zone: History.databaseZone, next, source)
    return next.number
  }

  /// Deletes the history of a zone.
  ///
  /// - Parameters:
  ///   - incarnation: the incarnation of the zone; nil for all histories of the owner.
  ///   - limit: the maximum number of rows to delete.
  /// - Returns: whether any row was deleted.
  func purgeHistory(of owner: OwnerID, _ incarnation: Int64?, limit: Int) throws -> Bool {
    let rows = try connection.rows(
      """
      SELECT zone, number FROM history
      WHERE owner_id = ?\(incarnation == nil ? "" : " AND zone = ?")
      ORDER BY zone, number LIMIT ?
      """,
      incarnation.map { [owner.rawValue, $0, limit] } ?? [owner.rawValue, limit]
    ) { try ($0[0] as Int64, $0[1] as Int64) }
    for (zone, number) in rows {
      try connection.run(
        "DELETE FROM history WHERE owner_id = ? AND zone = ? AND number = ?",
        [owner.rawValue, zone, number])
    }
    return !rows.isEmpty
  }

  /// Adds a transaction to a history.
  ///
  /// - Parameter tag: the last number that the transaction assigned, and its mark.
  func addHistory(
    of owner: OwnerID, zone: Int64, _ tag: ChangeTag, _ source: MarkSource
  ) throws {
    try connection.run(
      "INSERT INTO history VALUES (?, ?, ?, ?, ?)",
      [owner.rawValue, zone, tag.number, tag.mark.stored, source.time])
  }
}
