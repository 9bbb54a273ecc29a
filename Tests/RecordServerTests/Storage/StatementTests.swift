import CloudRecords
import Foundation
import GRDB
import TestSupport
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

/// The SQL statements of the service.
@Suite struct StatementTests {
  /// Uses all functions of the service.
  private func exercise(_ fixture: ServiceFixture) async throws {
    let an = ServiceFixture.an
    for caller in [an, ServiceFixture.binh] {
      try await fixture.makeZone(by: caller)
      for index in 0..<5 {
        let fields: [String: FieldValue] = [
          "text": .string("t\(index)"), "rank": .int64(Int64(index)), "tags": .strings(["a", "b"]),
          "parentNote": .reference(Reference("n0", action: .deleteSelf)),
        ]
        try await fixture.save("n\(index)", fields, by: caller)
        try await fixture.save("n\(index)", fields, in: ServiceFixture.zone, by: caller)
        try await fixture.save(
          "\(caller.account)-\(index)", ["text": .string("x")], type: "Post",
          at: ServiceFixture.public, by: caller)
        try await fixture.save(
          "d\(caller.account)-\(index)", type: "Diary", at: ServiceFixture.public, by: caller)
      }
      _ = try await fixture.service.subscriptionsModify(
        .init(operations: [
          .init(.create, Subscription("q", .query, query: Query("Note"), firesOn: [.create])),
          .init(.create, Subscription("z", .zone, zoneID: ServiceFixture.zone)),
          .init(.update, Subscription("z", .zone, zoneID: ServiceFixture.zone)),
        ]), at: ServiceFixture.private, by: caller)
      _ = try await fixture.service.subscriptionsList(at: ServiceFixture.private, by: caller)
    }
    for caller in [an, ServiceFixture.binh] {
      for (type, field, address) in [
        ("Album", "cover", ServiceFixture.private), ("Poster", "image", ServiceFixture.public),
      ] {
        for name in ["kept", "replaced", "deleted"] {
          let name = "\(name)-\(caller.account)"
          let asset = try await fixture.upload(
            Data(name.utf8), field, type, at: address, by: caller)
          let saved = try await fixture.save(
            name, [field: .asset(asset)], type: type, at: address, by: caller)
          _ = try await fixture.download(saved[field]?.assets.first)
        }
        try await fixture.save("replaced-\(caller.account)", type: type, at: address, by: caller)
        try await fixture.delete("deleted-\(caller.account)", at: address, by: caller)
      }
    }
    try await fixture.service.deleteUnusedAssets()
    _ = try await fixture.lookup(["n1", "n2"])
    let queries = [
      Query("Note"), Query("Note", sorts: [Sort("rank", ascending: false), Sort("text")]),
      Query("Note", filters: [Filter("text", .equals, .string("t1"))]),
      Query(
        "Note",
        filters: [
          Filter("text", .isIn, .strings(["t1", "t2"])), Filter("rank", .greaterThan, .int64(0)),
          Filter("tags", .notListContains, .string("z")),
          Filter("tags", .listContainsAll, .strings(["a", "b"])),
        ], sorts: [Sort("rank")]),
      Query("Note", filters: [Filter("text", .beginsWith, .string("t"))]),
      Query("Note", filters: [Filter("text", .notEquals, .string("t"))]),
    ]
    for query in queries {
      _ = try await fixture.names(query, limit: 2)
      _ = try await fixture.names(query, wide: true, limit: 2)
    }
    _ = try await fixture.names(Query("Diary"), limit: 2, at: ServiceFixture.public)
    _ = try await fixture.feed(limit: 2)
    _ = try await fixture.service.changesDatabase(.init(), at: ServiceFixture.private, by: an)
    _ = try await fixture.service.zonesList(at: ServiceFixture.private, by: an)
    try await fixture.delete("n0")
    try await fixture.delete("1-0", at: ServiceFixture.public)
    fixture.clock.advance(10_000)
    _ = try await fixture.service.deleteTombstones()
    let witness = try await fixture.newest(ServiceFixture.zone)
    try await fixture.save("later", in: ServiceFixture.zone)
    for tag in [witness, "0-0000000000000000"] {
      _ = try await fixture.report(tag, zone: ServiceFixture.zone)
    }
    try await fixture.service.deleteMarks()
    try await fixture.save("x", ["fresh": .int64(1)], at: ServiceFixture.development)
    try await fixture.deleteZone()
    try await fixture.service.deploy(ServiceFixture.container)
    _ = try await fixture.service.deleteOwner(account: 2)
    _ = try await fixture.service.resetDevelopment(ServiceFixture.container)
  }

  private func fixture(_ trace: CostTrace) async throws -> ServiceFixture {
    let factory = StorageFactory(testDescription: "traced") { _ in
      try SQLiteRecordStorage(inMemory: trace.prepare)
    }
    return try await ServiceFixture(
      factory, schema: ServiceFixture.schema + LargeSet.type + ServiceFixture.assetTypes
    ) {
      $0.tombstoneLifetime = 1000
      $0.historyLength = 5
    }
  }

