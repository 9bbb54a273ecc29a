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
      _ = try connection.run(
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
      _ = try connection.run("INSERT INTO thing (id, count, text) VALUES (1, 2, '3')", [])
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
      #expect(try connection.run("UPDATE thing SET count = 1 WHERE id > ?", [0]) == 2)
      #expect(try connection.run("UPDATE thing SET count = 1 WHERE id > ?", [7]) == 0)
      #expect(
        try connection.run("INSERT INTO thing (id) VALUES (?) ON CONFLICT DO NOTHING", [0]) == 0)
      let id = try connection.insertedID("INSERT INTO thing (id) VALUES (?) RETURNING id", [9])
      #expect(id == 9)
      let rest = try connection.rows("DELETE FROM thing RETURNING id") { try $0[0] as Int }
      #expect(rest.sorted() == [0, 1, 2, 9])
    }
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
