import CloudRecords
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

/// The seven operations, as CloudKit Web Services documents them for `records/modify`.
@Suite struct ModifyTests {
  @Test(arguments: StorageFactory.all)
  func createFailsIfTheRecordExists(_ factory: StorageFactory) async throws {
    let fixture = try await ServiceFixture(factory)
    let first = try await fixture.modify([Operation(.create, note("a", ["rank": .int64(1)]))])
    let record = try #require(first.first?.record)
    #expect(record["rank"] == .int64(1))
    #expect(record.created?.userRecordName == ServiceFixture.an.userRecordName)
    #expect(record.created?.timestamp.milliseconds == fixture.clock.now)
    // Without a zone, a record is in the default zone.
    #expect(record.zoneID == nil)
    let second = try await fixture.modify([Operation(.create, note("a", ["rank": .int64(2)]))])
    #expect(second.summary == ["EXISTS: record to insert already exists"])
    #expect(try await fixture.lookup(["a"]) == first)
  }

  @Test func recordsWithoutANameGetOne() async throws {
    let fixture = try await ServiceFixture { $0.newName = { "made-up" } }
    let results = try await fixture.modify([Operation(.create, note(nil))])
    #expect(results.summary == ["made-up"])
    #expect(try await fixture.lookup(["made-up"]) == results)
  }

