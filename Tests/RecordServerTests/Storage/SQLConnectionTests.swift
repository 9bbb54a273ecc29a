import Foundation
import GRDB
import NIOConcurrencyHelpers
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

/// Values on their way into an SQL database and out of it.
@Suite struct SQLConnectionTests {
  /// The databases that are deleted after the test.
  private let places = NIOLockedValueBox<[TestDatabase]>([])

  private func database() async throws -> any SQLDatabase {
    let database: any SQLDatabase
    let types: (integer: String, bytes: String)
    if StorageFactory.isPostgreSQL {
      let place = try PostgreSQLServer.shared.get().makeDatabase()
      places.withLockedValue { $0.append(place) }
      database = PostgreSQLDatabase(pool: PostgreSQLPool(place.address), isolation: .locking)
      types = ("BIGINT", "BYTEA")
    } else {
      database = SQLiteDatabase(database: try DatabaseQueue())
      types = ("INTEGER", "BLOB")
    }
    try await database.write { connection in
      try connection.run(
        """
        CREATE TABLE thing (
          id \(types.integer) PRIMARY KEY, count \(types.integer), text TEXT,
          bytes \(types.bytes), flag \(types.integer)
        )
        """, [])
    }
    return database
  }

  @Test func valuesAreReadAsTheyWereWritten() async throws {
    let database = try await database()
    let text = "Lời \u{1F54C}\r\n"
    let bytes = Data([0, 255, 10])
    try await database.write { connection in
      try connection.run(
        "INSERT INTO thing VALUES (?, ?, ?, ?, ?)", [1, Int64.min, text, bytes, true])
      try connection.run(
        "INSERT INTO thing VALUES (?, ?, ?, ?, ?)", [2, Int.max, "", Data(), false])
      try connection.run(
        "INSERT INTO thing VALUES (?, ?, ?, ?, ?)",
        [3, nil as Int64?, nil as String?, nil as Data?, nil as Bool?])
    }
    let things = try await database.read(within: nil) { connection in
      try connection.rows("SELECT * FROM thing ORDER BY id") { row in
        (
          columns: row.count, count: try row[1] as Int64?, text: try row["text"] as String?,
          bytes: try row[3] as Data?, flag: try row["flag"] as Bool?
        )
      }
    }
    #expect(things.map(\.columns) == [5, 5, 5])
    #expect(things.map(\.count) == [.min, .max, nil])
    #expect(things.map(\.text) == [text, "", nil])
    #expect(things.map(\.bytes) == [bytes, Data(), nil])
    #expect(things.map(\.flag) == [true, false, nil])
  }

