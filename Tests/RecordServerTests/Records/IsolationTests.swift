import CloudRecords
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

/// No request gives a user data of another user, and the answer is the same for data that exists
/// and data that does not.
@Suite struct IsolationTests {
  private static let an = ServiceFixture.an
  private static let binh = ServiceFixture.binh
  /// An's zones, as Binh would name them.
  private static func zoneOfAn(_ name: String) -> ZoneID {
    ZoneID(name, ownerRecordName: an.userRecordName)
  }

  private func fixture(_ factory: StorageFactory) async throws -> ServiceFixture {
    let fixture = try await ServiceFixture(factory, hasDefaultZoneFeed: true)
    try await fixture.makeZone()
    try await fixture.save("a", ["text": .string("secret")])
    try await fixture.save("a", ["text": .string("secret")], in: ServiceFixture.zone)
    _ = try await fixture.service.subscriptionsModify(
      .init(operations: [
        .init(.create, Subscription("s", .query, query: Query("Note"), firesOn: [.create]))
      ]), at: ServiceFixture.private, by: Self.an)
    return fixture
  }

  @Test(arguments: StorageFactory.all)
  func recordsOfOthersAreNotFoundByLookup(_ factory: StorageFactory) async throws {
    let fixture = try await fixture(factory)
    let looked = try await fixture.lookup(["a", "missing"], by: Self.binh)
    #expect(
      looked.map(\.error?.summary)
        == ["NOT_FOUND: record not found", "NOT_FOUND: record not found"])
    for zone in ["Z", "missing", ZoneID.defaultName] {
      for zoneID in [ZoneID(zone), Self.zoneOfAn(zone)] where zoneID != .default {
        let error = await serviceError {
          try await fixture.lookup(["a"], in: zoneID, by: Self.binh)
        }
        #expect(error?.summary == "ZONE_NOT_FOUND: zone not found")
      }
    }
  }

  @Test(arguments: StorageFactory.all)
  func recordsOfOthersCannotBeModified(_ factory: StorageFactory) async throws {
    let fixture = try await fixture(factory)
    let before = try await fixture.feed(.default).records
    let operations = [
      Operation(.create, note("a")), Operation(.update, note("a", tag: "1")),
      Operation(.forceDelete, note("a")), Operation(.forceReplace, note("a")),
    ]
    for operation in operations {
      for zone in ["Z", "missing", ZoneID.defaultName] {
        let error = await serviceError {
          try await fixture.modify([operation], in: Self.zoneOfAn(zone), by: Self.binh)
        }
        #expect(error?.summary == "ZONE_NOT_FOUND: zone not found")
        var draft = operation.record
        draft.zoneID = Self.zoneOfAn(zone)
        let other = await serviceError {
          try await fixture.modify(
            [Operation(operation.operationType, draft)], in: .default, by: Self.binh)
        }
        #expect(other?.summary == "ZONE_NOT_FOUND: zone not found")
      }
    }
    // The same names in Binh's own zones are other records.
    try await fixture.save("a", ["text": .string("mine")], by: Self.binh)
    try await fixture.delete("a", by: Self.binh)
    #expect(try await fixture.feed(.default).records == before)
  }

  @Test(arguments: StorageFactory.all)
  func queriesFindNoRecordsOfOthers(_ factory: StorageFactory) async throws {
    let fixture = try await fixture(factory)
    let queries = [
      Query("Note"), Query("Note", filters: [Filter("text", .equals, .string("secret"))]),
      Query("Note", sorts: [Sort("text")]),
      Query(
        "Note",
        filters: [
          Filter(
            .system(.createdBy), .equals,
            Field(.reference(Reference(Self.an.userRecordName))))
        ]),
    ]
    for query in queries {
      #expect(!(try await fixture.names(query).isEmpty))
      for wide in [true, false] {
        #expect(try await fixture.names(query, wide: wide, by: Self.binh).isEmpty)
      }
      for zone in ["Z", "missing"] {
        let error = await serviceError {
          try await fixture.names(query, in: Self.zoneOfAn(zone), by: Self.binh)
        }
        #expect(error?.summary == "ZONE_NOT_FOUND: zone not found")
      }
      // The development environment is separate, and reading requires a sign-in.
      #expect(try await fixture.names(query, at: ServiceFixture.development).isEmpty)
      let error = await serviceError {
        try await fixture.names(query, at: ServiceFixture.private, by: nil)
      }
      #expect(error?.code == .authenticationRequired)
    }
  }

  @Test(arguments: StorageFactory.all)
  func recordsOfOthersCannotBeReferenced(_ factory: StorageFactory) async throws {
    let fixture = try await fixture(factory)
    for target in ["a", "missing"] {
      for zone in [nil, Self.zoneOfAn("_defaultZone"), Self.zoneOfAn("Z")] {
        let reference = Reference(target, zoneID: zone, action: .validate)
        let results = try await fixture.modify(
          [Operation(.create, note("r", ["parentNote": .reference(reference)]))], by: Self.binh)
        #expect(
          results.first?.error?.code
            == (zone == nil ? .validatingReferenceError : .badRequest))
      }
    }
    // A reference of Binh's refers to his own record of that name, not to An's.
    try await fixture.save(
      "r", ["parentNote": .reference(Reference("a", action: .deleteSelf))], by: Self.binh)
    try await fixture.delete("a")
    #expect(try await fixture.lookup(["r"], by: Self.binh).summary == ["r"])
  }

  @Test(arguments: StorageFactory.all)
  func tokensAndMarkersOfOthersAreRefused(_ factory: StorageFactory) async throws {
    let fixture = try await fixture(factory)
    try await fixture.makeZone(by: Self.binh)
    for (zone, token) in [
      (ZoneID.default, try await fixture.page(.default).syncToken),
      (ServiceFixture.zone, try await fixture.page().syncToken),
    ] {
      let error = await serviceError {
        try await fixture.page(zone, since: token, by: Self.binh)
      }
      #expect(error?.summary == "BAD_REQUEST: Unknown sync continuation type")
      let foreign = await serviceError {
        try await fixture.page(Self.zoneOfAn(zone.zoneName), since: token, by: Self.binh)
      }
      #expect(foreign?.code == .zoneNotFound)
    }
    let database = try await fixture.service.changesDatabase(
      .init(), at: ServiceFixture.private, by: Self.an)
    let error = await serviceError {
      try await fixture.service.changesDatabase(
        .init(syncToken: database.syncToken), at: ServiceFixture.private, by: Self.binh)
    }
    #expect(error?.summary == "BAD_REQUEST: Unknown sync continuation type")
    try await fixture.save("b")
    let query = Query("Note")
    let marker = try await fixture.service.query(
      .init(query, resultsLimit: 1), at: ServiceFixture.private, by: Self.an
    ).continuationMarker
    #expect(marker != nil)
    let refused = await serviceError {
      try await fixture.service.query(
        .init(query, resultsLimit: 1, continuationMarker: marker),
        at: ServiceFixture.private, by: Self.binh)
    }
    #expect(refused?.summary == "BAD_REQUEST: Unknown sync continuation type")
  }

  @Test(arguments: StorageFactory.all)
  func zonesOfOthersAreNotFound(_ factory: StorageFactory) async throws {
    let fixture = try await fixture(factory)
    let list = try await fixture.service.zonesList(at: ServiceFixture.private, by: Self.binh)
    #expect(list.zones.compactMap(\.value?.zoneID.zoneName) == ["_defaultZone"])
    let names = ["Z", "missing"]
    let looked = try await fixture.service.zonesLookup(
      .init(zones: names.map(Self.zoneOfAn) + names.map { ZoneID($0) }),
      at: ServiceFixture.private, by: Self.binh)
    #expect(
      looked.zones.map(\.error?.summary)
        == Array(repeating: "ZONE_NOT_FOUND: zone not found", count: 4))
    for operation in [ZonesModify.OperationType.create, .delete] {
      let answer = try await fixture.service.zonesModify(
        .init(operations: names.map { .init(operation, Self.zoneOfAn($0)) }),
        at: ServiceFixture.private, by: Self.binh)
      #expect(
        answer.zones.map(\.error?.summary)
          == Array(repeating: "ZONE_NOT_FOUND: zone not found", count: 2))
    }
    #expect(try await fixture.lookup(["a"], in: ServiceFixture.zone).summary == ["a"])
  }

  @Test(arguments: StorageFactory.all)
  func subscriptionsOfOthersAreNotFound(_ factory: StorageFactory) async throws {
    let fixture = try await fixture(factory)
    let list = try await fixture.service.subscriptionsList(
      at: ServiceFixture.private, by: Self.binh)
    #expect(list.subscriptions.isEmpty)
    let looked = try await fixture.service.subscriptionsLookup(
      .init(subscriptions: [.init("s"), .init("missing")]), at: ServiceFixture.private,
      by: Self.binh)
    #expect(
      looked.subscriptions.map(\.error?.summary)
        == Array(repeating: "NOT_FOUND: subscription not found", count: 2))
    let deleted = try await fixture.service.subscriptionsModify(
      .init(
        operations: ["s", "missing"].map { .init(.delete, Subscription($0)) }
          + ["Z", "missing"].map {
            .init(.create, Subscription("z", .zone, zoneID: Self.zoneOfAn($0)))
          }), at: ServiceFixture.private, by: Self.binh)
    #expect(
      deleted.subscriptions.map(\.error?.code)
        == [.notFound, .notFound, .zoneNotFound, .zoneNotFound])
    _ = fixture.firings.removeAll()
    try await fixture.save("b", by: Self.binh)
    #expect(fixture.firings.removeAll().isEmpty)
    try await fixture.save("b")
    #expect(fixture.firings.removeAll().map(\.account) == [Self.an.account])
  }

  /// Private records are not in the public database, and public ones not in the private database.
  @Test func publicAndPrivateRecordsAreSeparate() async throws {
    let fixture = try await fixture(.standard)
    #expect(
      try await fixture.lookup(["a"], at: ServiceFixture.public).first?.error?.code == .notFound)
    try await fixture.save("p", type: "Post", at: ServiceFixture.public)
    #expect(try await fixture.lookup(["p"]).first?.error?.code == .notFound)
  }
}
