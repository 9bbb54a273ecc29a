import CloudRecords

@testable import RecordServer
@testable import RecordServiceSupport

/// 200,000 records of 2,000 owners, with statistics of the engine: one private database of 50,000
/// records, the public one of 20,000, and small ones.
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
    try await fixture.database.write { connection in
      for sql in statements(connection.dialect) { _ = try connection.run(sql, []) }
      // The key of a string is `0` and the string, that of a reference `P` and the record name.
      for (field, key) in [
        ("___recordID", "'P' || name"), ("word", "'0' || word"), ("kind", "'0k'"),
        ("group", "'0' || \"group\""), ("pair", "'0' || pair"),
      ] {
        _ = try connection.run(
          """
          INSERT INTO entry
          SELECT owner_id, 1, (SELECT id FROM field
            WHERE environment = 'production' AND type = 'Item' AND name = ?),
            \(bytes(key, connection.dialect)), name
          FROM item ORDER BY 1, 4, 5
          """, [field])
      }
      for sql in ["DROP TABLE item", "DROP TABLE size", "ANALYZE"] {
        _ = try connection.run(sql, [])
      }
    }
  }

  /// The SQL of a text as bytes.
  private static func bytes(_ text: String, _ dialect: SQLDialect) -> String {
    switch dialect {
    case .sqlite: "CAST(\(text) AS BLOB)"
    case .postgresql: "convert_to(\(text), 'UTF8')"
    }
  }

  /// The SQL of a number as text with leading zeros.
  private static func padded(_ number: String, _ digits: Int) -> String {
    "substr(CAST(1\(String(repeating: "0", count: digits)) + \(number) AS TEXT), 2)"
  }

  /// The statements that create owners, zones and records, and the table `item`, from which the
  /// index entries are made.
  private static func statements(_ dialect: SQLDialect) -> [String] {
    // Each small database gets the same number of records, and the first one also the remainder.
    let small = records - large - inPublic
    let count = owners - 2
    let content = """
      '{"group":{"type":"STRING","value":"' || "group"
      || '"},"kind":{"type":"STRING","value":"k"},"pair":{"type":"STRING","value":"' || pair
      || '"},"word":{"type":"STRING","value":"' || word || '"}}'
      """
    return [
      """
      INSERT INTO owner (container, environment, database, account, sequence)
      WITH RECURSIVE account (id) AS (
        SELECT 1000 UNION ALL SELECT id + 1 FROM account WHERE id < 1000 + \(count) - 1)
      SELECT container, environment, 'private', id, 1 FROM account, (
        SELECT container, environment FROM owner WHERE account = 1) AS first
      """,
      """
      INSERT INTO zone (owner_id, name, incarnation, sequence, changed)
      SELECT id, '_defaultZone', 1, 0, 1 FROM owner WHERE TRUE ON CONFLICT DO NOTHING
      """,
      """
      CREATE TEMP TABLE size AS
      SELECT id, CASE WHEN database = 'public' THEN \(inPublic) WHEN account = 1 THEN \(large)
        WHEN account = 1000 THEN \(small / count + small % count) ELSE \(small / count) END AS count
      FROM owner
      """,
      // 7919 is prime to all the counts, so this puts the words into another order.
      """
      CREATE TEMP TABLE item AS
      WITH RECURSIVE place (owner_id, number, count) AS (
        SELECT id, 0, count FROM size
        UNION ALL SELECT owner_id, number + 1, count FROM place WHERE number + 1 < count)
      SELECT owner_id, number, 'n' || \(padded("number", 6)) AS name,
        'w' || \(padded("number * 7919 % count", 6)) AS word,
        'g' || \(padded("number % 100", 2)) AS "group", 'p' || \(padded("number / 2", 5)) AS pair
      FROM place ORDER BY 1, 2
      """,
      """
      INSERT INTO record (owner_id, zone, name, type, number, deleted, content, sealed, bytes,
        created_at, created_by, modified_at, modified_by, creator)
      SELECT owner_id, 1, name, 'Item', item.number + 1, 0, \(bytes(content, dialect)), NULL, 50, 0,
        '_', 0, '_', CASE WHEN owner.database = 'public' THEN 1 + item.number / 50 END
      FROM item JOIN owner ON owner.id = item.owner_id
      """,
      "UPDATE zone SET sequence = (SELECT count FROM size WHERE id = owner_id)",
      "UPDATE sequence SET number = \(inPublic) WHERE name = 'public'",
      """
      INSERT INTO usage
      SELECT owner_id, coalesce(creator, (SELECT account FROM owner WHERE id = owner_id)),
        sum(bytes), count(*)
      FROM record GROUP BY 1, 2
      """,
    ]
  }
}
