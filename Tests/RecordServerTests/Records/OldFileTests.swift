import CloudRecords
import Foundation
import GRDB
import TestSupport
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

/// Files from before marks were introduced, and the tags and tokens that clients have from then.
@Suite(.onlySQLite) struct OldFileTests {
  private static let key = TokenSigner(secret: ServiceFixture.secret)
  private static let epoch: Int64 = 77

  /// Writes a file without marks. It has a zone with two records and a tombstone, a deleted zone,
  /// and a public record.
  private func oldFile(_ path: String) async throws {
    let queue = try DatabaseQueue(path: path)
    try RecordTables.migrator.migrate(queue, upTo: "records-1")
    let schema = ServiceFixture.schema.replacing(
      "\"___createTime\" TIMESTAMP",
      with: "\"___etag\" STRING QUERYABLE, \"___createTime\" TIMESTAMP")
    try await queue.write { database in
      try database.execute(
        sql: """
          INSERT INTO container VALUES (:container, 1);
          INSERT INTO environment SELECT name, 'production', :schema, 1, \(Self.epoch), 0
            FROM container;
          INSERT INTO field (container, environment, type, name)
            VALUES (:container, 'production', 'Note', '___recordID'),
            (:container, 'production', 'Note', '___etag');
          INSERT INTO owner VALUES
            (1, :container, 'production', 'private', 1, 5, 0, 0),
            (2, :container, 'production', 'public', 0, 1, 0, 0);
          INSERT INTO zone VALUES (1, '_defaultZone', 1, 5, 5, 0, 0), (1, 'Gone', 3, 2, 4, 0, 1),
            (2, '_defaultZone', 1, 0, 1, 0, 0);
          UPDATE sequence SET number = 9;
          """,
        arguments: [
          "container": ServiceFixture.container.name,
          "schema": try Schema(parsing: schema).description,
        ])
      for (owner, type, name, number) in [
        (1, "Note", "a", 1), (1, "Note", "b", 2), (1, "Note", "gone", 4), (2, "Post", "p", 7),
      ] {
        try database.execute(
          sql: """
            INSERT INTO record VALUES (?, 1, ?, ?, ?, ?, CAST('{}' AS BLOB), NULL, 10, 1, '_', 1, '_', ?, NULL)
            """,
          arguments: [owner, name, type, number, name == "gone", owner == 2 ? 1 : nil])
      }
      try database.execute(
        sql: """
          INSERT INTO entry VALUES (1, 1, 1, CAST('Pa' AS BLOB), 'a'),
            (1, 1, 1, CAST('Pb' AS BLOB), 'b'), (1, 1, 2, CAST('01' AS BLOB), 'a'),
            (1, 1, 2, CAST('02' AS BLOB), 'b');
          INSERT INTO usage VALUES (1, 1, 20, 2), (2, 1, 10, 1);
          """)
    }
    try queue.close()
  }

  /// A service that opens a file.
  private func open(_ path: String) throws -> (service: RecordService, SQLiteRecordStorage) {
    let storage = try SQLiteRecordStorage(path: path)
    return (RecordService(on: storage), storage)
  }

  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  private func lookup(
    _ service: RecordService, _ name: String, witness: String? = nil,
    at address: DatabaseAddress = ServiceFixture.private
  ) async throws -> (record: CloudRecords.Record?, history: HistoryReport) {
    let reported = await service.lookup(
      .init(records: [.init(name)]), at: address, by: ServiceFixture.an, witness: witness)
    return (try reported.get().records.first?.record, try #require(reported.history))
  }

  private func modify(
    _ service: RecordService, _ operation: Operation
  ) async throws -> RecordResult {
    try #require(
      try await service.modify(
        .init(operations: [operation]), at: ServiceFixture.private, by: ServiceFixture.an
      ).records.first)
  }

