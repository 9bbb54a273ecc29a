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

  private func fixture() async throws -> ServiceFixture {
    let trace = trace
    let factory = StorageFactory(testDescription: "traced") { _ in
      try SQLiteRecordStorage(inMemory: trace.prepare)
    }
    let fixture = try await ServiceFixture(factory, schema: LargeSet.schema)
    try await LargeSet.fill(fixture)
    let counts = try (fixture.storage as? SQLiteRecordStorage)?.rowCounts()
    #expect(counts?["record"] == LargeSet.records)
    #expect(counts?["owner"] == LargeSet.owners)
    _ = trace.take()
    return fixture
  }

  /// Checks the number of steps since the last call.
  ///
  /// - Parameter counted: how many entries of an index may be counted to choose one.
  private func expectBound(
    _ what: String, returned: Int, counted: Int = 0, location: SourceLocation = #_sourceLocation
  ) {
    let statements = trace.take()
    let steps = statements.reduce(0) { $0 + $1.steps }
    let bound = Self.stepsPerRow * Self.limit(returned: returned) + Self.stepsPerCount * counted
    let worst = statements.max { $0.steps < $1.steps }
    #expect(
      steps <= bound,
      "\(what): \(steps) steps for \(returned), \(worst?.expanded.prefix(900) ?? "")",
      sourceLocation: location)
    #expect(statements.allSatisfy { $0.scanned == 0 }, "\(what)", sourceLocation: location)
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
          condition: condition, key: key, zone: ZoneID.defaultName, position: position
        ).signed(
          by: fixture.service.signer, for: .init(kind: .query, owner: try #require(owner).id))
      }
      _ = trace.take()
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
    expectBound("all", returned: 200)
    #expect(
      try await page(Self.query(), after: .init(keys: [], name: name)).first
        == LargeSet.name(deep + 1))
    expectBound("all, deep", returned: 200)
    #expect(try await page(Self.query([Self.ofKind])).count == 200)
    expectBound("kind", returned: 200)
    #expect(
      try await page(
        Self.query([Self.ofKind]), after: .init(keys: [key("k")], name: name), condition: 0
      ).first == LargeSet.name(deep + 1))
    expectBound("kind, deep", returned: 200)
    for ascending in [true, false] {
      for filters in [[Self.ofKind], [Self.words(.greaterThan, 100), Self.ofKind]] {
        let query = Self.query(filters, [Sort("word", ascending: ascending)])
        #expect(try await page(query).count == 200)
        expectBound("by word", returned: 200, counted: 2001)
        let word = try key(LargeSet.word(deep))
        #expect(try await page(query, after: .init(keys: [word], name: "x")).count == 200)
        expectBound("by word, deep", returned: 200)
      }
      // Records with the same value are in the order of names.
      let alike = Self.query([Self.ofKind], [Sort("kind", ascending: ascending)])
      #expect(
        try await page(alike, after: .init(keys: [key("k")], name: name)).first
          == LargeSet.name(ascending ? deep + 1 : deep - 1))
      expectBound("by kind, deep", returned: 200)
    }

    // Ranges: the entries before and after them are not examined.
    for sorts in [[], [Sort("word")], [Sort("word", ascending: false)]] {
      for (from, to, count) in [(30_000, 30_020, 20), (10_000, 40_000, 200), (49_990, 50_000, 10)] {
        let query = Self.query(
          [Self.words(.greaterThanOrEquals, from), Self.words(.lessThan, to)], sorts)
        #expect(try await page(query).count == count)
        expectBound("\(from)..<\(to) \(sorts.count)", returned: count)
      }
      #expect(
        try await page(
          Self.query([Filter("word", .beginsWith, .string("w0300")), Self.ofKind], sorts)
        ).count == 100)
      expectBound("prefix", returned: 100)
    }

    // 500 of 50,000, in the order of another field; of two conditions, the one with fewer entries.
    #expect(try await page(Self.query([Self.ofGroup(17)])).count == 200)
    expectBound("group", returned: 200)
    #expect(try await page(Self.query([Self.ofGroup(17)], [Sort("word")])).count == 200)
    expectBound("group by word", returned: 200)
    let pair = Filter("pair", .equals, .string("p00058"))
    #expect(
      try await page(Self.query([Self.ofKind, Self.ofGroup(17), pair])) == [LargeSet.name(117)])
    expectBound("pair", returned: 1)
    let groups = Filter("group", .isIn, .strings(["g10", "g20", "g30"]))
    #expect(
      try await page(
        Self.query([groups]), after: .init(keys: [key("g20")], name: name), condition: 0, key: 1
      ).first == LargeSet.name(deep + 20))
    expectBound("groups", returned: 200)

    // 50 records of the caller in a public database of 20,000, where others cannot be read.
    for query in [
      Self.query(), Self.query([Self.ofKind]), Self.query([Self.ofKind], [Sort("word")]),
      Self.query([Filter("group", .notEquals, .string("g99"))], [Sort("word")]),
    ] {
      let names = try await page(query, at: ServiceFixture.public)
      #expect(names.sorted() == (0..<50).map(LargeSet.name))
      expectBound("own", returned: 50)
    }

    // Requests that are not queries.
    let zone = try #require(
      try await fixture.service.zonesList(at: ServiceFixture.private, by: LargeSet.an).zones.first)
    #expect(zone.value != nil)
    _ = trace.take()
    _ = try await fixture.lookup((0..<200).map { LargeSet.name($0 * 200) }, by: LargeSet.an)
    expectBound("lookup", returned: 200)
    _ = try await fixture.modify(
      (0..<200).map { Operation(.forceUpdate, note(LargeSet.name($0 * 200), type: "Item")) })
    expectBound("modify", returned: 2000)
    let owner = try #require(
      try await fixture.storage.read { try $0.owner(of: ServiceFixture.private, account: 1) })
    let row = try #require(
      try await fixture.storage.read { try $0.zone(ZoneID.defaultName, of: owner.id) })
    _ = trace.take()
    let changes = try await fixture.storage.read {
      try $0.changes(
        in: Scope(row, isPublic: false), after: 40_000, limit: 200, bytes: Limits.pageBytes)
    }
    #expect(changes.count == 200)
    expectBound("changes", returned: 200)
  }
}
