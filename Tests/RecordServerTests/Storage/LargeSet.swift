import CloudRecords
import GRDB

@testable import RecordServer
@testable import RecordServiceSupport

/// 200,000 records of 2,000 owners, analysed: one private database of 50,000, the public one
/// of 20,000, and small ones.
///
/// Records of the type Item are named `n000000`, `n000001` and so on. `word` is different for each
/// record, in another order than the names; `kind` is the same for all records, `group` for one in
/// 100, `pair` for two.
struct LargeSet {
  static let schema = "DEFINE SCHEMA\n" + type
  static let type = """
    RECORD TYPE Item (
      "___recordID" REFERENCE QUERYABLE,
      word STRING QUERYABLE SORTABLE, kind STRING QUERYABLE SORTABLE, "group" STRING QUERYABLE,
      pair STRING QUERYABLE,
      GRANT CREATE TO "_icloud", GRANT READ, WRITE TO "_creator"
    );
    """
  static let records = 200_000
  static let owners = 2000
  static let large = 50_000
  static let inPublic = 20_000

  /// Account 1, whose database is the large one.
  static let an = ServiceFixture.an

  static func name(_ index: Int) -> String { "n" + padded(index) }
  /// The word at position `index` in the order of words.
  static func word(_ index: Int) -> String { "w" + padded(index) }

  private static func padded(_ index: Int) -> String {
    let digits = String(index)
    return String(repeating: "0", count: 6 - digits.count) + digits
  }

  /// Fills the databases of the fixture's container in production.
  static func fill(_ fixture: ServiceFixture) async throws {
    _ = try await fixture.service.zonesList(at: ServiceFixture.private, by: an)
    _ = try await fixture.service.zonesList(at: ServiceFixture.public, by: an)
    guard let storage = fixture.storage as? SQLiteRecordStorage else { return }
    try await storage.database.write { database in
      try database.execute(
        sql: """
          WITH RECURSIVE account (id) AS (
            VALUES (1000) UNION ALL SELECT id + 1 FROM account WHERE id < 1000 + :small - 1)
          INSERT INTO owner (container, environment, database, account, sequence)
          SELECT container, environment, 'private', id, 1 FROM account, (
            SELECT container, environment FROM owner WHERE account = 1)
          """, arguments: ["small": owners - 2])
      try database.execute(
        sql: """
          INSERT OR IGNORE INTO zone (owner_id, name, incarnation, sequence, changed)
          SELECT id, '_defaultZone', 1, 0, 1 FROM owner
          """)
      // Each small database gets the same number of records, and the first one also the remainder.
      let small = records - large - inPublic
      try database.execute(
        sql: """
          CREATE TEMP TABLE size AS
          SELECT id, CASE WHEN database = 'public' THEN :public WHEN account = 1 THEN :large
            ELSE :small / :count + (account = 1000) * (:small % :count) END AS count
          FROM owner;
          """,
        arguments: [
          "public": inPublic, "large": large, "small": small, "count": owners - 2,
        ])
      try database.execute(
        sql: """
          CREATE TEMP TABLE item AS
          WITH RECURSIVE place (owner_id, number, count) AS (
            SELECT id, 0, count FROM size
            UNION ALL SELECT owner_id, number + 1, count FROM place WHERE number + 1 < count)
          SELECT owner_id, number, printf('n%06d', number) AS name,
            -- 7919 is prime to all the counts, so this puts them into another order.
            printf('w%06d', number * 7919 % count) AS word,
            printf('g%02d', number % 100) AS "group", printf('p%05d', number / 2) AS pair
          FROM place ORDER BY 1, 2;
          INSERT INTO record (owner_id, zone, name, type, number, deleted, content, sealed, bytes,
            created_at, created_by, modified_at, modified_by, creator)
          SELECT owner_id, 1, name, 'Item', item.number + 1, 0, CAST(printf(
            '{"group":{"type":"STRING","value":"%s"},"kind":{"type":"STRING","value":"k"},'
            || '"pair":{"type":"STRING","value":"%s"},"word":{"type":"STRING","value":"%s"}}',
            "group", pair, word) AS BLOB), NULL, 50, 0, '_', 0, '_',
            CASE WHEN owner.database = 'public' THEN 1 + item.number / 50 END
          FROM item JOIN owner ON owner.id = item.owner_id;
          UPDATE zone SET sequence = (SELECT count FROM size WHERE id = owner_id);
          UPDATE sequence SET number = \(inPublic) WHERE name = 'public';
          INSERT INTO usage
          SELECT owner_id, coalesce(creator, (SELECT account FROM owner WHERE id = owner_id)),
            sum(bytes), count(*)
          FROM record GROUP BY 1, 2;
          """)
      // The key of a string is `0` and the string, that of a reference `P` and the record name.
      for (field, key) in [
        ("___recordID", "'P' || name"), ("word", "'0' || word"), ("kind", "'0k'"),
        ("group", "'0' || \"group\""), ("pair", "'0' || pair"),
      ] {
        try database.execute(
          sql: """
            INSERT INTO entry
            SELECT owner_id, 1, (SELECT id FROM field
              WHERE environment = 'production' AND type = 'Item' AND name = ?),
              CAST(\(key) AS BLOB), name
            FROM item ORDER BY 1, 4, 5;
            """, arguments: [field])
      }
      try database.execute(sql: "DROP TABLE item; DROP TABLE size; ANALYZE")
    }
  }
}
