import CloudRecords
import GRDB

extension SQLiteRecordStorage {
  /// Checks the integrity of the file and the consistency of redundant data.
  ///
  /// - Returns: a description of each fault, without record names; empty if there are no faults.
  public func problems() async throws(StorageFailure) -> [String] {
    do {
      return try await database.read { database in
        let check = try String.fetchAll(database, sql: "PRAGMA integrity_check(10)")
        guard check == ["ok"] else { return check }
        return try Self.checks.compactMap { check in
          let count = try Int.fetchOne(database, sql: check.sql) ?? 0
          return count == 0 ? nil : "\(count) \(check.fault)"
        }
      }
    } catch {
      throw StorageFailure(error)
    }
  }

  private static let checks: [(fault: String, sql: String)] = [
    (
      "accounts whose usage is not the sum of their records",
      """
      SELECT count(*) FROM (
        SELECT owner_id, account, sum(bytes) AS bytes, sum(records) AS records FROM (
          SELECT owner_id, account, bytes, records FROM usage
          UNION ALL
          SELECT owner_id, coalesce(creator, (SELECT account FROM owner WHERE id = owner_id)),
            -sum(bytes), -count(*)
          FROM record WHERE deleted = 0 GROUP BY 1, 2)
        GROUP BY 1, 2)
      WHERE bytes <> 0 OR records <> 0
      """
    ),
    (
      "index entries without a record",
      """
      SELECT count(*) FROM entry e WHERE NOT EXISTS (
        SELECT 1 FROM record r WHERE r.owner_id = e.owner_id AND r.zone = e.zone
        AND r.name = e.name AND r.deleted = 0)
      """
    ),
    (
      "references without a record",
      """
      SELECT count(*) FROM reference e WHERE NOT EXISTS (
        SELECT 1 FROM record r WHERE r.owner_id = e.owner_id AND r.zone = e.zone
        AND r.name = e.holder AND r.deleted = 0)
      """
    ),
    (
      "records without an owner",
      "SELECT count(*) FROM record WHERE owner_id NOT IN (SELECT id FROM owner)"
    ),
    (
      "histories without an owner",
      """
      SELECT count(*) FROM (SELECT DISTINCT owner_id, zone FROM history)
      WHERE owner_id NOT IN (SELECT id FROM owner)
      """
    ),
    (
      "zones that are not where their histories end",
      """
      SELECT count(*) FROM (
        SELECT owner_id, incarnation AS zone, sequence, mark FROM zone WHERE deleted = 0
        UNION ALL SELECT id, \(History.database), sequence, mark FROM owner) z
      WHERE (z.sequence, z.mark) <> (
        SELECT h.number, h.mark FROM history h WHERE h.owner_id = z.owner_id AND h.zone = z.zone
        ORDER BY h.number DESC LIMIT 1)
      """
    ),
    (
      "records ahead of their zones",
      """
      SELECT count(*) FROM record r JOIN zone z ON z.owner_id = r.owner_id
        AND z.incarnation = r.zone JOIN owner o ON o.id = r.owner_id
      WHERE o.database = '\(DatabaseScope.private.rawValue)' AND r.number > z.sequence
      """
    ),
  ]
}
