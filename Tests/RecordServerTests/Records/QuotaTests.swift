import CloudRecords
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

@Suite struct QuotaTests {
  @Test(arguments: StorageFactory.all)
  func theQuotaLimitsTheNumberOfRecords(_ factory: StorageFactory) async throws {
    let fixture = try await ServiceFixture(factory) {
      $0.quota = Usage(bytes: 1_000_000, records: 3)
    }
    let results = try await fixture.modify(
      ["a", "b", "c", "d"].map { Operation(.create, note($0)) })
    #expect(results.summary == ["a", "b", "c", "QUOTA_EXCEEDED: the quota is exceeded"])
    // Existing records can be changed and deleted.
    try await fixture.save("a", ["rank": .int64(1)])
    try await fixture.delete("a")
    try await fixture.save("d")
    // The quota of another user, or in another environment, is not affected.
    try await fixture.save("e", by: ServiceFixture.binh)
    try await fixture.save("e", at: ServiceFixture.development)
    // In a batch a deletion makes room for what comes after it.
    let batch = try await fixture.modify([
      Operation(.forceDelete, note("b")), Operation(.create, note("f")),
      Operation(.create, note("g")),
    ])
    #expect(batch.summary == ["-b", "f", "QUOTA_EXCEEDED: the quota is exceeded"])
  }

  @Test(arguments: StorageFactory.all)
  func theQuotaLimitsTheBytes(_ factory: StorageFactory) async throws {
    let fixture = try await ServiceFixture(factory) {
      $0.quota = Usage(bytes: 1000, records: 100)
    }
    func save(_ name: String, _ count: Int) async throws -> String {
      try await fixture.modify([
        Operation(
          .forceReplace, note(name, ["plain": .string(String(repeating: "x", count: count))]))
      ]).summary[0]
    }
    #expect(try await save("a", 900) == "a")
    #expect(try await save("b", 200) == "QUOTA_EXCEEDED: the quota is exceeded")
    #expect(try await save("a", 1000) == "QUOTA_EXCEEDED: the quota is exceeded")
    #expect(try await save("a", 100) == "a")
    #expect(try await save("b", 200) == "b")
    try await fixture.delete("a")
    try await fixture.delete("b")
    #expect(try await save("c", 980) == "c")
  }

  /// The usage is compared after all kinds of changes.
  @Test func usageMatchesTheStoredRecords() async throws {
    let fixture = try await ServiceFixture()
    try await fixture.makeZone()
    let owned: [String: FieldValue] = [
      "parentNote": .reference(Reference("root", action: .deleteSelf))
    ]
    try await fixture.save("root", in: ServiceFixture.zone)
    try await fixture.save("child", owned, in: ServiceFixture.zone)
    try await fixture.save("keep", ["plain": .string("xyz")], in: ServiceFixture.zone)
    try await fixture.save("keep", ["plain": .string("x")], in: ServiceFixture.zone)
    try await fixture.delete("root", in: ServiceFixture.zone)
    try await fixture.save("root", in: ServiceFixture.zone)
    try await fixture.save("default", owned)
    let records =
      try await fixture.lookup(["root", "keep"], in: ServiceFixture.zone)
      + fixture.lookup(["default"])
    let bytes = records.compactMap(\.record).reduce(0) { $0 + RecordSize.bytes(of: $1) }
    let usage = try await fixture.storage.read { transaction in
      let owner = try transaction.owner(of: ServiceFixture.private, account: 1)
      return try transaction.usage(of: 1, in: #require(owner).id)
    }
    #expect(usage == Usage(bytes: bytes, records: 3))
  }
}
