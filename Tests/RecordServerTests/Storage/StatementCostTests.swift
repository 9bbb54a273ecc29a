import CloudRecords
import TestSupport
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

/// The cost of a request depends on what it returns, not on how much is stored.
@Suite struct StatementCostTests {
  /// The number of rows that may be examined for an answer: one page and twice the returned rows.
  private static func limit(returned: Int) -> Int { 2 * returned + Limits.pageRecords }
  /// Steps of SQLite's virtual machine for examining a row and reading its columns.
  private static let stepsPerRow = 60

  private static let stepsPerCount = 12

  private let trace = CostTrace()

  /// A fixture with `LargeSet`. SQLite traces the steps of statements. On PostgreSQL the statements
  /// are traced, and their plans have the number of rows.
  private func fixture() async throws -> ServiceFixture {
    let trace = trace
    let factory = StorageFactory(testDescription: "traced") { directory in
      if StorageFactory.isSQLite { return try SQLiteRecordStorage(inMemory: trace.prepare) }
      return try TracedStorage(try await StorageFactory.standard.make(directory))
    }
    let fixture = try await ServiceFixture(factory, schema: LargeSet.schema)
    try await LargeSet.fill(fixture)
    let counts = try await fixture.rowCounts()
    #expect(counts["record"] == LargeSet.records)
    #expect(counts["owner"] == LargeSet.owners)
    forget(fixture)
    return fixture
  }

  /// Forgets the statements since the last check.
  private func forget(_ fixture: ServiceFixture) {
    _ = trace.removeAll()
    _ = (fixture.storage as? TracedStorage)?.trace.removeAll()
  }

