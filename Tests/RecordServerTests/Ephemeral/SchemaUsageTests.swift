import CloudRecords
import Foundation
import NIOConcurrencyHelpers
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

/// The schema usage that an ephemeral service records.
struct SchemaUsageTests {
  private static let schema = """
    DEFINE SCHEMA
    RECORD TYPE Note (
      "___recordID" REFERENCE QUERYABLE,
      "___modTime"  TIMESTAMP QUERYABLE SORTABLE,
      text          STRING QUERYABLE SEARCHABLE SORTABLE,
      secret        ENCRYPTED STRING,
      tags          LIST<STRING> QUERYABLE,
      createdAt     TIMESTAMP QUERYABLE SORTABLE,
      pinned        INT64 QUERYABLE SORTABLE,
      folder        REFERENCE QUERYABLE,
      GRANT READ TO "_world",
      GRANT CREATE TO "_icloud",
      GRANT READ, CREATE, WRITE TO "_creator"
    );
    RECORD TYPE Folder (name STRING QUERYABLE, GRANT CREATE TO "_icloud", GRANT WRITE TO "_icloud");
    """

  private static func run(
    _ body: @escaping @Sendable (EphemeralFixture) async throws -> Void
  ) async throws {
    let schema = try Schema(parsing: schema)
    try await EphemeralFixture.run({ $0.schema = schema }, body)
  }

  private static func modify(
    _ cloud: EphemeralFixture, _ operations: [RecordsModify.Operation], in zone: ZoneID? = nil,
    as user: EphemeralService.User? = nil, _ environment: ContainerEnvironment = .development,
    _ database: DatabaseScope = .private
  ) async throws -> [ErrorCode?] {
    let request = RecordsModify.Request(operations: operations, zoneID: zone)
    return try await cloud.call(RecordsModify.self, request, as: user, environment, database)
      .records.map(\.error?.code)
  }

  private static func note(_ name: String, _ fields: [String: FieldValue] = [:]) -> RecordInput {
    RecordInput(name, type: "Note", fields: fields.mapValues { Field($0) })
  }

  /// The schema that was used, as the service answers it.
  private static func used(_ cloud: EphemeralFixture) async throws -> Schema {
    try Schema(parsing: try await cloud.control("GET", "usage").text)
  }

  @Test func nothingIsUsedAtTheStart() async throws {
    try await Self.run { cloud in
      let reply = try await cloud.send("GET", "/ephemeral/usage")
      #expect(reply.status == 200)
      #expect(reply.header("Content-Type") == "text/plain; charset=utf-8")
      #expect(reply.text == Schema().description)
      let refused = try await cloud.send(
        "GET", "/ephemeral/usage", headers: [("Origin", "https://example.org")])
      #expect(refused.error?.code == .accessDenied)
    }
  }

