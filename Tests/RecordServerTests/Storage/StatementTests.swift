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
    // Enough records that a statement has several rows.
    for value in ["a", "b"] {
      _ = try await fixture.modify(
        (0..<60).map { Operation(.forceReplace, note("many\($0)", ["text": .string(value)])) })
    }
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
    try await fixture { _ in try SQLiteRecordStorage(inMemory: trace.prepare) }
  }

  private func fixture(
    _ storage: @escaping @Sendable (_ directory: String) async throws -> any RecordStorage
  ) async throws -> ServiceFixture {
    try await ServiceFixture(
      StorageFactory(testDescription: "traced", make: storage),
      schema: ServiceFixture.schema + LargeSet.type + ServiceFixture.assetTypes
    ) {
      $0.tombstoneLifetime = 1000
      $0.historyLength = 5
    }
  }

  /// Of the index entries of a changed record, only those whose values have changed are replaced.
  @Test func onlyChangedEntriesAreWritten() async throws {
    let trace = CostTrace()
    let fixture = try await fixture(trace)
    for (rank, tags) in [(1, ["a", "b"]), (2, ["b", "c"])] {
      _ = trace.removeAll()
      try await fixture.save(
        "n", ["text": .string("t"), "rank": .int64(Int64(rank)), "tags": .strings(tags)])
    }
    let written = trace.removeAll().map(\.sql).compactMap { sql in
      ["INSERT INTO entry", "DELETE FROM entry"].first { sql.hasPrefix($0) }
    }
    #expect(
      written.sorted() == ["DELETE FROM entry", "DELETE FROM entry"]
        + ["INSERT INTO entry", "INSERT INTO entry"])
    let found = try await fixture.names(
      Query("Note", filters: [Filter("tags", .listContains, .string("a"))]))
    #expect(found.isEmpty)
  }

  /// The stored index entries of a batch are read once, but not all before the first change.
  @Test(arguments: [1, 2, 19, 20, 21, 25])
  func storedEntriesAreReadOnce(_ count: Int) async throws {
    let fixture = try await tracedFixture()
    let trace = try #require(fixture.storage as? TracedStorage).trace
    var statements: [TracedDatabase.Statement] = []
    for text in ["a", "b"] {
      _ = trace.removeAll()
      _ = try await fixture.modify(
        (0..<count).map { Operation(.forceReplace, note("n\($0)", ["text": .string(text)])) })
      statements = trace.removeAll().flatMap(\.statements)
    }
    let reads = statements.indices.filter {
      statements[$0].sql.hasPrefix("SELECT") && statements[$0].sql.contains("FROM entry ")
    }
    #expect(reads.count == (count + 19) / 20)
    let rows = reads.reduce(0) { $0 + statements[$1].rows }
    #expect(try await fixture.rowCounts()["entry"] == rows)
    let change = statements.firstIndex { $0.sql.hasPrefix("DELETE FROM entry") }
    #expect(try #require(change) < reads[reads.count - 1] || reads.count == 1)
  }

  /// A change over HTTP reads the API token and the session in one transaction and writes in
  /// another; it reads subscriptions only if there are some.
  @Test(.onlySQLite) func aChangeTakesTwoTransactions() async throws {
    let trace = CostTrace()
    try await WebFixture.run {
      $0.schema = ServiceFixture.schema
      $0.prepare = trace.prepare
    } _: { web in
      let an = try await web.person("an")
      let operations = [Operation(.forceReplace, note("n"))]
      try await web.modify(operations, as: an)
      /// The transactions of a change: the fewest of 25 attempts, because the server also reads in
      /// the background.
      func transactions() async throws -> [String] {
        var fewest: [String]?
        for _ in 0..<25 {
          _ = trace.removeAll()
          try await web.modify(operations, as: an)
          let begun = trace.removeAll().map(\.sql).filter { $0.hasPrefix("BEGIN") }
          if begun.count < fewest?.count ?? .max { fewest = begun }
        }
        return fewest ?? []
      }
      let read = "BEGIN DEFERRED TRANSACTION"
      let write = "BEGIN IMMEDIATE TRANSACTION"
      #expect(try await transactions() == [read, write])
      let subscription = Subscription(
        "s", .query, query: Query("Note"), firesOn: [.create, .update])
      _ = try await web.post(
        SubscriptionsModify.self, .init(operations: [.init(.create, subscription)]), as: an)
      #expect(try await transactions() == [read, write, read])
    }
  }

  /// The tables that grow with the data of users.
  private static let tables = [
    "record", "entry", "reference", "subscription", "zone", "usage", "owner", "history", "asset",
    "asset_chunk",
  ]

  /// Neither the plan of a statement nor its execution scans a table, with many rows and SQLite's
  /// statistics of them.
  @Test(.onlySQLite) func noStatementScansATable() async throws {
    let trace = CostTrace()
    let fixture = try await fixture(trace)
    try await LargeSet.fill(fixture)
    _ = trace.removeAll()
    try await exercise(fixture)
    let storage = try #require(fixture.storage as? SQLiteRecordStorage)
    let taken = trace.removeAll()
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
          guard step.hasPrefix("SCAN"), !step.hasSuffix("CONSTANT ROWS") else { continue }
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

  /// The plans are those that PostgreSQL makes for the arguments of the statements.
  @Test(.onlyPostgreSQL) func noPlanScansATable() async throws {
    let fixture = try await tracedFixture()
    try await LargeSet.fill(fixture)
    let plans = try await plans(fixture)
    #expect(plans.count > 50)
    for (sql, plan) in plans {
      for step in plan where step.contains("Seq Scan on") {
        #expect(!Self.tables.contains { step.contains("Seq Scan on \($0) ") }, "\(step) in \(sql)")
      }
    }
    print("PostgreSQL: \(plans.count) statements, \(LargeSet.records) records, no scan")
  }

  /// Even before PostgreSQL has analysed the tables, it uses an index that has the names.
  @Test(.onlyPostgreSQL) func plansNeedNoStatistics() async throws {
    let plans = try await plans(try await tracedFixture())
    #expect(plans.count > 50)
    for (sql, plan) in plans {
      for step in plan where step.contains("Filter: ") {
        let columns = ["name", "holder", "target"].filter { step.contains("(\($0) = ") }
        #expect(columns.isEmpty, "\(plan) of \(sql)")
      }
      // Entries are found by their records, or else by their keys.
      for (index, step) in plan.enumerated() where step.contains(" entry_by_record ") {
        let condition = plan.dropFirst(index + 1).first
        #expect(condition?.contains("(name = ") == true, "\(plan) of \(sql)")
      }
    }
  }

  /// The plans of the statements of all functions, by their SQL.
  private func plans(_ fixture: ServiceFixture) async throws -> [String: [String]] {
    let trace = try #require(fixture.storage as? TracedStorage).trace
    _ = trace.removeAll()
    try await exercise(fixture)
    var statements: [String: [SQLValue]] = [:]
    for statement in trace.removeAll().flatMap(\.statements)
    where !statement.sql.hasPrefix("LOCK") {
      statements[statement.sql] = statement.arguments
    }
    return try await trace.database.write { [statements] connection in
      try Dictionary(
        uniqueKeysWithValues: statements.map { sql, arguments in
          let plan = try connection.rows("EXPLAIN \(sql)", arguments, lifetime: .transaction) {
            try $0[0] as String
          }
          return (sql, plan)
        })
    }
  }

  private func tracedFixture() async throws -> ServiceFixture {
    try await fixture { try TracedStorage(try await StorageFactory.standard.make($0)) }
  }

  /// The fields of a record can be large, so they are read only where they are needed.
  @Test func recordsThatOnlyHaveToExistAreNotRead() async throws {
    let fixture = try await tracedFixture()
    let trace = try #require(fixture.storage as? TracedStorage).trace
    try await fixture.save("target", ["text": .string("t")])
    try await fixture.save(
      "hidden", type: "Diary", at: ServiceFixture.public, by: ServiceFixture.binh)
    _ = trace.removeAll()
    try await fixture.save(
      "source", ["parentNote": .reference(Reference("target", action: .validate))])
    let hidden = try await fixture.lookup(["hidden"], at: ServiceFixture.public)
    #expect(hidden.first?.error?.code == .notFound)
    let statements = trace.removeAll().flatMap(\.statements)
    for name in ["target", "hidden"] {
      let read = statements.filter {
        $0.arguments.contains(.text(name)) && $0.sql.contains("SELECT")
      }
      #expect(!read.isEmpty && !read.contains { $0.sql.contains("content") }, "\(name)")
    }
  }

  /// Rows can be spread over machines by owner: no transaction changes those of two.
  @Test func noTransactionChangesTwoOwners() async throws {
    let fixture = try await tracedFixture()
    let trace = try #require(fixture.storage as? TracedStorage).trace
    _ = trace.removeAll()
    try await exercise(fixture)
    var changing = 0
    var statements = 0
    var most = 0
    for transaction in trace.removeAll() {
      let changes = transaction.statements.filter { statement in
        ["INSERT", "UPDATE", "DELETE"].contains { statement.sql.hasPrefix($0) }
      }
      #expect(!transaction.isReadOnly || changes.isEmpty)
      let owners = Set(changes.flatMap(Self.owners))
      #expect(owners.count <= 1, "\(changes.map(\.sql))")
      most = max(most, owners.count)
      changing += owners.isEmpty ? 0 : 1
      statements += transaction.statements.count
    }
    #expect(changing > 50)
    #expect(most == 1)
    print(
      "\(StorageFactory.standard.testDescription): \(changing) transactions changed the rows of one "
        + "owner each, \(statements) statements")
  }

  /// The owners whose rows a statement changes. Every such statement has to name them.
  private static func owners(_ statement: TracedDatabase.Statement) -> [SQLValue] {
    let sql = statement.sql
    guard let table = tables.first(where: { sql.contains(" \($0) ") }) else { return [] }
    // A new owner has no number yet.
    if table == "owner", sql.hasPrefix("INSERT") { return [] }
    // The first value of each row, or the one to which the owner is compared.
    let column = table == "owner" ? " id = ?" : "owner_id = ?"
    let places =
      sql.hasPrefix("INSERT") ? sql.ranges(of: "(?") : sql.ranges(of: column).prefix(1).map { $0 }
    if places.isEmpty { Issue.record("no owner in \(sql)") }
    return places.map { place in
      statement.arguments[sql[..<place.upperBound].count { $0 == "?" } - 1]
    }
  }
}