  /// Checks the cost of the statements since the last call.
  ///
  /// - Parameter counted: how many index entries may be counted to choose an index, or tested
  ///   without looking anything up.
  private func expectBound(
    _ what: String, _ fixture: ServiceFixture, returned: Int, counted: Int = 0,
    location: SourceLocation = #_sourceLocation
  ) async throws {
    if let storage = fixture.storage as? TracedStorage {
      // Each row of the page is read once more by its name, and once to test a condition. A row
      // that is only counted, or tested without looking anything up, costs a fifth of the others.
      let bound = 2 * Self.limit(returned: returned) + counted / 5
      var rows = 0
      for statement in storage.trace.removeAll().flatMap(\.statements)
      where statement.sql.hasPrefix("SELECT") {
        let plan = try await storage.trace.database.write { connection in
          try connection.rows(
            "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) \(statement.sql)",
            statement.arguments, lifetime: .transaction
          ) { try $0[0] as String }
        }
        let isCheap = ["count(*)", "OFFSET ?", "IS TRUE"].contains { statement.sql.contains($0) }
        rows += Self.examinedRows(plan) / (isCheap ? 5 : 1)
        #expect(!plan.contains { $0.contains("Seq Scan") }, "\(plan)", sourceLocation: location)
      }
      #expect(rows <= bound, "\(what): \(rows) rows for \(returned)", sourceLocation: location)
      return
    }
    let statements = trace.removeAll()
    let steps = statements.reduce(0) { $0 + $1.steps }
    let bound = Self.stepsPerRow * Self.limit(returned: returned) + Self.stepsPerCount * counted
    let worst = statements.max { $0.steps < $1.steps }
    #expect(
      steps <= bound,
      "\(what): \(steps) steps for \(returned), \(worst?.expanded.prefix(900) ?? "")",
      sourceLocation: location)
    #expect(statements.allSatisfy { $0.scanned == 0 }, "\(what)", sourceLocation: location)
  }

  /// The number of rows that the scans of tables and indexes in a plan have examined, those that a
  /// filter removed included.
  private static func examinedRows(_ plan: [String]) -> Int {
    var rows = 0
    // How often the scan was carried out; 0 for another operation.
    var loops = 0
    for line in plan {
      if let match = line.firstMatch(of: #/rows=(\d+) loops=(\d+)/#) {
        let isScan = line.contains(#/(Index|Index Only|Bitmap Heap|Seq) Scan/#)
        loops = isScan ? Int(match.2) ?? 0 : 0
        rows += (Int(match.1) ?? 0) * loops
      } else if let match = line.firstMatch(of: #/Rows Removed by .*: (\d+)/#) {
        rows += (Int(match.1) ?? 0) * loops
      }
    }
    return rows
  }

  private static func query(_ filters: [Filter] = [], _ sorts: [Sort] = []) -> Query {
    Query("Item", filters: filters, sorts: sorts)
  }

  private static let ofKind = Filter("kind", .equals, .string("k"))
  private static func ofGroup(_ number: Int) -> Filter {
    Filter("group", .equals, .string("g\(number)"))
  }
  private static func words(_ comparator: Filter.Comparator, _ index: Int) -> Filter {
    Filter("word", comparator, .string(LargeSet.word(index)))
  }

  @Test func pagesExamineLittleMoreThanTheyReturn() async throws {
    let fixture = try await fixture()
    /// The first page, or the page after `position`, for which a continuation marker is made.
    func page(
      _ query: Query, after position: RecordSearch.Position? = nil, condition: Int? = nil,
      key: Int = 0, at address: DatabaseAddress = ServiceFixture.private
    ) async throws -> [String] {
      let state = try await fixture.storage.read {
        try $0.state(of: address.container, address.environment)
      }
      let owner = try await fixture.storage.read {
        try $0.owner(of: address, account: address.database == .public ? 0 : 1)
      }
      let marker = try position.map { position in
        ContinuationMarker(
          epoch: try #require(state).epoch,
          digest: try ContinuationMarker.digest(query, zone: ZoneID.defaultName),
          end: .init(condition: condition, key: key, zone: ZoneID.defaultName, position: position)
        ).signed(
          by: fixture.service.signer, for: .init(kind: .query, owner: try #require(owner).id))
      }
      forget(fixture)
      return try await fixture.service.query(
        .init(query, continuationMarker: marker), at: address, by: LargeSet.an
      ).records.compactMap(\.recordName)
    }
    func key(_ text: String) throws -> IndexKey { try #require(IndexKey(.string(text))) }

    // All records, and the records with a value that all have, ascending and descending: the first
    // page and a page far behind it.
    let deep = 40_000
    let name = LargeSet.name(deep)
    #expect(try await page(Self.query()).first == LargeSet.name(0))
    try await expectBound("all", fixture, returned: 200)
    #expect(
      try await page(Self.query(), after: .init(keys: [], name: name)).first
        == LargeSet.name(deep + 1))
    try await expectBound("all, deep", fixture, returned: 200)
    #expect(try await page(Self.query([Self.ofKind])).count == 200)
    try await expectBound("kind", fixture, returned: 200)
    #expect(
      try await page(
        Self.query([Self.ofKind]), after: .init(keys: [key("k")], name: name), condition: 0
      ).first == LargeSet.name(deep + 1))
    try await expectBound("kind, deep", fixture, returned: 200)
    for ascending in [true, false] {
      for filters in [[Self.ofKind], [Self.words(.greaterThan, 100), Self.ofKind]] {
        let query = Self.query(filters, [Sort("word", ascending: ascending)])
        #expect(try await page(query).count == 200)
        try await expectBound("by word", fixture, returned: 200, counted: 2001)
        let word = try key(LargeSet.word(deep))
        #expect(try await page(query, after: .init(keys: [word], name: "x")).count == 200)
        try await expectBound("by word, deep", fixture, returned: 200)
      }
      // Records with the same value are in the order of names.
      let alike = Self.query([Self.ofKind], [Sort("kind", ascending: ascending)])
      #expect(
        try await page(alike, after: .init(keys: [key("k")], name: name)).first
          == LargeSet.name(ascending ? deep + 1 : deep - 1))
      try await expectBound("by kind, deep", fixture, returned: 200)
    }

    // Ranges: the entries before and after them are not examined.
    for sorts in [[], [Sort("word")], [Sort("word", ascending: false)]] {
      for (from, to, count) in [(30_000, 30_020, 20), (10_000, 40_000, 200), (49_990, 50_000, 10)] {
        let query = Self.query(
          [Self.words(.greaterThanOrEquals, from), Self.words(.lessThan, to)], sorts)
        #expect(try await page(query).count == count)
        try await expectBound("\(from)..<\(to) \(sorts.count)", fixture, returned: count)
      }
      #expect(
        try await page(
          Self.query([Filter("word", .beginsWith, .string("w0300")), Self.ofKind], sorts)
        ).count == 100)
      try await expectBound("prefix", fixture, returned: 100)
    }

    // 500 of 50,000 records, in the order of another field. Of two conditions, the index of the
    // one with fewer entries is used.
    #expect(try await page(Self.query([Self.ofGroup(17)])).count == 200)
    try await expectBound("group", fixture, returned: 200)
    #expect(try await page(Self.query([Self.ofGroup(17)], [Sort("word")])).count == 200)
    try await expectBound("group by word", fixture, returned: 200, counted: 3000)
    let pair = Filter("pair", .equals, .string("p00058"))
    #expect(
      try await page(Self.query([Self.ofKind, Self.ofGroup(17), pair])) == [LargeSet.name(117)])
    try await expectBound("pair", fixture, returned: 1)
    let groups = Filter("group", .isIn, .strings(["g10", "g20", "g30"]))
    #expect(
      try await page(
        Self.query([groups]), after: .init(keys: [key("g20")], name: name), condition: 0, key: 1
      ).first == LargeSet.name(deep + 20))
    try await expectBound("groups", fixture, returned: 200)

    // 50 records of the caller in a public database of 20,000, where others cannot be read.
    for query in [
      Self.query(), Self.query([Self.ofKind]), Self.query([Self.ofKind], [Sort("word")]),
      Self.query([Filter("group", .notEquals, .string("g99"))], [Sort("word")]),
    ] {
      let names = try await page(query, at: ServiceFixture.public)
      #expect(names.sorted() == (0..<50).map(LargeSet.name))
      try await expectBound("own", fixture, returned: 50)
    }

    // Requests that are not queries.
    let zone = try #require(
      try await fixture.service.zonesList(at: ServiceFixture.private, by: LargeSet.an).zones.first)
    #expect(zone.value != nil)
    forget(fixture)
    _ = try await fixture.lookup((0..<200).map { LargeSet.name($0 * 200) }, by: LargeSet.an)
    try await expectBound("lookup", fixture, returned: 200)
    _ = try await fixture.modify(
      (0..<200).map { Operation(.forceUpdate, note(LargeSet.name($0 * 200), type: "Item")) })
    try await expectBound("modify", fixture, returned: 2000)
    let owner = try #require(
      try await fixture.storage.read { try $0.owner(of: ServiceFixture.private, account: 1) })
    let row = try #require(
      try await fixture.storage.read { try $0.zone(ZoneID.defaultName, of: owner.id) })
    forget(fixture)
    let changes = try await fixture.storage.read {
      try $0.changes(
        in: Scope(row, isPublic: false), after: 40_000, limit: 200, bytes: Limits.pageBytes)
    }
    #expect(changes.count == 200)
    try await expectBound("changes", fixture, returned: 200)
  }
}