  @Test func savedFieldsAreUsedWithTheirTypes() async throws {
    try await Self.run { cloud in
      let fields: [String: FieldValue] = [
        "text": .string("a"), "secret": .string("b"), "tags": .strings(["c"]),
      ]
      #expect(
        try await Self.modify(cloud, [.init(.create, Self.note("a", fields))]) == [nil])
      #expect(
        try await Self.used(cloud)
          == Schema([
            RecordType(
              "Note",
              fields: [
                "text": FieldDefinition(.string), "secret": FieldDefinition(.string.encrypted),
                "tags": FieldDefinition(.string.list),
              ])
          ]))
      // An update uses the fields that it sends, even a field that it clears.
      var update = RecordInput("a")
      update["pinned"] = .int64(1)
      update["createdAt"] = nil
      #expect(try await Self.modify(cloud, [.init(.forceUpdate, update)]) == [nil])
      let used = try await Self.used(cloud)
      #expect(used["Note"]?.fields["pinned"] == FieldDefinition(.int64))
      #expect(used["Note"]?.fields["createdAt"] == FieldDefinition(.timestamp))
      #expect(used["Note"]?.fields["folder"] == nil)
      #expect(used == cloud.ephemeral.schemaUsage.schema)
    }
  }

  @Test func typesAndFieldsThatAreCreatedBySavingAreUsed() async throws {
    try await Self.run { cloud in
      let record = RecordInput("a", type: "New", fields: ["size": Field(.double(1))])
      let errors = try await Self.modify(cloud, [.init(.create, record)])
      #expect(errors == [nil])
      #expect(
        try await Self.used(cloud)
          == Schema([RecordType("New", fields: ["size": FieldDefinition(.double)])]))
    }
  }

  @Test func whatFailedOrWasRolledBackIsNotUsed() async throws {
    try await Self.run { cloud in
      _ = try await cloud.call(
        ZonesModify.self, .init(operations: [.init(.create, ZoneID("Z"))]))
      let bad = Self.note("bad", ["pinned": .string("no number")])
      let good = Self.note("good", ["text": .string("a")])
      let operations: [RecordsModify.Operation] = [.init(.create, good), .init(.create, bad)]
      #expect(
        try await Self.modify(cloud, operations, in: ZoneID("Z")) == [.atomicError, .badRequest])
      let query = Query("Note", filters: [Filter("secret", .equals, .string("a"))])
      #expect(
        try await cloud.reply(RecordsQuery.self, .init(query)).error?.code == .badRequest)
      let subscription = Subscription("s", .query, query: query, firesOn: [.create])
      let refused = try await cloud.call(
        SubscriptionsModify.self, .init(operations: [.init(.create, subscription)]))
      #expect(refused.subscriptions[0].error?.code == .badRequest)
      #expect(try await Self.used(cloud) == Schema())
      // Only the operation that succeeded counts.
      #expect(try await Self.modify(cloud, operations) == [nil, .badRequest])
      #expect(try await Self.used(cloud)["Note"]?.fields == ["text": FieldDefinition(.string)])
    }
  }

  @Test func productionIsNotRecorded() async throws {
    try await Self.run { cloud in
      #expect(
        try await Self.modify(
          cloud, [.init(.create, Self.note("a", ["text": .string("a")]))], as: nil, .production)
          == [nil])
      _ = try await cloud.call(
        RecordsQuery.self, .init(Query("Note")), as: nil, .production)
      #expect(try await Self.used(cloud) == Schema())
    }
  }

  // MARK: Queries and subscriptions

  @Test(arguments: [
    (Filter("text", .equals, .string("a")), Indexes.queryable),
    (Filter("text", .beginsWith, .string("a")), .queryable),
    (Filter("text", .lessThan, .string("a")), .sortable),
    (Filter("tags", .listContains, .string("a")), .queryable),
    (Filter("pinned", .greaterThanOrEquals, .int64(1)), .sortable),
    (Filter("___recordID", .equals, .reference(Reference("a", action: nil))), .queryable),
    (Filter("___modTime", .greaterThan, .timestamp(Timestamp(milliseconds: 0))), .sortable),
  ])
  func aFilterUsesTheIndexOfItsComparator(_ filter: Filter, _ index: Indexes) async throws {
    try await Self.run { cloud in
      _ = try await cloud.call(RecordsQuery.self, .init(Query("Note", filters: [filter])))
      let used = try await Self.used(cloud)
      #expect(used.recordTypes.count == 1)
      let type = try #require(used["Note"])
      switch filter.field {
      case .system(let field)?:
        #expect(type.systemIndexes == [field: index])
        #expect(type.fields.isEmpty)
      case .named(let name)?:
        #expect(type.fields.mapValues(\.indexes) == [name: index])
        #expect(type.systemIndexes.isEmpty)
      case nil: Issue.record("no field")
      }
      #expect(try await cloud.control("GET", "usage").text.contains("/* filtered by */"))
    }
  }

  @Test func aSortUsesTheSortableIndexAndAQueryWithoutFiltersTheRecordName() async throws {
    try await Self.run { cloud in
      let query = Query("Note", sorts: [Sort("createdAt"), Sort("___modTime", ascending: false)])
      _ = try await cloud.call(RecordsQuery.self, .init(query))
      let text = try await cloud.control("GET", "usage").text
      #expect(text.contains(#""___modTime"    TIMESTAMP SORTABLE /* sorted by */"#))
      #expect(text.contains(#""___recordID"   REFERENCE QUERYABLE /* queried without a filter */"#))
      #expect(text.contains("createdAt       TIMESTAMP SORTABLE /* sorted by */"))
      let type = try #require(try Schema(parsing: text)["Note"])
      #expect(type.fields == ["createdAt": FieldDefinition(.timestamp, .sortable)])
      #expect(type.systemIndexes == [.modTime: .sortable, .recordID: .queryable])
    }
  }

  @Test func aSubscriptionUsesItsTypeAndTheIndexesOfItsFilters() async throws {
    try await Self.run { cloud in
      let all = Subscription("all", .query, query: Query("Folder"), firesOn: [.create])
      let pinned = Subscription(
        "pinned", .query,
        query: Query("Note", filters: [Filter("pinned", .equals, .int64(1))]), firesOn: [.update])
      let answer = try await cloud.call(
        SubscriptionsModify.self,
        .init(operations: [.init(.create, all), .init(.create, pinned)]))
      #expect(answer.subscriptions.allSatisfy { $0.error == nil })
      let text = try await cloud.control("GET", "usage").text
      #expect(text.contains("RECORD TYPE Folder ( /* subscribed to */"))
      #expect(text.contains("INT64 QUERYABLE /* filter of a subscription */"))
      #expect(
        try Schema(parsing: text)
          == Schema([
            RecordType("Folder"),
            RecordType("Note", fields: ["pinned": FieldDefinition(.int64, .queryable)]),
          ]))
    }
  }

  // MARK: References

  @Test func theTypeOfAReferencesTargetIsUsed() async throws {
    let last = NIOLockedValueBox(SchemaUsage())
    let schema = try Schema(parsing: Self.schema)
    try await EphemeralFixture.run {
      $0.schema = schema
      $0.options.onSchemaUsage = { usage in last.withLockedValue { $0 = usage } }
    } _: { cloud in
      let folder = RecordInput("f", type: "Folder", fields: ["name": Field(.string("f"))])
      #expect(try await Self.modify(cloud, [.init(.create, folder)]) == [nil])
      for (target, types) in [("f", ["Folder", "Note"]), ("unknown", ["Note"])] {
        let note = Self.note("note of \(target)", ["folder": .reference(Reference(target))])
        #expect(try await Self.modify(cloud, [.init(.create, note)]) == [nil])
        // The usage of this request alone: the folder was saved before it.
        #expect(last.withLockedValue { $0.schema.recordTypes.keys.sorted() } == types)
      }
      let text = try await cloud.control("GET", "usage").text
      #expect(text.contains("RECORD TYPE Folder ( /* target of a reference */"))
    }
  }

  @Test func aTargetCanBeSavedByTheSameRequest() async throws {
    try await Self.run { cloud in
      let child = Self.note(
        "child", ["folder": .reference(Reference("f", action: .deleteSelf))])
      let folder = RecordInput("f", type: "Folder")
      #expect(
        try await Self.modify(cloud, [.init(.create, child), .init(.create, folder)]) == [nil, nil])
      let text = try await cloud.control("GET", "usage").text
      #expect(text.contains("RECORD TYPE Folder ( /* target of a reference */"))
    }
  }

  // MARK: Grants

  /// The grants that were used, as `TYPE ROLE PERMISSION`.
  private static func grants(_ cloud: EphemeralFixture) async throws -> Set<String> {
    let types = try await used(cloud).recordTypes.values
    return Set(
      types.flatMap { type in
        type.grants.permissions.flatMap { role, permissions in
          permissions.map { "\(type.name) \(role.name) \($0.rawValue)" }
        }
      })
  }

  @Test func thePublicDatabaseUsesTheGrantThatPermits() async throws {
    try await Self.run { cloud in
      let (an, binh) = (cloud.ephemeral.users[0], cloud.ephemeral.users[1])
      func modify(
        _ type: RecordsModify.OperationType, _ record: RecordInput, as user: EphemeralService.User
      ) async throws -> ErrorCode? {
        try await Self.modify(cloud, [.init(type, record)], as: user, .development, .public)[0]
      }
      #expect(try await modify(.create, Self.note("a"), as: an) == nil)
      #expect(try await Self.grants(cloud) == ["Note _icloud CREATE"])
      // Another user may read the note, but not change it.
      #expect(try await modify(.forceUpdate, Self.note("a"), as: binh) == .accessDenied)
      #expect(try await Self.grants(cloud) == ["Note _icloud CREATE"])
      _ = try await cloud.call(
        RecordsLookup.self, .init(records: [.init("a"), .init("unknown")]), as: binh, .development,
        .public)
      #expect(try await Self.grants(cloud) == ["Note _icloud CREATE", "Note _world READ"])
      #expect(try await modify(.forceUpdate, Self.note("a"), as: an) == nil)
      let all: Set = ["Note _icloud CREATE", "Note _world READ", "Note _creator WRITE"]
      #expect(try await Self.grants(cloud) == all)
      // Before the deletion, the note is read with the grant of its creator.
      #expect(try await modify(.forceDelete, RecordInput("a"), as: an) == nil)
      #expect(try await Self.grants(cloud) == all.union(["Note _creator READ"]))
    }
  }

  @Test func aQueryOfThePublicDatabaseUsesTheGrantToRead() async throws {
    try await Self.run { cloud in
      let all = RecordsQuery.Request(Query("Note"))
      _ = try await cloud.call(RecordsQuery.self, all, as: nil, .development, .public)
      #expect(try await Self.grants(cloud) == ["Note _world READ"])
      // No role may read folders.
      let folders = RecordsQuery.Request(
        Query("Folder", filters: [Filter("name", .equals, .string("a"))]))
      let refused = try await cloud.reply(
        RecordsQuery.self, folders, as: nil, .development, .public)
      #expect(refused.error?.code == .accessDenied)
      #expect(try await Self.grants(cloud) == ["Note _world READ"])
    }
  }

  @Test func thePrivateDatabaseUsesNoGrants() async throws {
    try await Self.run { cloud in
      #expect(try await Self.modify(cloud, [.init(.create, Self.note("a"))]) == [nil])
      _ = try await cloud.call(RecordsQuery.self, .init(Query("Note")))
      _ = try await cloud.call(RecordsLookup.self, .init(records: [.init("a")]))
      #expect(try await Self.grants(cloud) == [])
    }
  }

  // MARK: Duration

  @Test func aResetAndARestoredSnapshotKeepTheUsage() async throws {
    try await Self.run { cloud in
      func save(_ name: String, _ field: String) async throws {
        let note = Self.note(name, [field: field == "text" ? .string("a") : .int64(1)])
        #expect(try await Self.modify(cloud, [.init(.create, note)]) == [nil])
      }
      try await save("a", "text")
      #expect(try await cloud.control("POST", "reset").status == 200)
      let snapshot = try cloud.ephemeral.snapshot()
      try await save("b", "pinned")
      try await cloud.ephemeral.restore(snapshot)
      #expect(try await cloud.existing("a", "b") == [])
      #expect(
        try await Self.used(cloud)["Note"]?.fields.keys.sorted() == ["pinned", "text"])
    }
  }

  @Test func mergedUsagesHaveTheIndexesAndPurposesOfBoth() throws {
    let schema = try Schema(parsing: Self.schema)
    var used = SchemaUsage()
    used.add(
      Query(
        "Note", filters: [Filter("text", .equals, .string("a"))], sorts: [Sort("___modTime")]),
      in: schema)
    var other = SchemaUsage()
    other.add(Query("Note", sorts: [Sort("text")]), in: schema)
    other.add(targetType: "Folder")
    used.merge(other)
    #expect(
      used.schema
        == Schema([
          RecordType("Folder"),
          RecordType(
            "Note", fields: ["text": FieldDefinition(.string, [.queryable, .sortable])],
            systemIndexes: [.modTime: .sortable, .recordID: .queryable]),
        ]))
    #expect(used.purposes(ofType: "Note", field: "text") == [.filter, .sort])
    #expect(used.text.contains("STRING QUERYABLE SORTABLE /* filtered by, sorted by */"))
  }

  /// A reset allows tests to use a field with another type.
  @Test func theOrderOfMergedUsagesWithSeveralTypesDoesNotMatter() throws {
    let usages = try [FieldType.string, .number, .string.encrypted, .number].map { type in
      var schema = try Schema(parsing: Self.schema)
      schema["Note"]?.fields["text"] = FieldDefinition(type, type.possibleIndexes)
      var usage = SchemaUsage()
      usage.add(fields: ["text"], ofType: "Note", in: schema)
      if !type.isEncrypted { usage.add(Query("Note", sorts: [Sort("text")]), in: schema) }
      return usage
    }
    func merged(_ usages: some Sequence<SchemaUsage>) -> SchemaUsage {
      usages.reduce(into: SchemaUsage()) { $0.merge($1) }
    }
    let used = merged(usages[..<2])
    #expect(used == merged(usages[..<2].reversed()))
    #expect(used.schema["Note"]?.fields["text"] == FieldDefinition(.number, .sortable))
    #expect(used.text.contains("NUMBER SORTABLE /* sorted by, also used as STRING */"))
    let all = merged(usages)
    #expect(all == merged(usages.reversed()))
    // An encrypted field has no index, so the schema remains valid.
    #expect(all.schema["Note"]?.fields["text"] == FieldDefinition(.string.encrypted))
    #expect(all.text.contains("also used as NUMBER, also used as STRING"))
    _ = try Schema(parsing: all.text)
  }

  @Test func aServiceThatIsNotEphemeralRecordsNothing() {
    #expect(ServiceOptions().onSchemaUsage == nil)
  }
}
