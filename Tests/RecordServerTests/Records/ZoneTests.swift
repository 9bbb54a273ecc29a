import CloudRecords
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

@Suite struct ZoneTests {
  private func zones(
    _ fixture: ServiceFixture, at address: DatabaseAddress = ServiceFixture.private
  ) async throws -> [Zone] {
    try await fixture.service.zonesList(at: address, by: ServiceFixture.an).zones.map {
      try $0.get()
    }
  }

  @Test(arguments: StorageFactory.all)
  func theDefaultZoneIsAlwaysThere(_ factory: StorageFactory) async throws {
    let fixture = try await ServiceFixture(factory)
    let zone = try #require(try await zones(fixture).first)
    #expect(zone.zoneID.zoneName == "_defaultZone")
    #expect(zone.zoneID.zoneType == .default)
    #expect(zone.zoneID.ownerRecordName == ServiceFixture.an.userRecordName)
    #expect(zone.atomic == false)
    #expect(zone.syncToken == nil)
    let open = try await fixture.service.zonesList(at: ServiceFixture.public, by: nil)
    #expect(open.zones.compactMap(\.value?.zoneID.zoneName) == ["_defaultZone"])
    let error = await serviceError {
      try await fixture.service.zonesModify(
        .init(operations: [.init(.delete, .default)]), at: ServiceFixture.private,
        by: ServiceFixture.an
      ).zones[0].get()
    }
    #expect(error?.cause == .defaultZoneStays)
  }

