import CloudRecords
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

/// The effect of grants in the public database.
@Suite struct GrantTests {
  private let address = ServiceFixture.public

  @Test(arguments: StorageFactory.all)
  func theWorldReadsAndTheCreatorWrites(_ factory: StorageFactory) async throws {
    let fixture = try await ServiceFixture(factory)
    try await fixture.save("p", ["text": .string("x")], type: "Post", at: address)
    for caller in [nil, ServiceFixture.an, ServiceFixture.binh] {
      #expect(try await fixture.lookup(["p"], at: address, by: caller).summary == ["p"])
      #expect(try await fixture.names(Query("Post"), at: address, by: caller) == ["p"])
    }
    for operation in [
      Operation(.update, note("p", tag: "1", type: "Post")),
      Operation(.forceUpdate, note("p", type: "Post")),
      Operation(.forceReplace, note("p", type: "Post")),
      Operation(.delete, note("p", tag: "1", type: nil)),
      Operation(.forceDelete, note("p", type: nil)),
    ] {
      #expect(
        try await fixture.modify([operation], at: address, by: ServiceFixture.binh).summary
          == ["ACCESS_DENIED: WRITE operation not permitted"])
    }
    #expect(
      try await fixture.modify(
        [Operation(.create, note("p", type: "Post"))], at: address, by: ServiceFixture.binh
      ).summary == ["EXISTS: record to insert already exists"])
    try await fixture.delete("p", at: address)
  }

  @Test func createGrantedToTheCreatorIsNotEnough() async throws {
    let fixture = try await ServiceFixture()
    for type in [
      RecordsModify.OperationType.create, .forceUpdate, .forceReplace,
    ] {
      #expect(
        try await fixture.modify([Operation(type, note("n"))], at: address).summary
          == ["ACCESS_DENIED: CREATE operation not permitted"])
    }
    // In the private database grants do not matter.
    try await fixture.save("n")
    // In production an unknown type is refused as unknown, independently of grants.
    #expect(
      try await fixture.modify([Operation(.create, note("n", type: "Nothing"))], at: address)
        .summary
        == ["BAD_REQUEST: Cannot create new type Nothing in production schema"])
  }

  @Test(arguments: StorageFactory.all)
  func unreadableRecordsAreReportedAsNotFound(_ factory: StorageFactory) async throws {
    let fixture = try await ServiceFixture(factory)
    for index in 0..<5 {
      try await fixture.save(
        "an\(index)", ["text": .string("x")], type: "Diary", at: address)
      try await fixture.save(
        "binh\(index)", ["text": .string("x")], type: "Diary", at: address, by: ServiceFixture.binh)
    }
    #expect(
      try await fixture.lookup(["an0", "nobody"], at: address, by: ServiceFixture.binh).map(
        \.error?.summary)
        == ["NOT_FOUND: record not found", "NOT_FOUND: record not found"])
    for query in [
      Query("Diary"), Query("Diary", filters: [Filter("text", .equals, .string("x"))]),
    ] {
      #expect(
        try await fixture.names(query, limit: 2, at: address, by: ServiceFixture.binh)
          == (0..<5).map { "binh\($0)" })
      let error = await serviceError { try await fixture.names(query, at: address, by: nil) }
      #expect(error?.summary == "ACCESS_DENIED: READ operation not permitted")
    }
    for name in ["an0", "nobody"] {
      #expect(
        try await fixture.modify(
          [
            Operation(.update, note(name, tag: "1", type: "Diary"))
          ], at: address, by: ServiceFixture.binh
        ).summary == ["NOT_FOUND: record not found"])
      // Deleting a missing record by force succeeds, and does not tell that this one exists.
      #expect(
        try await fixture.modify(
          [Operation(.forceDelete, note(name, type: nil))], at: address, by: ServiceFixture.binh
        ).summary == ["-\(name)"])
      #expect(
        try await fixture.modify(
          [Operation(.delete, note(name, tag: "1", type: nil))], at: address,
          by: ServiceFixture.binh
        ).summary == ["NOT_FOUND: record not found"])
    }
    #expect(try await fixture.lookup(["an0"], at: address).summary == ["an0"])
  }

  @Test(arguments: StorageFactory.all, [ServiceFixture.private, ServiceFixture.public])
  func deletingAMissingRecordByForceSucceeds(
    _ factory: StorageFactory, _ address: DatabaseAddress
  ) async throws {
    let fixture = try await ServiceFixture(factory)
    try await fixture.save("p", type: "Post", at: address)
    try await fixture.delete("p", at: address)
    for name in ["p", "never"] {
      #expect(
        try await fixture.modify(
          [
            Operation(.forceDelete, note(name, type: nil)),
            Operation(.create, note("after-\(name)", type: "Post")),
          ], at: address
        ).summary == ["-\(name)", "after-\(name)"])
      #expect(
        try await fixture.modify([Operation(.delete, note(name, tag: "1", type: nil))], at: address)
          .summary == ["NOT_FOUND: record not found"])
    }
  }

  @Test func writersWithoutReadGetOnlyTheirOwnFields() async throws {
    let fixture = try await ServiceFixture(
      schema: """
        DEFINE SCHEMA RECORD TYPE Box (
          text STRING, tags LIST<STRING>,
          GRANT READ TO "_creator", GRANT CREATE, WRITE TO "_icloud"
        );
        """)
    var box = note("b", ["text": .string("secret"), "tags": .strings(["x"])], type: "Box")
    box.parent = Parent("p")
    try #require(
      try await fixture.modify([Operation(.create, box)], at: address).first?.record != nil)
    let results = try await fixture.modify(
      [Operation(.forceUpdate, note("b", ["tags": .strings(["y"])], type: "Box"))], at: address,
      by: ServiceFixture.binh)
    let returned = try #require(results.first?.record)
    #expect(Set(returned.fields.keys) == ["tags"])
    #expect(returned.parent == nil)
    #expect(returned.created == nil)
    let own = try await fixture.modify(
      [Operation(.forceUpdate, note("b", type: "Box"))], at: address)
    #expect(own.first?.record.map { Set($0.fields.keys) } == ["text", "tags"])
  }

  @Test func othersMayWriteWhereThatIsGranted() async throws {
    let fixture = try await ServiceFixture()
    let made = try await fixture.save("w", ["text": .string("x")], type: "Wiki", at: address)
    let changed = try await fixture.save(
      "w", ["text": .string("y")], type: "Wiki", at: address, by: ServiceFixture.binh)
    #expect(changed.created == made.created)
    #expect(changed.modified?.userRecordName == ServiceFixture.binh.userRecordName)
    try await fixture.delete("w", at: address, by: ServiceFixture.binh)
    // The name is free again, but no tag is used twice.
    let again = try await fixture.save("w", type: "Wiki", at: address)
    #expect(
      Set([made, changed, again].map(\.recordChangeTag)).count == 3)
    #expect(try await fixture.names(Query("Wiki"), at: address) == ["w"])
  }

  @Test func referencesCascadeInThePublicDatabase() async throws {
    let fixture = try await ServiceFixture()
    try await fixture.save("root", type: "Wiki", at: address)
    try await fixture.save(
      "post", ["about": .reference(Reference("root", action: .deleteSelf))], type: "Post",
      at: address)
    try await fixture.delete("root", at: address, by: ServiceFixture.binh)
    #expect(try await fixture.lookup(["post"], at: address).first?.error?.code == .notFound)
  }

  @Test func theCreatorIsChargedForChangesOfOthers() async throws {
    let fixture = try await ServiceFixture { $0.quota = Usage(bytes: 1000, records: 2) }
    try await fixture.save("w", type: "Wiki", at: address)
    let long = FieldValue.string(String(repeating: "x", count: 996))
    #expect(
      try await fixture.modify(
        [
          Operation(.forceUpdate, note("w", ["text": long], type: "Wiki"))
        ], at: address, by: ServiceFixture.binh
      ).first?.error?.code == .quotaExceeded)
    try await fixture.save("w2", type: "Wiki", at: address)
    #expect(
      try await fixture.modify([Operation(.create, note("w3", type: "Wiki"))], at: address).first?
        .error?.code == .quotaExceeded)
    try await fixture.save("w3", type: "Wiki", at: address, by: ServiceFixture.binh)
    try await fixture.delete("w", at: address, by: ServiceFixture.binh)
    try await fixture.save("w4", type: "Wiki", at: address)
  }

  /// A validating reference to a record that the caller may not read fails as if the record did not
  /// exist, and cannot prevent its deletion.
  @Test func unreadableRecordsCannotBeReferenced() async throws {
    let fixture = try await ServiceFixture()
    try await fixture.save("an0", type: "Diary", at: address)
    try await fixture.save("post", type: "Post", at: address)
    func createReference(_ name: String, by caller: Caller) async throws -> [ErrorCode?] {
      try await fixture.modify(
        [
          Operation(
            .create,
            note(
              "to-\(name)-\(caller.account)",
              ["about": .reference(Reference(name, action: .validate))], type: "Post"))
        ], at: address, by: caller
      ).map(\.error?.code)
    }
    for name in ["an0", "nobody"] {
      #expect(
        try await createReference(name, by: ServiceFixture.binh) == [.validatingReferenceError])
    }
    #expect(try await createReference("post", by: ServiceFixture.binh) == [nil])
    #expect(try await createReference("an0", by: ServiceFixture.an) == [nil])
  }
}
