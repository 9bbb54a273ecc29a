import Foundation
import GRDB
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

/// Copies of single tables.
@Suite struct TableCopyTests {
  private func database(_ sql: String) throws -> DatabaseQueue {
    let queue = try DatabaseQueue()
    try queue.write { database in
      try database.execute(
        sql: """
          CREATE TABLE thing (
            id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT, bytes BLOB, count INTEGER NOT NULL
          ) STRICT;
          \(sql)
          """)
    }
    return queue
  }

  private func copy(_ source: DatabaseQueue, _ target: DatabaseQueue) throws -> Int {
    try source.read { source in
      try target.write { target in
        let source = SQLiteConnection(source)
        let table = try #require(try TableShape.all(in: source).first)
        var steps = 0
        let rows = try TableCopy(
          table: table, source: source, target: SQLiteConnection(target)
        ).run { steps += 1 }
        #expect(steps == 2 * rows)
        return rows
      }
    }
  }

  @Test(arguments: [0, 1, 63, 64, 65, 200])
  func allRowsAreCopied(_ count: Int) throws {
    let source = try database("")
    try source.write { database in
      for number in 0..<count {
        try database.execute(
          sql: "INSERT INTO thing (text, bytes, count) VALUES (?, ?, ?)",
          arguments: [
            number % 3 == 0 ? nil : "t\(number)", number % 2 == 0 ? nil : Data([1, 2]), number,
          ])
      }
    }
    // The rows of the target are replaced.
    let target = try database("INSERT INTO thing (count) VALUES (7)")
    #expect(try copy(source, target) == count)
    let rows = "SELECT * FROM thing ORDER BY id"
    #expect(
      try source.read { try Row.fetchAll($0, sql: rows) }
        == target.read { try Row.fetchAll($0, sql: rows) })
  }

  @Test(arguments: [
    "UPDATE thing SET text = 'other' WHERE id = 2", "DELETE FROM thing WHERE id = 2",
    "UPDATE thing SET text = NULL WHERE id = 2", "UPDATE thing SET bytes = x'00' WHERE id = 2",
    "INSERT OR IGNORE INTO thing (id, count) VALUES (9, 9)",
  ])
  func aDifferenceIsNoticed(_ change: String) throws {
    let source = try database(
      "INSERT INTO thing (text, count) VALUES ('a', 1), ('b', 2), ('c', 3)")
    let target = try database(
      "CREATE TRIGGER wrong AFTER INSERT ON thing WHEN new.id = 3 BEGIN \(change); END")
    #expect(throws: MoveFailure.differs(table: "thing")) { try copy(source, target) }
    #expect(try target.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM thing") } == 0)
  }
}
