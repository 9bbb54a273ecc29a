import CloudRecords
import RecordServer
import RecordServiceTesting
import Synchronization
import Testing

/// The schema that a test used, compared with a production schema.
struct UsedSchemaTests {
  /// Saves a note as another device does.
  private static func save(
    _ fields: [String: Field], _ environment: ContainerEnvironment = .development
  ) async throws {
    try await TestContainer.current.service.seed(
      Seed([RecordInput("a", type: "Note", fields: fields)], environment))
  }

  @Test(.container(schema: "notes.ckdb")) func whatATestUsesIsASchema() async throws {
    let cloud = try TestContainer.current
    #expect(cloud.usedSchema == Schema())
    try await Self.save(["text": Field(.string("a")), "size": Field(.int64(1))])
    #expect(
      cloud.usedSchema
        == Schema([
          RecordType(
            "Note",
            fields: ["text": FieldDefinition(.string), "size": FieldDefinition(.int64)])
        ]))
    let production = try await cloud.service.service.schema(of: cloud.container, .production)
    #expect(
      cloud.declarationsMissing(in: production) == [
        .field(type: "Note", field: "size", FieldDefinition(.int64), candidates: [])
      ])
    #expect(cloud.declarationsMissing(in: cloud.usedSchema) == [])
  }

  @Test(.container(schema: "notes.ckdb", production: "notes.ckdb"))
  func aTestThatUsesWhatProductionHasPasses() async throws {
    try await Self.save(["text": Field(.string("a"))])
  }

  @Test func aTestThatUsesMoreThanProductionHasFails() async throws {
    let trait = ContainerTrait.container(schema: "notes.ckdb", production: "notes.ckdb")
    let test = try #require(Test.current)
    let lines = Mutex<[String]>([])
    try await withKnownIssue {
      try await trait.provideScope(for: test, testCase: nil) {
        try await Self.save(["size": Field(.int64(1)), "tag": Field(.string("a"))])
      }
    } matching: { issue in
      lines.withLock { $0 += issue.comments.map(\.rawValue) }
      return issue.sourceLocation == test.sourceLocation
    }
    #expect(
      lines.withLock { $0 } == [
        "field 'size' of 'Note' is missing: INT64",
        "field 'tag' of 'Note' is missing: STRING; it may have been renamed from 'text'",
      ])
  }

  @Test func aProductionSchemaThatCannotBeReadIsAFailure() async throws {
    let trait = ContainerTrait.container(schema: "notes.ckdb", production: "none.ckdb")
    let test = try #require(Test.current)
    await #expect(throws: (any Error).self) {
      try await trait.provideScope(for: test, testCase: nil) {}
    }
  }
}
