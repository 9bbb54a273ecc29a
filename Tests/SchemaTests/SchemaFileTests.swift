import CloudRecords
import Foundation
import RecordServer
import Testing

@testable import RecordServiceSupport

/// Tests that apply to all five schemas.
struct SchemaFileTests {
  @Test(.covers(.exportAndImportChangeNothing), arguments: AppSchema.allCases)
  func exportAndImportChangeNothing(_ app: AppSchema) throws {
    let schema = try app.schema
    let exported = schema.description
    #expect(try Schema(parsing: exported) == schema)
    #expect(try Schema(parsing: exported).description == exported)
    #expect(Schema.changes(from: schema, to: try Schema(parsing: exported)).isEmpty)
  }

  @Test(
    .covers(
      .everySchemaIsImportedAndDeployed, .exportAndImportChangeNothing, .everyStorageServesThem),
    arguments: AppSchema.allCases, Place.allCases)
  func aSchemaIsImportedDeployedAndExported(_ app: AppSchema, _ place: Place) async throws {
    try await AppFixture.run(app, schema: Schema(), on: place) { fixture in
      let service = fixture.web.service
      let schema = try app.schema
      try await service.importDevelopment(schema, of: app.container)
      #expect(try await service.schema(of: app.container, .development) == schema)
      #expect(try await service.schema(of: app.container, .production) == Schema())
      try await service.deploy(app.container, shown: schema)
      let exported = try await service.schema(of: app.container, .production).description
      try await service.importDevelopment(Schema(parsing: exported), of: app.container)
      #expect(try await service.schema(of: app.container, .development) == schema)
      #expect(exported == schema.description)
    }
  }

  @Test(.covers(.requiredFieldsAreLeftToClients), arguments: AppSchema.allCases, Place.allCases)
  func aRecordNeedsNoField(_ app: AppSchema, _ place: Place) async throws {
    try await AppFixture.run(app, on: place) { fixture in
      let an = try await fixture.device("an")
      let types = try app.schema.recordTypes.keys.sorted()
      let saved = try await an.save(types.map { RecordInput("empty-\($0)", type: $0) })
      #expect(saved.map(\.recordType) == types)
      #expect(saved.allSatisfy { $0.fields.isEmpty })
    }
  }

  // MARK: What is not served yet

  @Test(.covers(.noSchemaNeedsWhatIsNotServed), arguments: AppSchema.allCases)
  func nothingNeedsWhatIsNotServed(_ app: AppSchema) throws {
    let schema = try app.schema
    #expect(schema.roles.isEmpty)
    for type in schema.recordTypes.values {
      for definition in type.fields.values {
        #expect(definition.type.primitive != .kind(.location))
        // A field that can be searched for tokens can be found in other ways, too.
        #expect(
          !definition.indexes.contains(.searchable) || definition.indexes.contains(.queryable))
      }
    }
  }

  @Test(.covers(.customRolesAreKept)) func customRolesAreKept() async throws {
    let text = """
      DEFINE SCHEMA
      CREATE ROLE editor;
      RECORD TYPE Page (title STRING QUERYABLE, GRANT READ, WRITE TO editor);
      """
    let schema = try Schema(parsing: text)
    try await AppFixture.run(.tribeBoard, schema: schema, on: .memory) { fixture in
      let kept = try await fixture.web.service.schema(of: fixture.web.container, .production)
      #expect(kept == schema)
      #expect(kept.roles == ["editor"])
      #expect(kept["Page"]?.grants[.custom("editor")] == [.read, .write])
      // No user has the role.
      let an = try await fixture.device("an")
      let results = try await an.modify(
        [Operation(.create, RecordInput("page", type: "Page"))], of: .public)
      #expect(results.summary == ["ACCESS_DENIED: CREATE operation not permitted"])
    }
  }

  private static let places = """
    DEFINE SCHEMA
    RECORD TYPE Place (at LOCATION QUERYABLE, text STRING QUERYABLE SEARCHABLE, picture ASSET);
    """

  @Test(.covers(.unsupportedRequestsSayThatTheyAre))
  func whatIsNotServedIsRefusedWithAReason() async throws {
    let schema = try Schema(parsing: Self.places)
    try await AppFixture.run(.tribeBoard, schema: schema, on: .memory) { fixture in
      let an = try await fixture.device("an")
      let here = FieldValue.location(Location(latitude: 21, longitude: 105))
      try await an.save([note("place", ["at": here, "text": .string("a b")], type: "Place")])
      let queries = [
        ("NEAR", "queries by distance", Filter("at", .near, here)),
        (
          "CONTAINS_ALL_TOKENS", "searches for words",
          Filter("text", .containsAllTokens, .string("a"))
        ),
        (
          "CONTAINS_ANY_TOKENS", "searches for words",
          Filter("text", .containsAnyTokens, .string("a"))
        ),
      ]
      for (comparator, feature, filter) in queries {
        #expect(
          try await an.outcome(Query("Place", filters: [filter])) == [
            "BAD_REQUEST: Invalid predicate: \(feature) are not served (\(comparator))"
          ])
      }
      let endpoints = [
        "records/resolve", "records/accept", "assets/rereference",
      ]
      for endpoint in endpoints {
        for database in ["private", "public"] {
          let path =
            "/database/1/\(fixture.web.container)/production/\(database)/\(endpoint)"
            + "?ckAPIToken=\(fixture.web.apiToken)&ckWebAuthToken=\(an.person.token)"
          let reply = try await fixture.web.send("POST", path, body: Data(#"{"tokens":[]}"#.utf8))
          let error = try #require(reply.error, "\(path): \(reply.text)")
          #expect(error.summary.contains("not served"), "\(path): \(error.summary)")
        }
      }
    }
  }
}
