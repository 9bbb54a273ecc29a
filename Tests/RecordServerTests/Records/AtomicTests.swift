import CloudRecords
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

@Suite struct AtomicTests {
  @Test(arguments: StorageFactory.all)
  func oneFailureFailsTheWholeBatch(_ factory: StorageFactory) async throws {
    let fixture = try await ServiceFixture(factory)
    try await fixture.makeZone()
    try await fixture.save("taken", in: ServiceFixture.zone)
    let before = try await fixture.page()
    let operations = [
      Operation(.create, note("a")), Operation(.create, note("taken")),
      Operation(.create, note("b")),
    ]
    let results = try await fixture.modify(operations, in: ServiceFixture.zone)
    #expect(
      results.summary == [
        "ATOMIC_ERROR: Atomic failure", "EXISTS: record to insert already exists",
        "ATOMIC_ERROR: Atomic failure",
      ])
    #expect(results.map(\.recordName) == ["a", "taken", "b"])
    // Nothing was stored: the feed and its token are the same.
    #expect(try await fixture.page() == before)
    let apart = try await fixture.modify(operations, in: ServiceFixture.zone, atomic: false)
    #expect(apart.summary == ["a", "EXISTS: record to insert already exists", "b"])
  }

  @Test func theDefaultZoneRefusesAtomicBatches() async throws {
    let fixture = try await ServiceFixture()
    try await fixture.save("taken")
    let operations = [Operation(.create, note("a")), Operation(.create, note("taken"))]
    #expect(
      await serviceError { try await fixture.modify(operations, atomic: true) }?.cause
        == .atomicInDefaultZone)
    // The batch is also refused if only a record names the default zone.
    var draft = note("b")
    draft.zoneID = .default
    let mixed = [Operation(.create, draft)]
    try await fixture.makeZone()
    #expect(
      await serviceError {
        try await fixture.modify(mixed, in: ServiceFixture.zone, atomic: true)
      }?.cause == .atomicInDefaultZone)
    #expect(try await fixture.lookup(["a", "b"]).allSatisfy { $0.error != nil })
    #expect(
      try await fixture.modify(operations).summary
        == ["a", "EXISTS: record to insert already exists"])
  }

  @Test func zonesOfABatchFailIndependently() async throws {
    let fixture = try await ServiceFixture()
    try await fixture.makeZone()
    func draft(_ name: String, _ zone: ZoneID?) -> RecordInput {
      var draft = note(name)
      draft.zoneID = zone
      return draft
    }
    try await fixture.save("taken", in: ServiceFixture.zone)
    let results = try await fixture.modify([
      Operation(.create, draft("a", nil)), Operation(.create, draft("b", ServiceFixture.zone)),
      Operation(.create, draft("taken", ServiceFixture.zone)),
      Operation(.create, draft("c", ZoneID("nowhere"))),
    ])
    #expect(
      results.summary == [
        "a", "ATOMIC_ERROR: Atomic failure", "EXISTS: record to insert already exists",
        "ZONE_NOT_FOUND: zone not found",
      ])
  }

  @Test func aMissingZoneFailsTheRequest() async throws {
    let fixture = try await ServiceFixture()
    let error = await serviceError {
      try await fixture.modify([Operation(.create, note("a"))], in: ZoneID("nowhere"))
    }
    #expect(error?.code == .zoneNotFound)
    #expect(error?.zoneID?.zoneName == "nowhere")
  }
}
