import CloudRecords
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

@Suite struct SchemaServiceTests {
  private let container = ServiceFixture.container
  private let development = ServiceFixture.development

  @Test(arguments: StorageFactory.all)
  func recordsExtendTheDevelopmentSchema(_ factory: StorageFactory) async throws {
    let fixture = try await ServiceFixture(factory)
    var draft = RecordInput("a", type: "Fresh")
    draft.fields = [
      "name": Field(.string("x")), "count": Field(.raw(.integer(3), type: nil)),
      "cleared": .null,
    ]
    let results = try await fixture.modify([Operation(.create, draft)], at: development)
    #expect(results.first?.record?["count"] == .int64(3))
    #expect(results.first?.record?.fields.keys.sorted() == ["count", "name"])
    let schema = try await fixture.service.schema(of: container, .development)
    #expect(schema["Fresh"]?.fields.keys.sorted() == ["count", "name"])
    #expect(try await fixture.service.schema(of: container, .production)["Fresh"] == nil)
    // Operations that fail do not extend the schema.
    _ = try await fixture.modify(
      [
        Operation(.create, note("a", ["more": .int64(1)], type: "Fresh")),
        Operation(.create, note("_bad", type: "Fresher")),
      ], at: development)
    #expect(try await fixture.service.schema(of: container, .development) == schema)
    // Nor does an atomic batch that fails.
    try await fixture.makeZone(at: development)
    _ = try await fixture.modify(
      [
        Operation(.create, note("b", ["more": .int64(1)], type: "Fresh")),
        Operation(.create, note("_bad", type: "Fresh")),
      ], in: ServiceFixture.zone, at: development)
    #expect(try await fixture.service.schema(of: container, .development) == schema)
    #expect(
      try await fixture.modify(
        [Operation(.create, note("c", ["name": .int64(1)], type: "Fresh"))], at: development
      ).summary == [
        "BAD_REQUEST: invalid attempt to set value type INT64 for field 'name' for type 'Fresh', "
          + "defined to be: STRING"
      ])
  }

  @Test(arguments: StorageFactory.all)
  func theFirstRecordOfATypeIsAnsweredWhole(_ factory: StorageFactory) async throws {
    let fixture = try await ServiceFixture(factory)
    for database in [DatabaseScope.public, .private] {
      let address = DatabaseAddress(container, .development, database)
      for name in ["first", "second"] {
        let record = try await fixture.save(
          "\(database.rawValue)-\(name)", ["name": .string("x")],
          type: "Fresh\(database.rawValue)", at: address)
        #expect(record["name"] == .string("x"))
        #expect(record.created?.userRecordName == ServiceFixture.an.userRecordName)
        #expect(record.modified == record.created)
        #expect(try await fixture.lookup([record.recordName], at: address).first?.record == record)
      }
    }
  }

  @Test func recordTypesHaveTheNamesThatCloudKitAllows() async throws {
    let fixture = try await ServiceFixture()
    let refused =
      "BAD_REQUEST: 'My Note' cannot be the name of a record type or field: it has to begin with a "
      + "letter, followed by letters, digits and underscores"
    #expect(
      try await fixture.modify([Operation(.create, note("a", type: "My Note"))], at: development)
        .summary == [refused])
    #expect(
      try await fixture.modify([Operation(.create, note("a", type: "My Note"))]).summary
        == ["BAD_REQUEST: Cannot create new type My Note in production schema"])
    let schema = try Schema(parsing: #"DEFINE SCHEMA RECORD TYPE "My Note" (x INT64);"#)
    let imported = await serviceError {
      try await fixture.service.importDevelopment(schema, of: container)
    }
    #expect(imported?.summary == refused)
    let other = try #require(ContainerID("iCloud.org.example.other"))
    let added = await serviceError { try await fixture.service.addContainer(other, schema: schema) }
    #expect(added?.summary == refused)
    #expect(try await fixture.service.containers() == [container])
  }

  /// Older records have no value of a new field, but they are included when a query sorts by it.
  @Test(arguments: StorageFactory.all)
  func olderRecordsAreSortedByNewFields(_ factory: StorageFactory) async throws {
    let fixture = try await ServiceFixture(factory)
    for caller in [ServiceFixture.an, ServiceFixture.binh] {
      for name in ["a", "b"] {
        try await fixture.save(
          name, ["name": .string(name)], type: "Fresh", at: development, by: caller)
      }
    }
    try await fixture.save("c", ["size": .int64(1)], type: "Fresh", at: development)
    let query = Query(
      "Fresh", filters: [Filter("name", .notEquals, .string("b"))], sorts: [Sort("size")])
    #expect(try await fixture.names(query, at: development) == ["a", "c"])
    #expect(
      try await fixture.names(query, at: development, by: ServiceFixture.binh) == ["a"])
    #expect(try await fixture.storage.read { try $0.jobs() } == [])
  }

  @Test func recordsDoNotExtendTheProductionSchema() async throws {
    let fixture = try await ServiceFixture()
    #expect(
      try await fixture.modify([
        Operation(.create, note("a", type: "Fresh")),
        Operation(.create, note("b", ["fresh": .int64(1)])),
      ]).summary == [
        "BAD_REQUEST: Cannot create new type Fresh in production schema",
        "BAD_REQUEST: Cannot create or modify field 'fresh' in record 'Note' in production schema",
      ])
  }

  @Test(arguments: StorageFactory.all)
  func deployingAddsTypesToProduction(_ factory: StorageFactory) async throws {
    let fixture = try await ServiceFixture(factory)
    try await fixture.save("a", ["name": .string("x")], type: "Fresh", at: development)
    let shown = try await fixture.service.schema(of: container, .production)
    let error = await serviceError { try await fixture.service.deploy(container, shown: shown) }
    #expect(error?.code == .conflict)
    try await fixture.service.deploy(container)
    try await fixture.save("a", ["name": .string("x")], type: "Fresh")
    #expect(
      try await fixture.service.schema(of: container, .production)
        == fixture.service.schema(of: container, .development))
  }

  @Test func deployedTypesAndFieldsCannotBeRemoved() async throws {
    let fixture = try await ServiceFixture()
    let before = try await fixture.service.schema(of: container, .development)
    var schema = before
    schema["Bare"] = nil
    schema["Note"]?.fields["rank"]?.type = .string
    schema["Note"]?.fields["plain"] = nil
    schema["Note"]?.fields["renamed"] = FieldDefinition(.string)
    do {
      try await fixture.service.importDevelopment(schema, of: container)
      Issue.record("imported")
    } catch let refusal as SchemaRefusal {
      #expect(
        refusal.changes.map(\.refusal) == [
          "Cannot remove type 'Bare' from production schema",
          "Cannot remove field 'plain' of type 'Note' from production schema",
          "Cannot change field 'rank' of type 'Note' from INT64 to STRING in production schema",
        ])
    }
    #expect(try await fixture.service.schema(of: container, .development) == before)
    // Types that are not deployed may be removed.
    var fresh = before
    fresh["Fresh"] = RecordType("Fresh")
    try await fixture.service.importDevelopment(fresh, of: container)
    try await fixture.service.importDevelopment(before, of: container)
    #expect(try await fixture.service.schema(of: container, .development) == before)
  }

  @Test(arguments: StorageFactory.all)
  func resettingDeletesTheRecordsOfDevelopment(_ factory: StorageFactory) async throws {
    let fixture = try await ServiceFixture(factory)
    for caller in [ServiceFixture.an, ServiceFixture.binh] {
      try await fixture.makeZone(at: development, by: caller)
      try await fixture.save(
        "a", type: "Fresh", in: ServiceFixture.zone, at: development, by: caller)
      try await fixture.save("a", by: caller)
    }
    let (_, token) = try await fixture.feed(at: development)
    let production = try await fixture.service.schema(of: container, .production)
    #expect(try await fixture.service.resetDevelopment(container) == 2)
    #expect(try await fixture.service.schema(of: container, .development) == production)
    #expect(
      await serviceError { try await fixture.page(at: development) }?.code == .zoneNotFound)
    try await fixture.makeZone(at: development)
    #expect(try await fixture.feed(at: development).records.isEmpty)
    // The owners are new ones, for which the old tokens are not valid.
    #expect(
      await serviceError { try await fixture.page(since: token, at: development) }?.code
        == .badRequest)
    #expect(try await fixture.lookup(["a"]).summary == ["a"])
  }

  @Test func containersAreAddedOnce() async throws {
    let fixture = try await ServiceFixture()
    let before = try await fixture.service.schema(of: container, .production)
    try await fixture.service.addContainer(container, schema: Schema())
    #expect(try await fixture.service.schema(of: container, .production) == before)
    #expect(try await fixture.service.containers() == [container])
    let other = try #require(ContainerID("iCloud.org.other"))
    #expect(
      await serviceError { try await fixture.service.schema(of: other, .production) }?.code
        == .notFound)
  }

  /// The type of a field that is not deployed may change; existing records keep their values.
  @Test(arguments: [false, true])
  func aRetypedFieldShowsEachRecordOnce(_ wasList: Bool) async throws {
    let fixture = try await ServiceFixture()
    func importing(_ type: FieldType) async throws {
      var schema = try await fixture.service.schema(of: container, .production)
      var fresh = RecordType("Fresh", systemIndexes: [.recordID: .queryable])
      fresh.fields["x"] = FieldDefinition(
        type, type.isList ? .queryable : [.queryable, .sortable])
      schema["Fresh"] = fresh
      try await fixture.service.importDevelopment(schema, of: container)
    }
    try await importing(wasList ? .string.list : .int64)
    let old = wasList ? FieldValue.strings(["p", "q"]) : .int64(1)
    try await fixture.save("old", ["x": old], type: "Fresh", at: development)
    try await fixture.save("none", type: "Fresh", at: development)
    try await importing(.string)
    try await fixture.save("new", ["x": .string("p")], type: "Fresh", at: development)
    let sorted = try await fixture.names(
      Query("Fresh", sorts: [Sort("x", ascending: false)]), at: development)
    #expect(sorted.sorted() == ["new", "none", "old"])
    #expect(
      try await fixture.names(
        Query("Fresh", filters: [Filter("x", .equals, .string("p"))]), at: development) == ["new"])
  }
}