  @Test func otherTypesAreReported() async throws {
    let database = try await database()
    try await database.write { connection in
      try connection.run("INSERT INTO thing (id, count, text) VALUES (1, 2, '3')", [])
    }
    func expect(_ column: String, _ read: @escaping @Sendable (any SQLRow) throws -> Void) async {
      await #expect(throws: StorageFailure.failed(.damaged(.column(column)))) {
        try await database.read(within: nil) { connection in
          try connection.row("SELECT * FROM thing", [], read)
        }
      }
    }
    await expect("text") { _ = try $0["text"] as Int }
    await expect("count") { _ = try $0[1] as String }
    await expect("count") { _ = try $0[1] as Data? }
    await expect("bytes") { _ = try $0["bytes"] as Data }
    await expect("other") { _ = try $0["other"] as Int? }
  }

  @Test func changedRowsAreCounted() async throws {
    let database = try await database()
    try await database.write { connection in
      for id in 0..<3 { try connection.run("INSERT INTO thing (id) VALUES (?)", [id]) }
      #expect(try connection.changedRows("UPDATE thing SET count = 1 WHERE id > ?", [0]) == 2)
      #expect(try connection.changedRows("UPDATE thing SET count = 1 WHERE id > ?", [7]) == 0)
      let sql = "INSERT INTO thing (id) VALUES (?) ON CONFLICT DO NOTHING"
      #expect(try connection.changedRows(sql, [0]) == 0)
      let id = try connection.insertedID("INSERT INTO thing (id) VALUES (?) RETURNING id", [9])
      #expect(id == 9)
      let rest = try connection.rows("DELETE FROM thing RETURNING id") { try $0[0] as Int }
      #expect(rest.sorted() == [0, 1, 2, 9])
    }
  }

  @Test(arguments: [0, 1, 9, 10, 11, 35])
  func manyRowsAreInserted(_ count: Int) async throws {
    let database = try await database()
    try await database.write { connection in
      func insert(_ count: Int64) throws {
        try connection.insert(
          (0..<40).prefix(Int(count)).map { [$0, count, "t\($0)", nil as Data?, $0 == 3] },
          into: "thing", atOnce: 10, "ON CONFLICT (id) DO UPDATE SET count = excluded.count")
      }
      try insert(Int64(count / 2))
      try insert(Int64(count))
    }
    let rows = try await database.read(within: nil) { connection in
      try connection.rows("SELECT id, count, text, bytes, flag FROM thing ORDER BY id") { row in
        "\(try row[0] as Int) \(try row[1] as Int) \(try row[2] as String) "
          + "\(row.isNull(3)) \(try row[4] as Bool)"
      }
    }
    #expect(rows == (0..<count).map { "\($0) \(count) t\($0) true \($0 == 3)" })
  }

  /// A statement for many rows has at most 1 MB of texts and bytes.
  @Test(arguments: [
    (Array(repeating: 90_000, count: 21), [10, 10, 1]),
    (Array(repeating: 110_000, count: 12), Array(repeating: 1, count: 12)),
    ([1_100_000] + Array(repeating: 9, count: 20), [1, 10, 10]),
  ])
  func largeRowsAreInsertedOneByOne(_ lengths: [Int], _ counts: [Int]) async throws {
    let database = TracedDatabase(try await database())
    try await database.write { connection in
      try connection.insert(
        lengths.enumerated().map { [$0, String(repeating: "a", count: $1)] },
        into: "thing (id, text)", atOnce: 10)
    }
    let statements = database.removeAll().flatMap(\.statements)
    #expect(statements.map { $0.arguments.count / 2 } == counts)
    let stored = try await database.read(within: nil) { connection in
      try connection.rows("SELECT length(text) FROM thing ORDER BY id") { try $0[0] as Int }
    }
    #expect(stored == lengths)
  }

  /// A connection takes more rows than its buffers can hold, even if the caller does not wait for
  /// each result.
  @Test func oneTransactionHasAnyNumberOfStatements() async throws {
    let database = try await database()
    let text = String(repeating: "a", count: 10_000)
    try await database.write { connection in
      for id in 0..<2000 {
        try connection.run("INSERT INTO thing (id, text) VALUES (?, ?)", [id, text])
      }
    }
    let sum = try await database.read(within: nil) { connection in
      try connection.row("SELECT count(*), min(length(text)) FROM thing") {
        [try $0[0] as Int, try $0[1] as Int]
      }
    }
    #expect(sum == [2000, text.count])
  }

  /// The transaction fails with the error of the statement, whatever follows the statement.
  @Test func aFailedStatementIsReported() async throws {
    let database = try await database()
    try await database.write { try $0.run("INSERT INTO thing (id) VALUES (1)", []) }
    var failures: [StorageFailure] = []
    for ending in 0..<3 {
      for sql in [
        "INSERT INTO thing (id, count) VALUES (?, 1 / 0)", "INSERT INTO thing (id) VALUES (?)",
      ] {
        do {
          try await database.write { connection in
            try connection.run("INSERT INTO thing (id) VALUES (2)", [])
            // The key is a duplicate even when the transaction is repeated.
            try connection.run(sql, [1])
            if ending > 0 { try connection.run("UPDATE thing SET count = 7", []) }
            if ending > 1 { _ = try connection.rows("SELECT id FROM thing") { _ in true } }
          }
          Issue.record("no failure")
        } catch let failure as StorageFailure {
          failures.append(failure)
        }
      }
    }
    // In SQLite, 1 / 0 is NULL.
    let kinds = StorageFactory.isPostgreSQL ? 2 : 1
    #expect(failures.count == 6 && Set(failures).count == kinds, "\(failures)")
    let ids = try await database.read(within: nil) { connection in
      try connection.rows("SELECT id FROM thing WHERE count IS NULL") { try $0[0] as Int }
    }
    #expect(ids == [1])
  }

  @Test func argumentsAreCounted() async throws {
    let database = try await database()
    for arguments in [[], [1, 2]] {
      await #expect(throws: StorageFailure.self) {
        try await database.write { connection in
          try connection.run("INSERT INTO thing (id) VALUES (?)", arguments)
        }
      }
    }
  }

  /// A page that ends early does not keep the statement busy.
  @Test func rowsCanBeLeftUnread() async throws {
    let database = try await database()
    try await database.write { connection in
      for id in 0..<3 { try connection.run("INSERT INTO thing (id) VALUES (?)", [id]) }
      for lifetime in [SQLStatementLifetime.connection, .transaction] {
        for _ in 0..<2 {
          var ids: [Int] = []
          try connection.forEachRow("SELECT id FROM thing ORDER BY id", [], lifetime: lifetime) {
            row in
            ids.append(try row[0])
            return ids.count < 2
          }
          #expect(ids == [0, 1])
        }
      }
      #expect(try connection.hasTable("thing"))
      #expect(try !connection.hasTable("nothing"))
    }
  }
}
