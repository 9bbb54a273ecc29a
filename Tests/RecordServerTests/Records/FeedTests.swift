import CloudRecords
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

@Suite struct FeedTests {
  @Test(arguments: StorageFactory.all)
  func theFeedHasTheNewestStateOfEachRecord(_ factory: StorageFactory) async throws {
    let fixture = try await ServiceFixture(factory)
    try await fixture.makeZone()
    try await fixture.save("a", in: ServiceFixture.zone)
    try await fixture.save("b", in: ServiceFixture.zone)
    let (first, token) = try await fixture.feed()
    #expect(first.summary == ["a", "b"])
    try await fixture.save("a", ["rank": .int64(1)], in: ServiceFixture.zone)
    try await fixture.save("a", ["rank": .int64(2)], in: ServiceFixture.zone)
    try await fixture.delete("b", in: ServiceFixture.zone)
    let (second, newest) = try await fixture.feed(since: token)
    #expect(second.summary == ["a", "-b"])
    #expect(second.first?.record?["rank"] == .int64(2))
    #expect(second.last?.tombstone?.recordType == nil)
    // From the beginning the feed has only the newest state of each record, and the tombstones.
    #expect(try await fixture.feed().records == second)
    // At the end of the feed the page is empty and the token stays the same.
    let page = try await fixture.page(since: newest)
    #expect(page.records.isEmpty)
    #expect(page.syncToken == newest)
    #expect(!page.moreComing)
    // Tokens may be used again.
    #expect(try await fixture.feed(since: token).records == second)
    // The zone itself has the newest token, too.
    let zones = try await fixture.service.zonesLookup(
      .init(zones: [ServiceFixture.zone]), at: ServiceFixture.private, by: ServiceFixture.an)
    #expect(zones.zones.first?.value?.syncToken == newest)
  }

  @Test func aFeedIsReadInPages() async throws {
    let fixture = try await ServiceFixture()
    try await fixture.makeZone()
    let names = (0..<450).map { "n\($0)" }
    for start in [0, 200, 400] {
      _ = try await fixture.modify(
        names[start..<min(start + 200, 450)].map { Operation(.create, note($0)) },
        in: ServiceFixture.zone)
    }
    let whole = try await fixture.page(limit: 1000)
    #expect(whole.records.count == 200)
    #expect(whole.moreComing)
    #expect(try await fixture.feed().records.summary == names)
    #expect(try await fixture.feed(limit: 7).records.summary == names)
    let exact = try await fixture.page(limit: 150)
    let rest = try await fixture.page(
      since: try await fixture.page(since: exact.syncToken, limit: 150).syncToken, limit: 150)
    #expect(rest.records.count == 150)
    #expect(!rest.moreComing)
  }

  @Test(arguments: largeTexts) func aPageIsLimitedInBytes(large: String) async throws {
    let fixture = try await ServiceFixture()
    try await fixture.makeZone()
    for index in 0..<7 {
      try await fixture.save("r\(index)", ["plain": .string(large)], in: ServiceFixture.zone)
    }
    let page = try await fixture.page()
    #expect(page.records.count == 5)
    #expect(page.moreComing)
    #expect(try await fixture.feed().records.count == 7)
    // The zones of a request share the limit; the later ones are read with the next request.
    let answer = try await fixture.service.changesZone(
      .init(zones: [.init(ServiceFixture.zone), .init(ServiceFixture.zone)]),
      at: ServiceFixture.private, by: ServiceFixture.an)
    #expect(answer.zones.map { $0.value?.records.count } == [5, 0])
    #expect(answer.zones.map { $0.value?.moreComing } == [true, true])
    let next = try #require(answer.zones[1].value?.syncToken)
    #expect(try await fixture.feed(since: next).records.count == 7)
  }

