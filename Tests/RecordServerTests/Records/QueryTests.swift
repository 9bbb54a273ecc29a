import CloudRecords
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

@Suite struct QueryTests {
  /// The work for a page is limited, even if most of its keys are not found.
  @Test func manyKeysInManyZonesTakeMorePages() async throws {
    let fixture = try await ServiceFixture()
    let zones = (0..<7).map { ZoneID("Z\($0)") }
    for zone in zones { try await fixture.makeZone(zone) }
    for (index, zone) in zones.enumerated() {
      try await fixture.save("n", ["text": .string("v\(index * 60)")], in: zone)
    }
    let query = Query(
      "Note", filters: [Filter("text", .isIn, .strings((0..<400).map { "v\($0)" }))])
    let first = try await fixture.service.query(
      .init(query, zoneWide: true), at: ServiceFixture.private, by: ServiceFixture.an)
    #expect(first.continuationMarker != nil)
    #expect(try await fixture.names(query, wide: true).count == zones.count)
    #expect(try await fixture.names(query, wide: true, limit: 1).count == zones.count)
  }

  /// The errors have the words of CloudKit.
  @Test func queriesWithoutAnIndexAreRefused() async throws {
    let fixture = try await ServiceFixture()
    func reason(_ query: Query) async -> String? {
      await serviceError { try await fixture.names(query) }.map(\.summary)
    }
    #expect(
      await reason(Query("Bare")) == "BAD_REQUEST: Field 'recordName' is not marked queryable")
    #expect(
      await reason(Query("Nothing")) == "NOT_FOUND: Did not find record type Nothing")
    #expect(
      await reason(Query("Note", filters: [Filter("plain", .equals, .string("x"))]))
        == "BAD_REQUEST: Field 'plain' is not marked queryable")
    #expect(
      await reason(Query("Note", sorts: [Sort("filterOnly")]))
        == "BAD_REQUEST: Field 'filterOnly' is not marked sortable")
    #expect(
      await reason(
        Query(
          "Note",
          filters: [
            Filter("place", .near, .location(Location(latitude: 1, longitude: 2)))
          ])) == "BAD_REQUEST: Invalid predicate: queries by distance are not served (NEAR)")
    #expect(
      await reason(
        Query(
          "Note", filters: [Filter("text", .equals, .string("x"))],
          sorts: (0..<40).map { _ in Sort("rank") }))
        == "BAD_REQUEST: Invalid predicate: more than 16 criteria to sort by")
  }

  /// With the index, `Field 'recordName' is not marked queryable` does not occur any more, and the
  /// records from before are found, too.
  @Test(arguments: StorageFactory.all)
  func aDeployedIndexCoversExistingRecords(_ factory: StorageFactory) async throws {
    let fixture = try await ServiceFixture(factory)
    for index in 0..<5 {
      try await fixture.save("b\(index)", ["value": .int64(Int64(4 - index))], type: "Bare")
      try await fixture.save(
        "b\(index)", ["value": .int64(Int64(index))], type: "Bare", by: ServiceFixture.binh)
    }
    try await fixture.save("none", type: "Bare")
    try await fixture.delete("b3")
    var schema = try await fixture.service.schema(of: ServiceFixture.container, .development)
    schema["Bare"]?[.recordID] = .queryable
    schema["Bare"]?.fields["value"]?.indexes = [.queryable, .sortable]
    try await fixture.service.importDevelopment(schema, of: ServiceFixture.container)
    #expect(await serviceError { try await fixture.names(Query("Bare")) } != nil)
    try await fixture.service.deploy(ServiceFixture.container)
    #expect(
      try await fixture.names(Query("Bare", sorts: [Sort("value")]))
        == ["none", "b4", "b2", "b1", "b0"])
    #expect(
      try await fixture.names(
        Query("Bare", sorts: [Sort("value")]), by: ServiceFixture.binh)
        == ["b0", "b1", "b2", "b3", "b4"])
    // Without the index the query is refused again. Once the index is back, it is complete.
    schema["Bare"]?[.recordID] = []
    schema["Bare"]?.fields["value"]?.indexes = []
    try await fixture.service.importDevelopment(schema, of: ServiceFixture.container)
    try await fixture.service.deploy(ServiceFixture.container)
    #expect(await serviceError { try await fixture.names(Query("Bare")) } != nil)
    try await fixture.save("b0", ["value": .int64(9)], type: "Bare")
    schema["Bare"]?[.recordID] = .queryable
    schema["Bare"]?.fields["value"]?.indexes = [.queryable, .sortable]
    try await fixture.service.importDevelopment(schema, of: ServiceFixture.container)
    try await fixture.service.deploy(ServiceFixture.container)
    #expect(
      try await fixture.names(Query("Bare", filters: [Filter("value", .greaterThan, .int64(1))]))
        == ["b2", "b1", "b0"])
  }

  @Test func tiesAreSortedByRecordName() async throws {
    let fixture = try await ServiceFixture()
    for (name, rank) in [("c", 2), ("a", 1), ("d", 1), ("b", 2), ("e", 3)] {
      try await fixture.save(name, ["rank": .int64(Int64(rank)), "text": .string(name)])
    }
    try await fixture.save("f")
    func names(_ sorts: [Sort], limit: Int? = nil) async throws -> String {
      try await fixture.names(Query("Note", sorts: sorts), limit: limit).joined()
    }
    for limit in [nil, 1, 2, 3, 6] {
      #expect(try await names([Sort("rank")], limit: limit) == "fadbce")
      #expect(try await names([Sort("rank", ascending: false)], limit: limit) == "ecbdaf")
      #expect(
        try await names([Sort("rank"), Sort("text", ascending: false)], limit: limit) == "fdacbe")
      #expect(
        try await names([Sort("rank", ascending: false), Sort("text")], limit: limit) == "ebcadf")
      #expect(
        try await names([Sort("rank"), Sort("rank", ascending: false)], limit: limit)
          == "fadbce")
      #expect(
        try await names(
          [Sort(.system(.recordID), ascending: false)], limit: limit) == "fedcba")
    }
  }

  /// A filter that many records pass, with a sort by another field. The records with "a" are at the
  /// end of the order, those with "b" everywhere.
  @Test(arguments: StorageFactory.all)
  func manyFilteredRecordsAreSorted(_ factory: StorageFactory) async throws {
    let fixture = try await ServiceFixture(factory)
    let records = 2600
    func name(_ number: Int) -> String { "n\(10_000 + number * 7 % records)" }
    func text(_ number: Int) -> String {
      number >= 2000 ? "a" : number % 4 == 1 ? "b" : "c"
    }
    for start in stride(from: 0, to: records, by: 200) {
      _ = try await fixture.modify(
        (start..<start + 200).map { number in
          Operation(
            .create,
            note(
              name(number),
              ["text": .string(text(number)), "rank": .int64(Int64(number)), "tags": .strings([])]))
        })
    }
    for wanted in ["a", "b"] {
      let expected = (0..<records).filter { text($0) == wanted }.map(name)
      #expect(expected.count > 400)
      for ascending in [true, false] {
        let query = Query(
          "Note", filters: [Filter("text", .equals, .string(wanted))],
          sorts: [Sort("rank", ascending: ascending)])
        let names = try await fixture.names(query, limit: ascending ? 30 : nil)
        #expect(names == (ascending ? expected : expected.reversed()))
      }
    }
  }

  @Test func pagesEndAt200RecordsOr4Megabytes() async throws {
    let fixture = try await ServiceFixture()
    for start in stride(from: 0, to: 600, by: 200) {
      _ = try await fixture.modify(
        (start..<start + 200).map {
          Operation(.create, note("n\($0)", ["text": .string("x")]))
        })
    }
    let query = Query("Note", filters: [Filter("text", .equals, .string("x"))])
    let page = try await fixture.service.query(
      .init(query, resultsLimit: 100_000), at: ServiceFixture.private, by: ServiceFixture.an)
    #expect(page.records.count == 200)
    #expect(page.continuationMarker != nil)
    #expect(try await fixture.names(query).count == 600)
    // A last page that is full has no marker, so there is no empty page after it.
    var marker: String?
    for number in 1...3 {
      let page = try await fixture.service.query(
        .init(query, continuationMarker: marker), at: ServiceFixture.private,
        by: ServiceFixture.an)
      #expect(page.records.count == 200)
      #expect((page.continuationMarker == nil) == (number == 3))
      marker = page.continuationMarker
    }
  }

  @Test(arguments: largeTexts) func aPageIsLimitedInBytes(large: String) async throws {
    let fixture = try await ServiceFixture()
    for index in 0..<7 {
      try await fixture.save("big\(index)", ["plain": .string(large), "rank": .int64(1)])
    }
    for sorts in [[], [Sort("rank")]] {
      let query = Query("Note", filters: [Filter("rank", .equals, .int64(1))], sorts: sorts)
      let page = try await fixture.service.query(
        .init(query), at: ServiceFixture.private, by: ServiceFixture.an)
      #expect(page.records.count == 5)
      #expect(try await fixture.names(query).count == 7)
    }
  }

  @Test func markersAreValidForTheirQueryOnly() async throws {
    let fixture = try await ServiceFixture()
    for name in ["a", "b", "c"] { try await fixture.save(name, ["rank": .int64(1)]) }
    try await fixture.makeZone()
    let query = Query("Note", filters: [Filter("rank", .equals, .int64(1))])
    func page(
      _ query: Query, _ marker: String?, zone: ZoneID? = nil,
      by caller: Caller = ServiceFixture.an, at address: DatabaseAddress = ServiceFixture.private
    ) async throws -> RecordsQuery.Response {
      try await fixture.service.query(
        .init(query, zoneID: zone, resultsLimit: 1, continuationMarker: marker), at: address,
        by: caller)
    }
    let marker = try #require(try await page(query, nil).continuationMarker)
    #expect(try await page(query, marker).records.summary == ["b"])
    let other = Query("Note", filters: [Filter("rank", .equals, .int64(2))])
    #expect(
      await serviceError { try await page(other, marker) }?.cause == .brokenToken)
    #expect(
      await serviceError { try await page(query, marker, zone: ServiceFixture.zone) }?.cause
        == .brokenToken)
    for error in [
      await serviceError { try await page(query, marker, by: ServiceFixture.binh) },
      await serviceError { try await page(query, marker, at: ServiceFixture.development) },
      await serviceError { try await page(query, "nonsense") },
      await serviceError { try await page(query, "QUJD" + marker.dropFirst(4)) },
    ] {
      #expect(error?.summary == "BAD_REQUEST: Unknown sync continuation type")
    }
    try await fixture.makeZone()
    let token = try await fixture.page().syncToken
    #expect(
      await serviceError { try await page(query, token) }?.summary
        == "BAD_REQUEST: Unknown sync continuation type")
  }

  @Test func queriesSearchOneZoneOrAll() async throws {
    let fixture = try await ServiceFixture()
    for (index, zone) in ["_defaultZone", "A", "B", "C"].enumerated() {
      if zone != ZoneID.defaultName { try await fixture.makeZone(ZoneID(zone)) }
      for rank in 0..<5 {
        try await fixture.save(
          "n\(rank)", ["rank": .int64(Int64(rank)), "text": .string("\(index)")],
          in: ZoneID(zone))
      }
    }
    let query = Query("Note")
    #expect(try await fixture.names(query).count == 5)
    #expect(try await fixture.names(query, wide: false).count == 5)
    #expect(try await fixture.names(query, in: ZoneID("A"), wide: true).count == 5)
    for limit in [nil, 1, 3, 5, 7] {
      #expect(try await fixture.names(query, wide: true, limit: limit).count == 20)
      let sorted = try await fixture.names(
        Query("Note", sorts: [Sort("rank", ascending: false)]), wide: true, limit: limit)
      #expect(
        sorted == (0..<5).reversed().flatMap { rank in Array(repeating: "n\(rank)", count: 4) })
    }
    let answer = try await fixture.service.query(
      .init(Query("Note", sorts: [Sort("rank"), Sort("text")]), zoneWide: true, resultsLimit: 4),
      at: ServiceFixture.private, by: ServiceFixture.an)
    #expect(
      answer.records.map { $0.record?.zoneID } == [nil, ZoneID("A"), ZoneID("B"), ZoneID("C")])
    #expect(
      await serviceError { try await fixture.names(query, in: ZoneID("nowhere")) }?.code
        == .zoneNotFound)
    try await fixture.deleteZone(ZoneID("B"))
    #expect(try await fixture.names(query, wide: true).count == 15)
  }

  @Test func systemFieldsCanBeQueried() async throws {
    let fixture = try await ServiceFixture()
    let first = fixture.clock.now
    try await fixture.save("a")
    fixture.clock.advance(100)
    try await fixture.save("b")
    try await fixture.save("a", ["rank": .int64(1)])
    func names(
      _ field: SystemField, _ comparator: Filter.Comparator, _ value: FieldValue
    ) async throws -> [String] {
      try await fixture.names(
        Query("Note", filters: [Filter(.system(field), comparator, Field(value))])
      ).sorted()
    }
    let time = FieldValue.timestamp(Timestamp(milliseconds: first))
    #expect(try await names(.createTime, .equals, time) == ["a"])
    #expect(try await names(.createTime, .greaterThan, time) == ["b"])
    #expect(try await names(.modTime, .greaterThan, time) == ["a", "b"])
    #expect(try await names(.recordID, .equals, .reference(Reference("a"))) == ["a"])
    #expect(
      try await names(.recordID, .isIn, .references([Reference("a"), Reference("x")])) == ["a"])
    let an = Reference(ServiceFixture.an.userRecordName)
    #expect(try await names(.createdBy, .equals, .reference(an)) == ["a", "b"])
    #expect(
      try await names(.createdBy, .notEquals, .reference(an)) == [])
  }

  @Test func answersHaveOnlyTheDesiredKeys() async throws {
    let fixture = try await ServiceFixture()
    try await fixture.save("a", ["text": .string("x"), "rank": .int64(1)])
    let answer = try await fixture.service.query(
      .init(Query("Note"), desiredKeys: ["rank"]), at: ServiceFixture.private,
      by: ServiceFixture.an)
    #expect(answer.records.first?.record?.fields.keys.sorted() == ["rank"])
  }

  @Test func aFilterHasAtMost1000Values() async throws {
    let fixture = try await ServiceFixture()
    try await fixture.save("a", ["rank": .int64(999)])
    func names(_ count: Int) async throws -> [String] {
      let values = FieldValue.int64s((0..<count).map(Int64.init))
      return try await fixture.names(
        Query("Note", filters: [Filter("rank", .isIn, values)], sorts: [Sort("rank")]))
    }
    #expect(try await names(1000) == ["a"])
    #expect(await serviceError { try await names(1001) }?.code == .badRequest)
    #expect(try await names(0) == [])
  }

  @Test func listFiltersAccept1000Elements() async throws {
    let fixture = try await ServiceFixture()
    let all = (0..<1000).map { "t\($0)" }
    try await fixture.save("all", ["tags": .strings(all + ["more"])])
    try await fixture.save("some", ["tags": .strings(Array(all.dropLast()))])
    try await fixture.save("none")
    func names(_ comparator: Filter.Comparator) async throws -> [String] {
      try await fixture.names(Query("Note", filters: [Filter("tags", comparator, .strings(all))]))
    }
    #expect(try await names(.listContainsAll) == ["all"])
    #expect(try await names(.notListContainsAll) == ["none", "some"])
  }
}