  /// A token without a mark, as earlier versions issued it.
  private func oldToken(
    _ number: Int64, horizon: Int64? = nil, epoch: Int64 = OldFileTests.epoch,
    incarnation: Int64 = 1
  ) -> String {
    let content =
      Data(bigEndian: epoch) + Data(bigEndian: incarnation) + Data(bigEndian: number)
      + Data(bigEndian: horizon ?? number)
    let owner = OwnerID(rawValue: 1)
    return Self.key.sign(
      content,
      for: incarnation == 0
        ? .init(kind: .database, owner: owner)
        : .init(kind: .zone, owner: owner, zone: ZoneID.defaultName))
  }

  @Test func copiesOfAFileGetTheSameMarks() async throws {
    let path = directory.path + "/a"
    try await oldFile(path)
    try FileManager.default.copyItem(atPath: path, toPath: path + "-copy")
    let (first, one) = try open(path)
    let (second, two) = try open(path + "-copy")
    for name in ["a", "b"] {
      for service in [first, second] {
        let tag = try await lookup(service, name).record?.recordChangeTag
        #expect(tag == (name == "a" ? "1" : "2"))
      }
    }
    let newest = try await lookup(first, "a").history.newest
    #expect(newest.tagNumber == 5)
    #expect(try await lookup(second, "a").history.newest == newest)
    let post = try await lookup(first, "p", at: ServiceFixture.public)
    #expect(post.record?.recordChangeTag == "7")
    #expect(post.history.newest.tagNumber == 9)
    for storage in [one, two] { #expect(try await storage.faults() == []) }

    // From here on the histories differ, but both services know the part that they share.
    _ = try await modify(first, Operation(.create, note("c")))
    _ = try await modify(second, Operation(.create, note("c")))
    let lost = try await lookup(first, "c").history.newest
    #expect(lost.tagNumber == 6)
    #expect(try await lookup(second, "a", witness: lost).history.verdict == .forked)
    #expect(try await lookup(second, "a", witness: newest).history.verdict == .current)
    // A record's tag without a mark is not a valid witness.
    #expect(try await lookup(second, "a", witness: "1").history.verdict == .forked)
    for number in 1...5 as ClosedRange<Int64> {
      let mark = try await one.read { try $0.legacyMark(of: number) }
      let witness = ChangeTag(number: number, mark: mark).description
      #expect(try await lookup(second, "a", witness: witness).history.verdict == .current)
      let wrong = ChangeTag(number: number, mark: Mark(stored: 1)).description
      #expect(try await lookup(second, "a", witness: wrong).history.verdict == .forked)
    }
    try one.close()
    try two.close()
  }

  @Test func aRecordKeepsItsOldTagUntilItIsSaved() async throws {
    let path = directory.path + "/a"
    try await oldFile(path)
    let (service, storage) = try open(path)
    func update(_ tag: String) async throws -> RecordResult {
      try await modify(service, Operation(.update, note("a", ["rank": .int64(1)], tag: tag)))
    }
    // The number alone is the tag: no mark belongs to it, not even the computed one.
    let computed = ChangeTag(number: 1, mark: try await storage.read { try $0.legacyMark(of: 1) })
    for tag in ["2", "01", "1-", "1-0000000000000001", computed.description] {
      #expect(try await update(tag).error?.code == .conflict)
    }
    let record = try #require(try await update("1").record)
    let tag = try #require(record.recordChangeTag)
    #expect(tag.tagNumber == 6)
    #expect(try await lookup(service, "a").record?.recordChangeTag == tag)
    for tag in ["1", "6"] { #expect(try await update(tag).error?.code == .conflict) }
    let deleted = try await modify(service, Operation(.delete, note("b", tag: "2", type: nil)))
    #expect(deleted.tombstone != nil)
    _ = try await modify(service, Operation(.delete, note("a", tag: tag, type: nil)))
    // The old tombstone does not name the deleted version; the new ones do.
    let tombstones = try await service.read(nil).page.get().records.compactMap(\.tombstone)
    #expect(tombstones.map(\.recordName) == ["gone", "b", "a"])
    #expect(tombstones.map(\.deletedChangeTag) == [nil, "2", tag])
    #expect(tombstones.first?.recordChangeTag == "4")
    #expect(tombstones.dropFirst().map { $0.recordChangeTag?.tagNumber } == [7, 8])
    #expect(try await storage.faults() == [])
    try storage.close()
  }

  @Test func oldTokensAreReplacedByNewOnes() async throws {
    let path = directory.path + "/a"
    try await oldFile(path)
    let (service, storage) = try open(path)
    _ = try await modify(service, Operation(.create, note("c")))
    let (page, history) = try await service.read(oldToken(1))
    #expect(try page.get().records.summary == ["b", "-gone", "c"])
    #expect(history.tokenProblem == nil)
    // The returned token is a new one, even in the middle of the old part.
    let first = try await service.read(oldToken(0, horizon: 3), limit: 1).page.get()
    let next = try await service.read(first.syncToken, limit: 2).page.get()
    let last = try await service.read(next.syncToken).page.get()
    #expect(first.records.summary == ["a"])
    #expect(next.records.summary == ["b", "-gone"])
    #expect(last.records.summary == ["c"])
    for page in [first, next, last] {
      // The length of a new token: five numbers, the kind and the signature.
      #expect(Data(base64Encoded: page.syncToken ?? "")?.count == 73)
    }
    // A token with a higher number than the file has is of another history, whatever its epoch.
    for token in [oldToken(6), oldToken(1, horizon: 6), oldToken(6, epoch: 1)] {
      let (page, history) = try await service.read(token)
      #expect(page.error?.code == .changeTokenExpired)
      #expect(history.tokenProblem == .forked)
    }
    let (reset, report) = try await service.read(oldToken(1, epoch: 1))
    #expect(reset.error?.cause == .resetToken)
    #expect(report.tokenProblem == .expired)
    // The same rules apply to the tokens of databases.
    func database(_ token: String) async throws -> ChangesDatabase.Response {
      try await service.changesDatabase(
        .init(syncToken: token), at: ServiceFixture.private, by: ServiceFixture.an)
    }
    let zones = try await database(oldToken(2, incarnation: 0)).zones.compactMap(\.value)
    #expect(zones.map(\.zoneID.zoneName) == ["Gone", "_defaultZone"])
    #expect(
      await serviceError { try await database(oldToken(6, incarnation: 0)) }?.code
        == .changeTokenExpired)
    try storage.close()
  }

  /// An old tag is a number alone. A new version may have the same number, but has a mark.
  @Test func anOldTagDoesNotMatchTheSameNumberWithAMark() async throws {
    let path = directory.path + "/a"
    try await oldFile(path)
    let (service, storage) = try open(path)
    let record = try #require(
      try await modify(service, Operation(.create, note("c"))).record)
    #expect(record.recordChangeTag?.tagNumber == 6)
    for tag in ["6", "6-0000000000000001"] {
      let update = Operation(.update, note("c", ["rank": .int64(1)], tag: tag))
      #expect(try await modify(service, update).error?.code == .conflict)
    }
    try storage.close()
  }

  /// Old tags are found as before, without a job that indexes them again.
  @Test func queriesByOldTagsWorkWithoutReindexing() async throws {
    let path = directory.path + "/a"
    try await oldFile(path)
    let (service, storage) = try open(path)
    func names(_ tag: String) async throws -> [String] {
      try await service.query(
        .init(Query("Note", filters: [Filter("___etag", .equals, .string(tag))])),
        at: ServiceFixture.private, by: ServiceFixture.an
      ).records.compactMap(\.recordName)
    }
    #expect(try await storage.read { try $0.jobs() }.isEmpty)
    #expect(try await names("2") == ["b"])
    let update = Operation(.update, note("b", ["rank": .int64(1)], tag: "2"))
    let tag = try #require(try await modify(service, update).record?.recordChangeTag)
    #expect(try await names(tag) == ["b"])
    #expect(try await names("2") == [])
    #expect(try await storage.faults() == [])
    try storage.close()
  }
}