  @Test func pagesHaveOnlyTheDesiredKeysAndTypes() async throws {
    let fixture = try await ServiceFixture()
    try await fixture.makeZone()
    try await fixture.save(
      "a", ["text": .string("x"), "rank": .int64(1)], in: ServiceFixture.zone)
    try await fixture.save("b", type: "Bare", in: ServiceFixture.zone)
    let answer = try await fixture.service.changesZone(
      .init(
        zones: [
          .init(ServiceFixture.zone, desiredKeys: ["rank"]),
          .init(ServiceFixture.zone, desiredRecordTypes: ["Bare"]),
          .init(ServiceFixture.zone, resultsLimit: 1, desiredRecordTypes: ["Bare"]),
        ]), at: ServiceFixture.private, by: ServiceFixture.an)
    let pages = try answer.zones.map { try $0.get() }
    #expect(pages[0].records.first?.record?.fields.keys.sorted() == ["rank"])
    #expect(pages[1].records.summary == ["b"])
    // An empty page that is not the last.
    #expect(pages[2].records.isEmpty)
    #expect(pages[2].moreComing)
  }

  @Test func missingZonesFailAlone() async throws {
    let fixture = try await ServiceFixture()
    try await fixture.makeZone()
    let answer = try await fixture.service.changesZone(
      .init(zones: [
        .init(ZoneID("nowhere")), .init(ServiceFixture.zone), .init(.default),
        .init(ServiceFixture.zone, reverse: true),
      ]), at: ServiceFixture.private, by: ServiceFixture.an)
    #expect(
      answer.zones.map(\.error?.code) == [.zoneNotFound, nil, .badRequest, .badRequest])
    #expect(answer.zones[0].error?.zoneID?.zoneName == "nowhere")
    for address in [ServiceFixture.public] {
      #expect(
        await serviceError {
          try await fixture.service.changesZone(
            .init(zones: [.init(.default)]), at: address, by: ServiceFixture.an)
        }?.cause == .noPublicFeed)
      #expect(
        await serviceError {
          try await fixture.service.changesDatabase(.init(), at: address, by: ServiceFixture.an)
        }?.cause == .noPublicFeed)
    }
  }

  @Test func recordsChangesServesOneZone() async throws {
    let fixture = try await ServiceFixture()
    try await fixture.makeZone()
    try await fixture.save("a", in: ServiceFixture.zone)
    let answer = try await fixture.service.recordsChanges(
      .init(ServiceFixture.zone), at: ServiceFixture.private, by: ServiceFixture.an)
    let page = try await fixture.page()
    #expect(answer.records == page.records)
    #expect(answer.syncToken == page.syncToken)
    #expect(answer.moreComing == page.moreComing)
    #expect(
      await serviceError {
        try await fixture.service.recordsChanges(
          .init(.default), at: ServiceFixture.private, by: ServiceFixture.an)
      }?.cause == .noFeed)
  }

  // MARK: The default zone

  @Test(arguments: [false, true])
  func theDefaultZonesFeedIsAnOption(_ isOn: Bool) async throws {
    let fixture = try await ServiceFixture(hasDefaultZoneFeed: isOn)
    try await fixture.save("a")
    let zones = try await fixture.service.zonesList(
      at: ServiceFixture.private, by: ServiceFixture.an)
    #expect((zones.zones.first?.value?.syncToken != nil) == isOn)
    let error = await serviceError { try await fixture.page(.default) }
    #expect((error == nil) == isOn)
    if isOn { #expect(try await fixture.feed(.default).records.summary == ["a"]) }
    let database = try await fixture.service.changesDatabase(
      .init(), at: ServiceFixture.private, by: ServiceFixture.an)
    #expect(database.zones.count == (isOn ? 1 : 0))
  }

  @Test func theQuranContainerHasADefaultZoneFeed() async throws {
    let container = try #require(ContainerID("iCloud.donald.kvietnamisht"))
    let fixture = try await ServiceFixture(container: container)
    let address = DatabaseAddress(container, .production, .private)
    let zones = try await fixture.service.zonesList(at: address, by: ServiceFixture.an)
    #expect(zones.zones.first?.value?.syncToken != nil)
    #expect(zones.zones.first?.value?.atomic == false)
  }

  // MARK: The database

  @Test(arguments: StorageFactory.all)
  func changesDatabaseListsChangedZones(_ factory: StorageFactory) async throws {
    let fixture = try await ServiceFixture(factory)
    func changes(_ token: String?, limit: Int? = nil) async throws -> ChangesDatabase.Response {
      try await fixture.service.changesDatabase(
        .init(syncToken: token, resultsLimit: limit), at: ServiceFixture.private,
        by: ServiceFixture.an)
    }
    func names(_ answer: ChangesDatabase.Response) -> [String] {
      answer.zones.compactMap(\.value).map { ($0.deleted ? "-" : "") + $0.zoneID.zoneName }
    }
    for name in ["A", "B", "C"] { try await fixture.makeZone(ZoneID(name)) }
    let first = try await changes(nil)
    #expect(names(first) == ["A", "B", "C"])
    #expect(try await changes(first.syncToken).zones.isEmpty)
    try await fixture.save("x", in: ZoneID("A"))
    try await fixture.deleteZone(ZoneID("B"))
    let second = try await changes(first.syncToken)
    #expect(names(second) == ["A", "-B"])
    // The zone's own token leads to the change.
    let token = try #require(first.zones.first?.value?.syncToken)
    #expect(try await fixture.feed(ZoneID("A"), since: token).records.summary == ["x"])
    // A client that starts from the beginning gets no deleted zones.
    #expect(names(try await changes(nil)) == ["C", "A"])
    var page = try await changes(nil, limit: 1)
    var seen = names(page)
    while page.moreComing {
      page = try await changes(page.syncToken, limit: 1)
      seen += names(page)
    }
    #expect(seen.filter { !$0.hasPrefix("-") } == ["C", "A"])
    let old = try await fixture.service.zonesChanges(
      .init(metaSyncToken: first.syncToken), at: ServiceFixture.private, by: ServiceFixture.an)
    #expect(old.zones == second.zones)
    #expect(old.metaSyncToken == second.syncToken)
  }

  // MARK: Tokens

  @Test func foreignAndDamagedTokensAreRefused() async throws {
    let fixture = try await ServiceFixture()
    try await fixture.makeZone()
    try await fixture.makeZone(ZoneID("Y"))
    try await fixture.makeZone(by: ServiceFixture.binh)
    try await fixture.save("a", in: ServiceFixture.zone)
    try await fixture.save("b", in: ServiceFixture.zone)
    let own = try #require(try await fixture.page().syncToken)
    let otherZone = try await fixture.page(ZoneID("Y")).syncToken
    let otherUser = try await fixture.page(by: ServiceFixture.binh).syncToken
    let database = try await fixture.service.changesDatabase(
      .init(), at: ServiceFixture.private, by: ServiceFixture.an
    ).syncToken
    let marker = try await fixture.service.query(
      .init(
        Query("Note", filters: [Filter("text", .notEquals, .string("x"))]),
        zoneID: ServiceFixture.zone, resultsLimit: 1), at: ServiceFixture.private,
      by: ServiceFixture.an
    ).continuationMarker
    for token in [otherZone, otherUser, database, marker, "!!!!", "äöü", "QUJDRA=="] {
      let token = try #require(token)
      let error = await serviceError { try await fixture.page(since: token) }
      #expect(error?.code == .badRequest)
      #expect(error?.cause == .unknownToken, "\(token)")
    }
    for length in [0, 1, 2, 4, 8, 40, own.count - 1] {
      let cut = String(own.prefix(length))
      let error = await serviceError { try await fixture.page(since: cut) }
      #expect(error?.code == .badRequest, "\(length)")
      if length == 0 || length >= 4 { #expect(error?.cause == .brokenToken) }
    }
    // A token with one changed byte is refused.
    for index in stride(from: 0, to: own.count, by: 5) {
      var bytes = Array(own.utf8)
      bytes[index] = bytes[index] == UInt8(ascii: "B") ? UInt8(ascii: "C") : UInt8(ascii: "B")
      let error = await serviceError {
        try await fixture.page(since: String(decoding: bytes, as: UTF8.self))
      }
      #expect(error?.code == .badRequest)
    }
    // The token of a zone is not valid for the database.
    let error = await serviceError {
      try await fixture.service.changesDatabase(
        .init(syncToken: own), at: ServiceFixture.private, by: ServiceFixture.an)
    }
    #expect(error?.cause == .unknownToken)
    #expect(try await fixture.page(since: own).records.isEmpty)
  }

  @Test func oldTombstonesAreDeleted() async throws {
    let fixture = try await ServiceFixture { $0.tombstoneLifetime = 1000 }
    try await fixture.makeZone()
    try await fixture.save("a", in: ServiceFixture.zone)
    try await fixture.save("b", in: ServiceFixture.zone)
    let (_, before) = try await fixture.feed()
    try await fixture.delete("a", in: ServiceFixture.zone)
    let (_, after) = try await fixture.feed()
    fixture.clock.advance(2000)
    try await fixture.delete("b", in: ServiceFixture.zone)
    #expect(try await fixture.service.deleteTombstones() == 1)
    #expect(try await fixture.service.deleteTombstones() == 0)
    // A client that has seen the deletion continues; another one has to start over.
    #expect(try await fixture.feed(since: after).records.summary == ["-b"])
    let error = await serviceError { try await fixture.page(since: before) }
    #expect(error?.code == .changeTokenExpired)
    #expect(error?.cause == .expiredToken)
    #expect(try await fixture.feed().records.summary == ["-b"])
  }

  /// Tombstones do not count against the quota. Without a limit, a client that saves and deletes
  /// all the time would fill the disk.
  @Test func tombstonesAreLimitedByTheRecordQuota() async throws {
    let fixture = try await ServiceFixture { $0.quota.records = 10 }
    let other = ZoneID("Y")
    try await fixture.makeZone()
    try await fixture.makeZone(other)
    let (_, before) = try await fixture.feed()
    for name in 0..<8 {
      for zone in [ServiceFixture.zone, other] {
        try await fixture.save("n\(name)", in: zone)
        try await fixture.delete("n\(name)", in: zone)
        fixture.clock.advance(1)
      }
    }
    let (_, after) = try await fixture.feed()
    #expect(try await fixture.service.deleteTombstones() == 6)
    #expect(try await fixture.service.deleteTombstones() == 0)
    // The newest are kept, in each zone.
    for zone in [ServiceFixture.zone, other] {
      #expect(try await fixture.feed(zone).records.summary == (3..<8).map { "-n\($0)" })
    }
    #expect(try await fixture.feed(since: after).records.isEmpty)
    let error = await serviceError { try await fixture.page(since: before) }
    #expect(error?.code == .changeTokenExpired)
    // A zone with few tombstones keeps them.
    let third = ZoneID("X")
    try await fixture.makeZone(third)
    try await fixture.save("few", in: third)
    try await fixture.delete("few", in: third)
    #expect(try await fixture.service.deleteTombstones() == 1)
    #expect(try await fixture.feed(third).records.summary == ["-few"])
  }

  /// A client that reads from the beginning does not need the tombstones that were deleted before.
  @Test func aNewReaderIsNotExpiredByDeletedTombstones() async throws {
    let fixture = try await ServiceFixture { $0.tombstoneLifetime = 1000 }
    try await fixture.makeZone()
    for name in ["a", "b", "c", "d"] { try await fixture.save(name, in: ServiceFixture.zone) }
    try await fixture.delete("d", in: ServiceFixture.zone)
    fixture.clock.advance(2000)
    #expect(try await fixture.service.deleteTombstones() == 1)
    func page(_ token: String?) async throws -> ChangesZone.Page {
      try await fixture.service.changesZone(
        .init(zones: [.init(ServiceFixture.zone, syncToken: token, resultsLimit: 1)]),
        at: ServiceFixture.private, by: ServiceFixture.an
      ).zones[0].get()
    }
    let first = try await page(nil)
    let second = try await page(first.syncToken)
    #expect(first.records.summary + second.records.summary == ["a", "b"])
    #expect(second.moreComing)
    // The reader would miss a deletion whose tombstone is deleted while it reads.
    try await fixture.delete("a", in: ServiceFixture.zone)
    fixture.clock.advance(2000)
    #expect(try await fixture.service.deleteTombstones() == 1)
    let error = await serviceError { try await page(second.syncToken) }
    #expect(error?.code == .changeTokenExpired)
  }
}
