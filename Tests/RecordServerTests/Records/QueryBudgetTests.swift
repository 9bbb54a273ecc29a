import CloudRecords
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

/// Queries that look at many records for each one that they find.
@Suite struct QueryBudgetTests {
  private static let records = 1200
  /// Filters that all records pass, so that all of them are tested on each record.
  private static let passed = (0..<90).map {
    Filter("rank", .notEquals, .int64(Int64(10_000 + $0)))
  }

  private static let tags = (0..<6).map { "other \($0)" }

  /// Saves 1,200 records, of which every 100th has the text "x".
  private static func fill(_ fixture: ServiceFixture, in zone: ZoneID? = nil) async throws {
    for first in stride(from: 0, to: records, by: Limits.operations) {
      _ = try await fixture.modify(
        (first..<first + Limits.operations).map { number in
          Operation(
            .forceReplace,
            note(
              name(number),
              [
                "text": .string(number % 100 == 37 ? "x" : "y"),
                "rank": .int64(Int64(number / 7)), "weight": .double(Double(-number)),
                "tags": .strings(tags),
              ]))
        }, in: zone)
    }
  }

  private static func name(_ number: Int) -> String { "n\(1000 + number)" }

  private static let found = (0..<records).filter { $0 % 100 == 37 }.map { name($0) }
  /// Filters for the records with "x", without an index that has only these records.
  private static let filters = passed + [Filter("text", .notEquals, .string("y"))]

  private static func names(_ pages: [[RecordResult]]) -> [String] {
    pages.joined().compactMap(\.recordName)
  }

  @Test func pagesEndAfterManyRows() async throws {
    let fixture = try await ServiceFixture()
    try await Self.fill(fixture)
    for limit in [nil, 1, 5] {
      for sort in [nil, Sort("weight", ascending: false), Sort("weight"), Sort("rank")] {
        let query = Query("Note", filters: Self.filters, sorts: sort.map { [$0] } ?? [])
        let pages = try await fixture.pages(query, limit: limit)
        let expected = sort == Sort("weight") ? Self.found.reversed() : Self.found
        #expect(Self.names(pages) == Array(expected), "\(sort as Any), \(limit ?? 0)")
        // Without a limit, one page could hold all records, but the first page ends before.
        if limit == nil { #expect(pages.count > 1) }
      }
    }
  }

  /// The filter takes many rows to test on each of the 1,188 records with "y". The service does not
  /// sort them but tests them in the order of the query, so a page can end after each of them.
  @Test(arguments: StorageFactory.all)
  func sortedPagesEndAfterManyRows(_ factory: StorageFactory) async throws {
    let fixture = try await ServiceFixture(factory)
    try await Self.fill(fixture)
    let values = (0..<300).map { "none \($0)" }
    let query = Query(
      "Note",
      filters: [
        Filter("text", .equals, .string("y")), Filter("tags", .listContainsAny, .strings(values)),
      ], sorts: [Sort("weight")])
    let pages = try await fixture.pages(query)
    #expect(Self.names(pages).isEmpty)
    #expect(pages.count > 1)
  }

  @Test func pagesOfAllZonesEndAfterManyRows() async throws {
    let fixture = try await ServiceFixture()
    let zones = ["A", "B", "C"].map { ZoneID($0) }
    for zone in zones {
      try await fixture.makeZone(zone)
      try await Self.fill(fixture, in: zone)
    }
    for sort in [Sort("weight", ascending: false), Sort("rank")] {
      let query = Query("Note", filters: Self.filters, sorts: [sort])
      for limit in [nil, 2] {
        let pages = try await fixture.pages(query, wide: true, limit: limit)
        #expect(Self.names(pages) == Self.found.flatMap { [$0, $0, $0] })
        #expect(pages.count > 3)
      }
    }
    let unsorted = try await fixture.pages(Query("Note", filters: Self.filters), wide: true)
    #expect(Self.names(unsorted) == Self.found + Self.found + Self.found)
    #expect(unsorted.count > 3)
  }

  /// Several sorts need all records before the first page.
  @Test func aQueryThatCannotStopIsRefused() async throws {
    let fixture = try await ServiceFixture()
    try await Self.fill(fixture)
    // Each filter looks up its values among the tags of a record, or reads the tags.
    let many = (0..<90).map { filter in
      Filter("tags", .notListContainsAny, .strings((0..<11).map { "t\(filter)-\($0)" }))
    }
    let work = RequestWork()
    func query(_ sorts: [Sort]) async -> Reported<RecordsQuery.Response> {
      await fixture.service.query(
        .init(Query("Note", filters: many, sorts: sorts)), at: ServiceFixture.private,
        by: ServiceFixture.an, witness: nil, work: work)
    }
    let error = await serviceError { try await query([Sort("text"), Sort("weight")]).get() }
    #expect(error?.code == .badRequest)
    #expect(error?.cause == .invalidPredicate(.tooManyRows))
    // The client is charged for the query nevertheless.
    #expect(work.rows.spent > work.rows.limit)
    #expect(work.operations > 2000)
    // With one sort, or none, the query has pages.
    for sorts in [[], [Sort("weight")]] {
      let pages = try await fixture.pages(Query("Note", filters: many, sorts: sorts))
      #expect(Self.names(pages).count == Self.records)
      #expect(pages.count > Self.records / Limits.pageRecords)
    }
  }

  /// A query is charged for the rows that it examines; a usual page costs nothing.
  @Test func rowsAreCharged() async throws {
    let fixture = try await ServiceFixture()
    try await Self.fill(fixture)
    func operations(_ query: Query) async throws -> Int {
      let work = RequestWork()
      _ = try await fixture.service.query(
        .init(query), at: ServiceFixture.private, by: ServiceFixture.an, witness: nil, work: work
      ).get()
      return work.operations
    }
    #expect(try await operations(Query("Note", sorts: [Sort("weight")])) == 0)
    #expect(
      try await operations(
        Query("Note", filters: Array(Self.passed.prefix(3)), sorts: [Sort("rank")])) == 0)
    let expensive = try await operations(Query("Note", filters: Self.filters))
    #expect((200...1000).contains(expensive))
  }