  @Test(arguments: StorageFactory.all)
  func updateChangesOnlyTheGivenFields(_ factory: StorageFactory) async throws {
    let fixture = try await ServiceFixture(factory)
    let old = try await fixture.save("a", ["text": .string("x"), "rank": .int64(1)])
    fixture.clock.advance(10)
    var draft = note("a", ["rank": .int64(2)], tag: old.recordChangeTag)
    let new = try #require(try await fixture.modify([Operation(.update, draft)]).first?.record)
    #expect(new["text"] == .string("x"))
    #expect(new["rank"] == .int64(2))
    #expect(new.recordChangeTag != old.recordChangeTag)
    #expect(new.created == old.created)
    #expect(new.modified?.timestamp.milliseconds == fixture.clock.now)
    // The old tag does not match any more.
    #expect(
      try await fixture.modify([Operation(.update, draft)]).summary
        == ["CONFLICT: client oplock error updating record"])
    draft.recordChangeTag = new.recordChangeTag
    draft["text"] = nil
    let cleared = try await fixture.modify([Operation(.update, draft)])
    #expect(cleared.first?.record?.fields.keys.sorted() == ["rank"])
    #expect(try await fixture.lookup(["a"]) == cleared)
  }

  @Test(arguments: StorageFactory.all)
  func replaceRemovesTheOtherFields(_ factory: StorageFactory) async throws {
    let fixture = try await ServiceFixture(factory)
    let old = try await fixture.save("a", ["text": .string("x"), "rank": .int64(1)])
    let draft = note("a", ["rank": .int64(2)], tag: old.recordChangeTag)
    let results = try await fixture.modify([Operation(.replace, draft)])
    #expect(results.first?.record?.fields.keys.sorted() == ["rank"])
    #expect(
      try await fixture.modify([Operation(.replace, draft)]).summary
        == ["CONFLICT: client oplock error updating record"])
    #expect(try await fixture.lookup(["a"]) == results)
  }

  @Test func forcedWritesIgnoreTagsAndCreateRecords() async throws {
    let fixture = try await ServiceFixture()
    let made = try await fixture.modify([
      Operation(.forceUpdate, note("a", ["text": .string("x")], tag: "zzz")),
      Operation(.forceReplace, note("b", ["text": .string("x")])),
      Operation(.forceUpdate, note("c", type: nil)),
      Operation(.forceReplace, note("d", type: nil)),
    ])
    #expect(
      made.summary == [
        "a", "b", "BAD_REQUEST: recordType is missing", "BAD_REQUEST: recordType is missing",
      ])
    let changed = try await fixture.modify([
      Operation(.forceUpdate, note("a", ["rank": .int64(1)], tag: "stale", type: nil)),
      Operation(.forceReplace, note("b", ["rank": .int64(1)], tag: "stale", type: nil)),
    ])
    #expect(changed[0].record?.fields.keys.sorted() == ["rank", "text"])
    #expect(changed[1].record?.fields.keys.sorted() == ["rank"])
  }

  @Test(arguments: StorageFactory.all)
  func deleteNeedsTheChangeTagUnlessForced(_ factory: StorageFactory) async throws {
    let fixture = try await ServiceFixture(factory)
    let a = try await fixture.save("a")
    try await fixture.save("b")
    #expect(
      try await fixture.modify([
        Operation(.delete, note("a", tag: "stale", type: nil)),
        Operation(.delete, note("b", type: nil)),
      ]).summary == [
        "CONFLICT: client oplock error updating record",
        "BAD_REQUEST: recordChangeTag is missing",
      ])
    #expect(try await fixture.lookup(["a", "b"]).summary == ["a", "b"])
    #expect(
      try await fixture.modify([
        Operation(.delete, note("a", tag: a.recordChangeTag, type: nil)),
        Operation(.forceDelete, note("b", type: nil)),
      ]).summary == ["-a", "-b"])
    #expect(
      try await fixture.lookup(["a", "b"]).map(\.error?.code) == [.notFound, .notFound])
  }

  @Test func missingRecordsAreNotFound() async throws {
    let fixture = try await ServiceFixture()
    try await fixture.save("gone")
    try await fixture.delete("gone")
    for name in ["never", "gone"] {
      #expect(
        try await fixture.modify([
          Operation(.update, note(name, tag: "1"))
        ]).summary == ["NOT_FOUND: record not found"])
      #expect(
        try await fixture.modify([Operation(.replace, note(name, tag: "1"))]).summary
          == ["NOT_FOUND: record not found"])
      #expect(
        try await fixture.modify([Operation(.delete, note(name, tag: "1"))]).summary
          == ["NOT_FOUND: record not found"])
      // A forced deletion of a missing record succeeds, as in Apple's CloudKit framework.
      #expect(
        try await fixture.modify([Operation(.forceDelete, note(name))]).summary == ["-\(name)"])
    }
  }

  @Test(arguments: StorageFactory.all)
  func aRecordNameIsFreeAfterItsDeletion(_ factory: StorageFactory) async throws {
    let fixture = try await ServiceFixture(factory)
    var tags: Set<String> = []
    for round in 1...5 {
      fixture.clock.advance(1)
      let record = try #require(
        try await fixture.modify([
          Operation(.create, note("a", ["rank": .int64(Int64(round))]))
        ]).first?.record)
      #expect(record.created?.timestamp.milliseconds == fixture.clock.now)
      #expect(tags.insert(try #require(record.recordChangeTag)).inserted)
      try await fixture.delete("a")
    }
    // Another type may have the name then.
    #expect(try await fixture.save("a", type: "Bare").recordType == "Bare")
  }

  @Test func operationsFailIndividually() async throws {
    let fixture = try await ServiceFixture()
    let results = try await fixture.modify([
      Operation(.create, note("good")),
      Operation(.create, note("_bad")),
      Operation(.create, note("a", ["rank": .string("x")])),
      Operation(.create, note("b", ["nothing": .string("x")])),
      Operation(.create, note("c", type: "Nothing")),
      Operation(.create, note("d", ["file": .asset(Asset(fileChecksum: "x", size: 1))])),
      Operation(.create, note("also-good")),
    ])
    #expect(
      results.summary == [
        "good", "BAD_REQUEST: the name '_bad' must not begin with \"_\"",
        "BAD_REQUEST: invalid attempt to set value type STRING for field 'rank' for type 'Note', "
          + "defined to be: INT64",
        "BAD_REQUEST: Cannot create or modify field 'nothing' in record 'Note' in production "
          + "schema",
        "BAD_REQUEST: Cannot create new type Nothing in production schema",
        "BAD_REQUEST: the asset in field 'file' has no valid receipt; upload it for this record and "
          + "field", "also-good",
      ])
    #expect(results.map(\.recordName) == ["good", "_bad", "a", "b", "c", "d", "also-good"])
    #expect(
      try await fixture.lookup(["good", "a", "b", "c", "d", "also-good"]).map { $0.record != nil }
        == [true, false, false, false, false, true])
  }

  @Test func onlyTheOwnUserRecordCanBeCreated() async throws {
    let fixture = try await ServiceFixture()
    let own = ServiceFixture.an.userRecordName
    #expect(try await fixture.modify([Operation(.create, note(own))]).summary == [own])
    let other = ServiceFixture.binh.userRecordName
    #expect(
      try await fixture.modify([Operation(.create, note(other))]).map(\.error?.code)
        == [.badRequest])
  }

  @Test func aRecordKeepsItsType() async throws {
    let fixture = try await ServiceFixture()
    let record = try await fixture.save("a")
    let results = try await fixture.modify([
      Operation(.update, note("a", tag: record.recordChangeTag, type: "Bare"))
    ])
    #expect(results.summary == ["BAD_REQUEST: the record is of type 'Note'"])
  }

  @Test func answersHaveOnlyTheDesiredKeys() async throws {
    let fixture = try await ServiceFixture()
    let fields: [String: FieldValue] = ["text": .string("x"), "rank": .int64(1)]
    let answer = try await fixture.service.modify(
      RecordsModify.Request(
        operations: [
          Operation(.create, note("a", fields)),
          Operation(.create, note("b", fields), desiredKeys: []),
        ], desiredKeys: ["rank"]), at: ServiceFixture.private, by: ServiceFixture.an)
    #expect(answer.records.map { $0.record?.fields.keys.sorted() } == [["rank"], []])
    #expect(try await fixture.lookup(["b"]).first?.record?.fields.count == 2)
  }

  @Test func everyValueIsReturnedUnchanged() async throws {
    let fixture = try await ServiceFixture()
    let fields: [String: FieldValue] = [
      "text": .string("Nhân danh\u{0} \u{1F600}"), "rank": .int64(.max - 1), "weight": .double(0.1),
      "at": .timestamp(Timestamp(milliseconds: -1)), "data": .bytes(.init([0, 255, 128])),
      "tags": .strings([]), "scores": .int64s([.min, 0, 9_007_199_254_740_993]),
      "parentNote": .reference(Reference("nobody", action: .noAction)),
      "links": .references([Reference("x", action: .noAction)]),
      "place": .location(Location(latitude: 21.03, longitude: 105.85)), "plain": .string(""),
    ]
    try await fixture.save("a", fields)
    let record = try await fixture.lookup(["a"]).first?.record
    #expect(record?.fields.mapValues(\.value) == fields.mapValues(Optional.some))
  }

  @Test func encryptedFieldsAreStoredSealed() async throws {
    let fixture = try await ServiceFixture()
    let record = try await fixture.save("a", ["secret": .string("QuranSecretText")])
    #expect(record.fields["secret"] == Field(.string("QuranSecretText"), isEncrypted: true))
    #expect(try await fixture.lookup(["a"]).first?.record == record)
    let (content, sealed) = try await fixture.storage.read { transaction in
      let owner = try transaction.owner(of: ServiceFixture.private, account: 1)
      let zone = try transaction.zone(ZoneID.defaultName, of: #require(owner).id)
      let scope = Scope(try #require(zone), isPublic: false)
      let row = try #require(try transaction.records(["a"], in: scope, bytes: .max)["a"])
      return (row.content, try #require(row.sealed))
    }
    #expect(!String(decoding: content, as: UTF8.self).contains("QuranSecretText"))
    #expect(!String(decoding: sealed, as: UTF8.self).contains("QuranSecretText"))
  }

  @Test func tooLargeAndAmbiguousRequestsFailAsAWhole() async throws {
    let fixture = try await ServiceFixture()
    let many = (0...200).map { Operation(.create, note("n\($0)")) }
    #expect(
      await serviceError { try await fixture.modify(many) }?.cause
        == .tooManyItems(201, limit: 200))
    #expect(
      await serviceError {
        try await fixture.modify([
          Operation(.create, note("x")), Operation(.forceDelete, note("x")),
        ])
      }?.code == .badRequest)
    let large = String(repeating: "x", count: 1 << 20)
    #expect(
      await serviceError {
        try await fixture.modify([
          Operation(.create, note("y")), Operation(.create, note("z", ["plain": .string(large)])),
        ])
      }?.code == .badRequest)
    #expect(try await fixture.lookup(["n0", "x", "y", "z"]).allSatisfy { $0.error != nil })
  }

  @Test func aRecordDoesNotGrowAboveTheLimit() async throws {
    let fixture = try await ServiceFixture()
    let half = String(repeating: "x", count: 600_000)
    try await fixture.save("a", ["plain": .string(half)])
    let before = try await fixture.lookup(["a"])
    let results = try await fixture.modify([
      Operation(.forceUpdate, note("a", ["text": .string(half)]))
    ])
    #expect(results.first?.error?.code == .badRequest)
    #expect(try await fixture.lookup(["a"]) == before)
  }

  @Test(arguments: largeTexts) func answersAreLimitedInBytes(large: String) async throws {
    let fixture = try await ServiceFixture()
    for index in 0..<20 { try await fixture.save("r\(index)", ["plain": .string(large)]) }
    let results = try await fixture.modify(
      (0..<20).map { Operation(.forceUpdate, note("r\($0)", ["rank": .int64(1)])) })
    let count = results.count { $0.record != nil }
    // Escape sequences count as more work.
    #expect(count == (large.hasPrefix("x") ? 16 : 7))
    #expect(results.dropFirst(count).allSatisfy { $0.error?.code == .limitExceeded })
    let looked = try await fixture.lookup((0..<20).map { "r\($0)" })
    #expect(looked.prefix(5).allSatisfy { $0.record != nil })
    #expect(looked.dropFirst(5).allSatisfy { $0.error?.code == .limitExceeded })
  }

  /// The JSON of an empty reference is many times larger than the size that counts for it.
  @Test func answersWithManySmallRecordsAreLimitedInBytes() async throws {
    let fixture = try await ServiceFixture()
    let empty = Reference("", zoneID: ZoneID("", ownerRecordName: ""))
    let links = FieldValue.references(Array(repeating: empty, count: 3_000))
    for index in 0..<100 { try await fixture.save("r\(index)", ["links": links]) }
    let results = try await fixture.modify(
      (0..<100).map { Operation(.forceUpdate, note("r\($0)", ["rank": .int64(1)])) })
    let sent = results.compactMap(\.record)
    #expect(try sent.reduce(0) { try $0 + CanonicalJSON.encode($1.fields).count } <= 16 << 20)
    #expect(!sent.isEmpty && sent.count < 100)
    #expect(
      results.suffix(100 - sent.count).allSatisfy { $0.error?.code == .limitExceeded })
  }

  @Test func zonesShareTheLimitOfAnAnswer() async throws {
    let fixture = try await ServiceFixture()
    let zones = (0..<6).map { ZoneID("z\($0)") }
    // 3.9 MB of JSON each.
    let text = FieldValue.string(String(repeating: "\0", count: 650_000))
    for zone in zones {
      try await fixture.makeZone(zone)
      try await fixture.save("a", ["plain": text], in: zone)
    }
    let results = try await fixture.modify(
      zones.map { zone in
        var record = note("a", ["rank": .int64(1)])
        record.zoneID = zone
        return Operation(.forceUpdate, record)
      })
    #expect(results.map(\.error?.code) == [nil, nil, nil, nil, .limitExceeded, .limitExceeded])
    #expect(results.last?.error?.cause == .responseTooLarge)
  }

  /// Other writers wait while large records are read and changed.
  @Test func theRecordsThatARequestReadsAreLimitedInBytes() async throws {
    let fixture = try await ServiceFixture()
    // 3.9 MB of JSON each.
    let text = FieldValue.string(String(repeating: "\0", count: 650_000))
    let names = (0..<12).map { "r\($0)" }
    for name in names { try await fixture.save(name, ["plain": text]) }
    let deleted = try await fixture.modify(
      names.map { Operation(.forceDelete, note($0)) }, atomic: false)
    let count = deleted.count { $0.error == nil }
    #expect(count == 8)
    for result in deleted.dropFirst(count) {
      #expect(result.error?.cause == .batchTooLarge(limit: 32 << 20))
    }
    // The records whose deletion was refused still exist, and can be deleted.
    let rest = try await fixture.modify(
      names.dropFirst(count).map { Operation(.forceDelete, note($0)) })
    #expect(rest.allSatisfy { $0.error == nil })
    #expect(try await fixture.lookup(names).allSatisfy { $0.error?.code == .notFound })
  }

  /// Reading a number of a list takes as long as reading many bytes of text.
  @Test func theValuesThatARequestReadsAreLimited() async throws {
    let fixture = try await ServiceFixture()
    let names = (0..<12).map { "r\($0)" }
    let numbers = FieldValue.int64s(Array(repeating: 1, count: 110_000))
    for name in names { try await fixture.save(name, ["scores": numbers]) }
    let changed = try await fixture.modify(
      names.map { Operation(.forceUpdate, note($0, ["rank": .int64(1)])) }, atomic: false)
    let count = changed.count { $0.error == nil }
    #expect(count == 5)
    for result in changed.dropFirst(count) {
      #expect(result.error?.cause == .batchTooLarge(limit: 32 << 20))
    }
  }

  /// Each record refers to the next one, which is missing for the last one, so each pass refuses
  /// one more.
  @Test func thePassesOfARequestShareItsWork() async throws {
    let fixture = try await ServiceFixture()
    let text = FieldValue.string(String(repeating: "x", count: 990_000))
    let results = try await fixture.modify(
      (0..<8).map { index in
        let next = FieldValue.reference(Reference("r\(index + 1)", action: .validate))
        return Operation(.create, note("r\(index)", ["plain": text, "parentNote": next]))
      }, atomic: false)
    #expect(results.allSatisfy { $0.record == nil })
    #expect(results.contains { $0.error?.cause == .batchTooLarge(limit: 32 << 20) })
  }

  @Test func aRecordIsLimitedByItsJSONToo() async throws {
    let fixture = try await ServiceFixture()
    let results = try await fixture.modify([
      Operation(.create, note("a", ["plain": .string(String(repeating: "\0", count: 690_000))])),
      Operation(.create, note("b", ["plain": .string(String(repeating: "\0", count: 710_000))])),
    ])
    #expect(results[0].record != nil)
    guard case .recordJSONTooLarge(let bytes)? = results[1].error?.cause else {
      Issue.record("\(results[1])")
      return
    }
    #expect((4_260_000..<4_270_000).contains(bytes))
  }

  @Test func anonymousChangesAreRefused() async throws {
    let fixture = try await ServiceFixture()
    for address in [ServiceFixture.private, ServiceFixture.public] {
      let error = await serviceError {
        try await fixture.modify([Operation(.create, note("a"))], at: address, by: nil)
      }
      #expect(error?.code == .authenticationRequired)
      #expect(error?.cause == .authorizationNeeded)
    }
  }

  @Test func unknownContainersAndSharedDatabasesAreRefused() async throws {
    let fixture = try await ServiceFixture()
    let other = DatabaseAddress(
      try #require(ContainerID("iCloud.org.other")), .production, .private)
    #expect(
      await serviceError { try await fixture.lookup(["a"], at: other) }?.code == .notFound)
    let shared = DatabaseAddress(ServiceFixture.container, .production, .shared)
    #expect(
      await serviceError { try await fixture.lookup(["a"], at: shared) }?.code == .badRequest)
  }
}
