import CloudRecords
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

/// Fields that the schema marks as required, in a service that enforces them and in one that does
/// not.
struct RequiredFieldTests {
  private static let schema = """
    DEFINE SCHEMA RECORD TYPE Note (
      text STRING, // required
      rank INT64, // required
      place STRING,
      secret ENCRYPTED STRING, // required
      GRANT READ, CREATE, WRITE TO "_creator"
    );
    """
  private static let all: [String: FieldValue] = [
    "text": .string(""), "rank": .int64(0), "secret": .string("s"),
  ]

  private static func fixture(_ factory: StorageFactory, isStrict: Bool) async throws
    -> ServiceFixture
  {
    try await ServiceFixture(factory, schema: schema) {
      $0.isStrictAboutRequiredFields = isStrict
    }
  }

  private static func error(_ field: String) -> String {
    "BAD_REQUEST: field '\(field)' of type 'Note' is required"
  }

  /// The input that clears a field of a record.
  private func cleared(
    _ name: String, _ field: String, _ others: [String: FieldValue] = [:]
  ) -> RecordInput {
    var input = note(name, others)
    input.fields[field] = .null
    return input
  }

  @Test(arguments: StorageFactory.all)
  func aStrictServiceRefusesRecordsThatLackOne(_ factory: StorageFactory) async throws {
    let fixture = try await Self.fixture(factory, isStrict: true)
    let results = try await fixture.modify([
      Operation(.create, note("a", Self.all)),
      Operation(.create, note("b", ["rank": .int64(0), "secret": .string("s")])),
      Operation(.forceReplace, cleared("c", "rank", ["text": .string("")])),
      Operation(.forceUpdate, note("d", [:])),
    ])
    #expect(
      results.summary == ["a", Self.error("text"), Self.error("rank"), Self.error("rank")])
    #expect(try await fixture.lookup(["b", "c", "d"]).allSatisfy { $0.record == nil })
  }

  @Test(arguments: StorageFactory.all)
  func aChangeMayLeaveOutWhatTheRecordHas(_ factory: StorageFactory) async throws {
    let fixture = try await Self.fixture(factory, isStrict: true)
    try await fixture.save("a", Self.all)
    let changed = try await fixture.modify([
      Operation(.forceUpdate, note("a", ["place": .string("x")]))
    ])
    #expect(changed.summary == ["a"])
    let refused = [
      Operation(.forceUpdate, cleared("a", "text")),
      Operation(.forceReplace, note("a", ["place": .string("x")])),
    ]
    for (operation, field) in zip(refused, ["text", "rank"]) {
      #expect(try await fixture.modify([operation]).summary == [Self.error(field)])
    }
    #expect(try await fixture.lookup(["a"])[0].record?["text"] == .string(""))
    try await fixture.delete("a")
  }

  @Test func inAnAtomicRequestNothingIsSaved() async throws {
    let fixture = try await Self.fixture(.standard, isStrict: true)
    try await fixture.makeZone()
    let results = try await fixture.modify(
      [Operation(.create, note("a", Self.all)), Operation(.create, note("b"))],
      in: ServiceFixture.zone)
    #expect(results.map(\.error?.code) == [.atomicError, .badRequest])
    #expect(try await fixture.lookup(["a"], in: ServiceFixture.zone)[0].error?.code == .notFound)
  }

  @Test func otherServicesLeaveItToTheirClients() async throws {
    let fixture = try await Self.fixture(.standard, isStrict: false)
    #expect(try await fixture.modify([Operation(.create, note("a"))]).summary == ["a"])
  }

  @Test func theMarksAreKeptWhenTheSchemaIsDeployed() async throws {
    let fixture = try await Self.fixture(.standard, isStrict: true)
    let container = ServiceFixture.container
    var schema = try await fixture.service.schema(of: container, .production)
    schema["Note"]?.fields["place"]?.isRequired = true
    try await fixture.service.importDevelopment(schema, of: container)
    #expect(try await fixture.modify([Operation(.create, note("a", Self.all))]).summary == ["a"])
    try await fixture.service.deploy(container)
    #expect(try await fixture.service.schema(of: container, .production) == schema)
    #expect(
      try await fixture.modify([Operation(.create, note("b", Self.all))]).summary == [
        Self.error("place")
      ])
  }
}
