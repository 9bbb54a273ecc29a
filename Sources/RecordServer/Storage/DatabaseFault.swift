import CloudRecords

/// A fault of a database.
public enum DatabaseFault: Hashable, Sendable {
  /// SQLite has found a fault. The string is its description.
  case integrity(String)
  /// Rows contradict other rows. `count` is the number of inconsistencies.
  case inconsistent(Inconsistency, count: Int)

  /// A contradiction between rows that must agree.
  public enum Inconsistency: CaseIterable, Sendable {
    /// The stored usage of an account differs from the sum of the sizes of its records and assets.
    case usage
    /// An index entry has no record.
    case entry
    /// A reference has no record.
    case reference
    /// A record has no owner.
    case record
    /// An asset is not complete although a record holds it, is held by a record that does not
    /// exist, or has no owner.
    case asset
    /// The bytes of an asset have no asset, or not its length.
    case assetBytes
    /// A history has no owner.
    case history
    /// The newest number or mark of a zone or a database is not the last one of its history.
    case zone
    /// A record has a greater number than its zone.
    case number
  }
}

extension SQLConnection {
  /// Compares derived data, such as usage and index entries, with the data from which it is made.
  ///
  /// While a job that deletes data is unfinished, `usage` and `asset` are not checked. Such a job
  /// needs several transactions: it deletes records first, their assets later, and some jobs
  /// correct the usage at the end.
  ///
  /// - Returns: the inconsistencies; empty if there are none.
  func inconsistencies() throws -> [DatabaseFault] {
    let skipped: [DatabaseFault.Inconsistency] =
      try jobs().contains { $0.job.deletesData } ? [.usage, .asset] : []
    return try DatabaseFault.Inconsistency.allCases.compactMap { kind in
      guard !skipped.contains(kind) else { return nil }
      let count = try row(kind.count) { try $0[0] as Int } ?? 0
      return count == 0 ? nil : .inconsistent(kind, count: count)
    }
  }
}

extension DatabaseFault.Inconsistency {
  /// The SQL that counts the inconsistencies of this kind.
  fileprivate var count: String {
    switch self {
    case .usage:
      """
      SELECT count(*) FROM (
        SELECT owner_id, account, sum(bytes) AS bytes, sum(records) AS records FROM (
          SELECT owner_id, account, bytes, records FROM usage
          UNION ALL
          SELECT owner_id, coalesce(creator, (SELECT account FROM owner WHERE id = owner_id)),
            -sum(bytes), -count(*)
          FROM record WHERE deleted = 0 GROUP BY 1, 2
          UNION ALL
          SELECT owner_id, account, -sum(bytes), 0 FROM asset GROUP BY 1, 2) AS part
        GROUP BY 1, 2) AS sum
      WHERE bytes <> 0 OR records <> 0
      """
    case .entry:
      """
      SELECT count(*) FROM entry e WHERE NOT EXISTS (
        SELECT 1 FROM record r WHERE r.owner_id = e.owner_id AND r.zone = e.zone
        AND r.name = e.name AND r.deleted = 0)
      """
    case .reference:
      """
      SELECT count(*) FROM reference e WHERE NOT EXISTS (
        SELECT 1 FROM record r WHERE r.owner_id = e.owner_id AND r.zone = e.zone
        AND r.name = e.holder AND r.deleted = 0)
      """
    case .record:
      "SELECT count(*) FROM record WHERE owner_id NOT IN (SELECT id FROM owner)"
    case .asset:
      """
      SELECT count(*) FROM asset a WHERE owner_id NOT IN (SELECT id FROM owner)
        OR expires_at IS NULL AND (checksum IS NULL OR record IS NULL OR NOT EXISTS (
          SELECT 1 FROM record r WHERE r.owner_id = a.owner_id AND r.zone = a.zone
          AND r.name = a.record AND r.deleted = 0))
      """
    case .assetBytes:
      """
      SELECT count(*) FROM (
        SELECT owner_id, id, sum(bytes) AS bytes FROM (
          SELECT owner_id, id, bytes FROM asset
          UNION ALL
          SELECT owner_id, asset, -sum(length(bytes)) FROM asset_chunk GROUP BY 1, 2) AS part
        GROUP BY 1, 2) AS sum
      WHERE bytes <> 0
      """
    case .history:
      """
      SELECT count(*) FROM (SELECT DISTINCT owner_id, zone FROM history) AS history
      WHERE owner_id NOT IN (SELECT id FROM owner)
      """
    case .zone:
      """
      SELECT count(*) FROM (
        SELECT owner_id, incarnation AS zone, sequence, mark FROM zone WHERE deleted = 0
        UNION ALL SELECT id, \(History.databaseZone), sequence, mark FROM owner) z
      WHERE (z.sequence, z.mark) <> (
        SELECT h.number, h.mark FROM history h WHERE h.owner_id = z.owner_id AND h.zone = z.zone
        ORDER BY h.number DESC LIMIT 1)
      """
    case .number:
      """
      SELECT count(*) FROM record r JOIN zone z ON z.owner_id = r.owner_id
        AND z.incarnation = r.zone JOIN owner o ON o.id = r.owner_id
      WHERE o.database = '\(DatabaseScope.private.rawValue)' AND r.number > z.sequence
      """
    }
  }
}