  @Test(arguments: StorageFactory.all)
  func zonesAreCreatedAndDeleted(_ factory: StorageFactory) async throws {
    let fixture = try await ServiceFixture(factory)
    try await fixture.makeZone()
    // Creating the zone again succeeds.
    try await fixture.makeZone()
    let zone = try #require(try await zones(fixture).first { $0.zoneID.zoneName == "Z" })
    #expect(zone.atomic == true)
    #expect(zone.zoneID.zoneType == .custom)
    #expect(zone.syncToken != nil)
    try await fixture.save("a", ["parentNote": .reference(Reference("b"))], in: ServiceFixture.zone)
    try await fixture.deleteZone()
    #expect(try await zones(fixture).map(\.zoneID.zoneName) == ["_defaultZone"])
    let looked = try await fixture.service.zonesLookup(
      .init(zones: [.default, ServiceFixture.zone]), at: ServiceFixture.private,
      by: ServiceFixture.an)
    #expect(looked.zones.map(\.error?.code) == [nil, .zoneNotFound])
    #expect(looked.zones[1].error?.zoneID?.zoneName == "Z")
    #expect(
      await serviceError { try await fixture.lookup(["a"], in: ServiceFixture.zone) }?.code
        == .zoneNotFound)
    // Deleting the zone again fails.
    let again = try await fixture.service.zonesModify(
      .init(operations: [.init(.delete, ServiceFixture.zone)]), at: ServiceFixture.private,
      by: ServiceFixture.an)
    #expect(again.zones.map(\.error?.code) == [.zoneNotFound])
    // A zone that is created again is empty.
    try await fixture.makeZone()
    #expect(try await fixture.names(Query("Note"), in: ServiceFixture.zone).isEmpty)
    #expect(try await fixture.feed().records.isEmpty)
  }

  @Test func aNewIncarnationHasNewTagsAndTokens() async throws {
    let fixture = try await ServiceFixture()
    try await fixture.makeZone()
    let old = try await fixture.save("a", in: ServiceFixture.zone)
    let (_, token) = try await fixture.feed()
    try await fixture.deleteZone()
    try await fixture.makeZone()
    let error = await serviceError { try await fixture.page(since: token) }
    #expect(error?.code == .changeTokenExpired)
    let new = try await fixture.save("a", in: ServiceFixture.zone)
    #expect(new.recordChangeTag != old.recordChangeTag)
  }

  @Test func invalidZoneNamesAreRefused() async throws {
    let fixture = try await ServiceFixture()
    let names = ["", "_x", "é", String(repeating: "z", count: 256)]
    let answer = try await fixture.service.zonesModify(
      .init(operations: names.map { .init(.create, ZoneID($0)) }), at: ServiceFixture.private,
      by: ServiceFixture.an)
    #expect(answer.zones.map(\.error?.code) == names.map { _ in .badRequest })
    let twice = ZonesModify.Operation(.create, ServiceFixture.zone)
    #expect(
      await serviceError {
        try await fixture.service.zonesModify(
          .init(operations: [twice, twice]), at: ServiceFixture.private, by: ServiceFixture.an)
      }?.code == .badRequest)
    #expect(
      await serviceError {
        try await fixture.service.zonesModify(
          .init(operations: [twice]), at: ServiceFixture.public, by: ServiceFixture.an)
      }?.cause == .noPublicZones)
  }

  @Test func theNumberOfZonesIsLimited() async throws {
    let fixture = try await ServiceFixture { $0.zones = 3 }
    try await fixture.makeZone(ZoneID("A"))
    try await fixture.makeZone(ZoneID("B"))
    let answer = try await fixture.service.zonesModify(
      .init(operations: [.init(.create, ZoneID("C"))]), at: ServiceFixture.private,
      by: ServiceFixture.an)
    #expect(answer.zones.map(\.error?.code) == [.limitExceeded])
    let start = try await fixture.service.changesDatabase(
      .init(), at: ServiceFixture.private, by: ServiceFixture.an)
    // Only a number of tombstones of zones is kept; a client with an older token starts over.
    for round in 0..<8 {
      try await fixture.deleteZone(ZoneID("B"))
      try await fixture.makeZone(ZoneID("B"))
      try await fixture.deleteZone(ZoneID("A"))
      try await fixture.makeZone(ZoneID("A\(round)"))
      try await fixture.deleteZone(ZoneID("A\(round)"))
      try await fixture.makeZone(ZoneID("A"))
    }
    let error = await serviceError {
      try await fixture.service.changesDatabase(
        .init(syncToken: start.syncToken), at: ServiceFixture.private, by: ServiceFixture.an)
    }
    #expect(error?.code == .changeTokenExpired)
  }

  @Test func deletingAZoneFreesTheQuota() async throws {
    let fixture = try await ServiceFixture { $0.quota = Usage(bytes: 1_000_000, records: 3) }
    try await fixture.makeZone()
    for name in ["a", "b", "c"] { try await fixture.save(name, in: ServiceFixture.zone) }
    #expect(
      try await fixture.modify([Operation(.create, note("d"))]).first?.error?.code
        == .quotaExceeded)
    try await fixture.deleteZone()
    try await fixture.save("d")
  }

  /// A tag that a client still has must not match another state of the record, neither after the
  /// tombstone of the zone was deleted nor after a reset.
  @Test func changeTagsAreNeverReused() async throws {
    let fixture = try await ServiceFixture { $0.zones = 2 }
    var tags: Set<String> = []
    for _ in 0..<3 {
      try await fixture.makeZone()
      for _ in 0..<5 {
        let record = try await fixture.save("a", in: ServiceFixture.zone)
        #expect(tags.insert(try #require(record.recordChangeTag)).inserted)
      }
      try await fixture.deleteZone()
      for index in 0..<4 {
        try await fixture.makeZone(ZoneID("Y\(index)"))
        try await fixture.deleteZone(ZoneID("Y\(index)"))
      }
      let owner = try await fixture.storage.read {
        try $0.owner(of: ServiceFixture.private, account: 1)
      }
      let id = try #require(owner).id
      #expect(try await fixture.storage.read { try $0.zone("Z", of: id) } == nil)
    }
    tags = []
    for _ in 0..<3 {
      try await fixture.makeZone(at: ServiceFixture.development)
      for zone in [ZoneID.default, ServiceFixture.zone] {
        for name in ["a", "b"] {
          let record = try await fixture.save(name, in: zone, at: ServiceFixture.development)
          #expect(tags.insert(zone.zoneName + (record.recordChangeTag ?? "")).inserted)
        }
      }
      try await fixture.service.resetDevelopment(ServiceFixture.container)
    }
  }

  /// The only zone of a public database may be named with the caller as its owner.
  @Test(arguments: [false, true])
  func aPublicZoneIDMayHaveTheCallerAsOwner(_ isFirst: Bool) async throws {
    let fixture = try await ServiceFixture()
    var named = note("a", type: "Post")
    named.zoneID = ZoneID(
      ZoneID.defaultName, ownerRecordName: ServiceFixture.an.userRecordName)
    let operations = [Operation(.create, named), Operation(.create, note("b", type: "Post"))]
    #expect(
      try await fixture.modify(
        isFirst ? operations : operations.reversed(), at: ServiceFixture.public
      ).summary.sorted() == ["a", "b"])
  }
}