  @Test(.timeLimit(.minutes(2)), arguments: StorageFactory.all)
  func statementsStopWithTheirTask(_ factory: StorageFactory) async throws {
    let fixture = try await ServiceFixture(factory)
    let (starts, start) = AsyncStream.makeStream(of: Void.self)
    let task = Task { [storage = fixture.storage] in
      try await storage.read(within: RowBudget(limit: .max)) { transaction in
        start.finish()
        return try transaction.connection.count(to: .max)
      }
    }
    for await _ in starts {}
    task.cancel()
    await #expect(throws: StorageFailure.cancelled) { try await task.value }
    // The connection works again.
    _ = try await fixture.names(Query("Note"))
  }

  @Test(arguments: StorageFactory.all)
  func aBudgetEndsAStatement(_ factory: StorageFactory) async throws {
    let fixture = try await ServiceFixture(factory)
    let budget = RowBudget(limit: 10_000)
    #expect(
      try await fixture.storage.read(within: budget) { try $0.connection.count(to: 1000) } == 1000)
    #expect(budget.spent > 0)
    await #expect(throws: StorageFailure.exhausted) {
      try await fixture.storage.read(within: budget) { try $0.connection.count(to: 1_000_000) }
    }
    // The budget does not apply to other transactions.
    #expect(try await fixture.storage.read { try $0.connection.count(to: 1_000_000) } == 1_000_000)
  }
}

extension SQLConnection {
  /// Runs a statement that looks for the given number of records, and finds none.
  func count(to end: Int) throws -> Int? {
    try row(
      """
      WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < ?)
      SELECT count(*) FROM n WHERE NOT EXISTS (
        SELECT 1 FROM record WHERE owner_id = -x\(dialect.endOfSubquery))
      """, [end]
    ) { try $0[0] as Int }
  }
}