  /// Of the index entries of a changed record, those with other values are replaced.
  @Test func onlyChangedEntriesAreWritten() async throws {
    let trace = CostTrace()
    let fixture = try await fixture(trace)
    for (rank, tags) in [(1, ["a", "b"]), (2, ["b", "c"])] {
      _ = trace.take()
      try await fixture.save(
        "n", ["text": .string("t"), "rank": .int64(Int64(rank)), "tags": .strings(tags)])
    }
    let written = trace.take().map(\.sql).compactMap { sql in
      ["INSERT INTO entry", "DELETE FROM entry"].first { sql.hasPrefix($0) }
    }
    #expect(
      written.sorted() == ["DELETE FROM entry", "DELETE FROM entry"]
        + ["INSERT INTO entry", "INSERT INTO entry"])
    let found = try await fixture.names(
      Query("Note", filters: [Filter("tags", .listContains, .string("a"))]))
    #expect(found.isEmpty)
  }

  /// A change over HTTP reads the API token and the session in one transaction and writes in
  /// another; it reads subscriptions only if there are some.
  @Test func aChangeTakesTwoTransactions() async throws {
    let trace = CostTrace()
    try await WebFixture.run {
      $0.schema = ServiceFixture.schema
      $0.prepare = trace.prepare
    } _: { web in
      let an = try await web.person("an")
      let operations = [Operation(.forceReplace, note("n"))]
      try await web.modify(operations, as: an)
      _ = trace.take()
      try await web.modify(operations, as: an)
      let read = "BEGIN DEFERRED TRANSACTION"
      let write = "BEGIN IMMEDIATE TRANSACTION"
      #expect(trace.take().map(\.sql).filter { $0.hasPrefix("BEGIN") } == [read, write])
      let subscription = Subscription(
        "s", .query, query: Query("Note"), firesOn: [.create, .update])
      _ = try await web.post(
        SubscriptionsModify.self, .init(operations: [.init(.create, subscription)]), as: an)
      _ = trace.take()
      try await web.modify(operations, as: an)
      #expect(trace.take().map(\.sql).filter { $0.hasPrefix("BEGIN") } == [read, write, read])
    }
  }

  /// The tables that grow with the data of users.
  private static let tables = [
    "record", "entry", "reference", "subscription", "zone", "usage", "owner", "history", "asset",
    "asset_chunk",
  ]

  /// Neither by its plan nor when it runs, with many rows and SQLite's statistics of them.
  @Test func noStatementScansATable() async throws {
    let trace = CostTrace()
    let fixture = try await fixture(trace)
    try await LargeSet.fill(fixture)
    _ = trace.take()
    try await exercise(fixture)
    let storage = try #require(fixture.storage as? SQLiteRecordStorage)
    let taken = trace.take()
    for statement in taken where statement.scanned > 10 {
      Issue.record("\(statement.scanned) rows scanned: \(statement.expanded)")
    }
    let statements = Set(taken.map(\.sql)).filter { sql in
      ["SELECT", "INSERT", "UPDATE", "DELETE"].contains { sql.hasPrefix($0) }
        && !sql.contains("sqlite_") && !sql.contains("grdb_")
    }
    #expect(statements.count > 50)
    try await storage.database.read { database in
      for sql in statements.sorted() {
        let nothing = Array(repeating: DatabaseValue.null, count: sql.count { $0 == "?" })
        let plan = try Row.fetchAll(
          database, sql: "EXPLAIN QUERY PLAN \(sql)", arguments: StatementArguments(nothing))
        for row in plan {
          let step = row["detail"] as String
          guard step.hasPrefix("SCAN") else { continue }
          let scanned = step.split(separator: " ")[1]
          // `e`, `r`, `x`, `s0`… are aliases of tables in the statements.
          #expect(
            !Self.tables.contains(String(scanned)) && scanned.count > 2, "\(step) in \(sql)")
        }
      }
    }
    for table in Self.tables {
      #expect(statements.contains { $0.contains(" \(table) ") }, "\(table)")
    }
  }

  /// Rows can be spread over machines by owner: no transaction changes those of two.
  @Test func noTransactionChangesTwoOwners() async throws {
    let trace = CostTrace()
    let fixture = try await fixture(trace)
    _ = trace.take()
    try await exercise(fixture)
    var owners: Set<String> = []
    var transactions = 0
    var most = 0
    for sql in trace.take().map(\.expanded) {
      if sql.hasPrefix("BEGIN") { owners = [] }
      if sql.hasPrefix("COMMIT") {
        transactions += owners.isEmpty ? 0 : 1
        most = max(most, owners.count)
        #expect(owners.count <= 1, "\(owners)")
      }
      let isChange = ["INSERT", "UPDATE", "DELETE"].contains { sql.hasPrefix($0) }
      guard isChange, let owner = Self.owner(in: sql) else { continue }
      owners.insert(owner)
    }
    #expect(transactions > 50)
    #expect(most == 1)
  }

  /// The owner whose rows a statement changes. Every such statement has to name it.
  private static func owner(in sql: String) -> String? {
    guard let table = tables.first(where: { sql.contains(" \($0) ") }) else { return nil }
    let pattern =
      table == "owner"
      ? #/WHERE id = (\d+)/# : sql.hasPrefix("INSERT") ? #/\((\d+), /# : #/owner_id = (\d+)/#
    if let match = sql.firstMatch(of: pattern) { return String(match.1) }
    // A new owner has no number yet.
    if table == "owner", sql.hasPrefix("INSERT") { return nil }
    // The values come after the columns.
    if let match = sql.firstMatch(of: #/VALUES \((\d+)/#) { return String(match.1) }
    Issue.record("no owner in \(sql)")
    return nil
  }
}
