import GRDB

@testable import RecordServer
@testable import RecordServiceSupport

extension SQLiteRecordStorage {
  /// How many rows each table has.
  func rowCounts() throws -> [String: Int] {
    try database.read { database in
      let tables = try String.fetchAll(
        database,
        sql: """
          SELECT name FROM sqlite_schema WHERE type = 'table'
          AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'grdb%'
          """)
      var counts: [String: Int] = [:]
      for table in tables {
        counts[table] = try Int.fetchOne(database, sql: "SELECT count(*) FROM \(table)")
      }
      return counts
    }
  }
}
