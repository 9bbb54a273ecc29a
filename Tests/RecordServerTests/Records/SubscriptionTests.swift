import CloudRecords
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

@Suite struct SubscriptionTests {
  private func query(
    _ id: String?, type: String = "Note", filters: [Filter] = [],
    on events: Set<Subscription.Event> = [.create, .update, .delete], zone: ZoneID? = nil,
    once: Bool? = nil
  ) -> Subscription {
    Subscription(
      id, .query, query: Query(type, filters: filters), zoneID: zone, firesOn: events,
      firesOnce: once,
      notificationInfo: NotificationInfo(shouldSendContentAvailable: true))
  }

  @discardableResult
  private func modify(
    _ fixture: ServiceFixture, _ operation: SubscriptionsModify.OperationType,
    _ subscription: Subscription, at address: DatabaseAddress = ServiceFixture.private,
    by caller: Caller? = ServiceFixture.an
  ) async throws -> ItemResult<Subscription> {
    let answer = try await fixture.service.subscriptionsModify(
      .init(operations: [.init(operation, subscription)]), at: address, by: caller)
    try #require(answer.subscriptions.count == 1)
    return answer.subscriptions[0]
  }

  private func list(
    _ fixture: ServiceFixture, at address: DatabaseAddress = ServiceFixture.private,
    by caller: Caller = ServiceFixture.an
  ) async throws -> [String] {
    try await fixture.service.subscriptionsList(at: address, by: caller).subscriptions
      .compactMap(\.value?.subscriptionID)
  }

  // MARK: Saving

  @Test func aSubscriptionThatIsNamedOftenHasALimitedAnswer() async throws {
    let fixture = try await ServiceFixture()
    let text = FieldValue.string(String(repeating: "x", count: 120_000))
    let large = query("a", filters: [Filter("text", .equals, text)])
    try await modify(fixture, .create, large).done()
    let looked = try await fixture.service.subscriptionsLookup(
      .init(subscriptions: Array(repeating: .init("a"), count: 200)), at: ServiceFixture.private,
      by: ServiceFixture.an
    ).subscriptions
    // 35 times 120 kB are more than 4 MB.
    #expect(looked.prefix(35).allSatisfy { $0.value != nil })
    #expect(looked.suffix(165).allSatisfy { $0.error?.code == .limitExceeded })
  }

  @Test(arguments: StorageFactory.all)
  func subscriptionsAreSavedChangedAndDeleted(_ factory: StorageFactory) async throws {
    let fixture = try await ServiceFixture(factory)
    let made = try await modify(fixture, .create, query("a")).done()
    #expect(made.subscriptionID == "a")
    #expect(made.zoneWide == true)
    #expect(made.notificationInfo?.shouldSendContentAvailable == true)
    // The same id once more is a success.
    try await modify(fixture, .create, query("a", on: [.create])).done()
    #expect(try await list(fixture) == ["a"])
    let changed = try await modify(fixture, .update, query("a", on: [.delete])).done()
    let looked = try await fixture.service.subscriptionsLookup(
      .init(subscriptions: [.init("a"), .init("b")]), at: ServiceFixture.private,
      by: ServiceFixture.an)
    #expect(looked.subscriptions.map(\.value) == [changed, nil])
    #expect(looked.subscriptions[1].error?.code == .notFound)
    #expect(looked.subscriptions[1].error?.subscriptionID == "b")
    try await modify(fixture, .delete, Subscription("a")).done()
    #expect(try await list(fixture) == [])
    #expect(try await modify(fixture, .delete, Subscription("a")).error?.code == .notFound)
    #expect(try await modify(fixture, .update, query("a")).error?.code == .notFound)
  }

  @Test func invalidSubscriptionsAreRefused() async throws {
    let fixture = try await ServiceFixture { $0.subscriptions = 3 }
    func error(_ subscription: Subscription) async throws -> String? {
      try await modify(fixture, .create, subscription).error?.summary
    }
    #expect(
      try await error(query("a", type: "Nothing"))
        == "NOT_FOUND: Did not find record type Nothing")
    #expect(
      try await error(query("a", filters: [Filter("plain", .equals, .string("x"))]))
        == "BAD_REQUEST: Field 'plain' is not marked queryable")
    // Without a filter no index is needed.
    #expect(try await error(query("a", type: "Bare")) == nil)
    #expect(
      try await error(query("b", zone: ZoneID("nowhere"))) == "ZONE_NOT_FOUND: zone not found")
    #expect(
      try await error(Subscription("b", .zone, zoneID: ZoneID("nowhere")))
        == "ZONE_NOT_FOUND: zone not found")
    #expect(
      try await error(Subscription("b", .zone)) == "BAD_REQUEST: zoneID is missing")
    #expect(
      try await error(Subscription("b", .zone, zoneID: .default))
        == "BAD_REQUEST: the zone has no change feed")
    #expect(try await error(query("b", on: [])) == "BAD_REQUEST: firesOn is missing")
    #expect(
      try await error(Subscription("b", .query, firesOn: [.create]))
        == "BAD_REQUEST: query is missing")
    #expect(
      try await error(Subscription("b", .init(rawValue: "database")))
        == "BAD_REQUEST: only subscriptions of the types query and zone are served (database)")
    #expect(try await error(Subscription("b")) == "BAD_REQUEST: subscriptionType is missing")
    #expect(try await error(query(""))?.hasPrefix("BAD_REQUEST") == true)
    #expect(
      try await error(
        query(
          "b",
          filters: [
            Filter("place", .near, .location(Location(latitude: 1, longitude: 1)))
          ])) == "BAD_REQUEST: Invalid predicate: queries by distance are not served (NEAR)")
    #expect(try await error(query(nil)) == nil)
    #expect(try await error(query("c")) == nil)
    #expect(try await error(query("d")) == "LIMIT_EXCEEDED: too many subscriptions")
    #expect(
      await serviceError { try await modify(fixture, .create, query("x"), by: nil) }?.code
        == .authenticationRequired)
  }

  // MARK: Firing

  @Test(arguments: StorageFactory.all)
  func subscriptionsFireForTheirEvents(_ factory: StorageFactory) async throws {
    let fixture = try await ServiceFixture(factory)
    try await modify(fixture, .create, query("all")).done()
    try await modify(fixture, .create, query("new", on: [.create])).done()
    try await modify(fixture, .create, query("gone", on: [.delete])).done()
    try await modify(fixture, .create, query("other", type: "Bare")).done()
    try await fixture.save("a")
    var firings = fixture.firings.removeAll()
    #expect(firings.map(\.subscription.subscriptionID) == ["all", "new"])
    #expect(firings.map(\.event) == [.create, .create])
    #expect(firings.map(\.recordName) == ["a", "a"])
    #expect(firings.map(\.account) == [1, 1])
    #expect(firings.map(\.session) == ["an-1", "an-1"])
    #expect(firings.map(\.zoneID.zoneName) == ["_defaultZone", "_defaultZone"])
    #expect(firings.map(\.address) == [ServiceFixture.private, ServiceFixture.private])
    try await fixture.save("a", ["rank": .int64(1)])
    firings = fixture.firings.removeAll()
    #expect(firings.map(\.subscription.subscriptionID) == ["all"])
    #expect(firings.map(\.event) == [.update])
    try await fixture.delete("a")
    #expect(fixture.firings.removeAll().map(\.event) == [.delete, .delete])
    try await fixture.save("a")
    #expect(fixture.firings.removeAll().map(\.event) == [.create, .create])
  }

  @Test func subscriptionsFireForMatchingRecords() async throws {
    let fixture = try await ServiceFixture()
    try await modify(
      fixture, .create, query("mine", filters: [Filter("text", .equals, .string("x"))])
    ).done()
    try await fixture.save("a", ["text": .string("y")])
    #expect(fixture.firings.removeAll().isEmpty)
    try await fixture.save("a", ["text": .string("x")])
    #expect(fixture.firings.removeAll().map(\.event) == [.update])
    // For a deletion, the values before it count.
    try await fixture.delete("a")
    #expect(fixture.firings.removeAll().map(\.event) == [.delete])
  }

  @Test func subscriptionsWithFiresOnceFireOnce() async throws {
    let fixture = try await ServiceFixture()
    try await modify(fixture, .create, query("once", once: true)).done()
    _ = try await fixture.modify([
      Operation(.create, note("a")), Operation(.create, note("b")),
    ])
    #expect(fixture.firings.removeAll().count == 1)
    #expect(try await list(fixture) == [])
    try await fixture.save("c")
    #expect(fixture.firings.removeAll().isEmpty)
  }

  /// Another change is made after the first one was matched and before the subscription is deleted.
  @Test(arguments: [false, true])
  func publicSubscriptionsFireOnceForConcurrentChanges(isReplaced: Bool) async throws {
    let fixture = try await ServiceFixture()
    let address = ServiceFixture.public
    try await modify(fixture, .create, query("once", type: "Post", once: true), at: address).done()
    let next = query("once", type: "Post", on: [.delete], once: true)
    // The second write deletes the subscription.
    let storage = InterruptedStorage(fixture.storage) { [service = fixture.service] write in
      guard write == 2 else { return }
      _ = try await service.modify(
        .init(operations: [Operation(.create, note("b", type: "Post"))]), at: address,
        by: ServiceFixture.binh)
      guard isReplaced else { return }
      _ = try await service.subscriptionsModify(
        .init(operations: [.init(.create, next)]), at: address, by: ServiceFixture.an)
    }
    var options = ServiceOptions()
    options.onFirings = { [firings = fixture.firings] in firings.add($0) }
    let service = RecordService(on: storage, options: options)
    _ = try await service.modify(
      .init(operations: [Operation(.create, note("a", type: "Post"))]), at: address,
      by: ServiceFixture.binh)
    #expect(storage.writes >= 2)
    #expect(fixture.firings.removeAll().map(\.recordName) == ["b"])
    #expect(try await list(fixture, at: address) == (isReplaced ? ["once"] : []))
  }

  @Test(arguments: StorageFactory.all)
  func zoneSubscriptionsFireOncePerChange(_ factory: StorageFactory) async throws {
    let fixture = try await ServiceFixture(factory)
    try await fixture.makeZone()
    try await fixture.makeZone(ZoneID("Y"))
    try await modify(
      fixture, .create, Subscription("z", .zone, zoneID: ServiceFixture.zone)
    ).done()
    try await modify(fixture, .create, query("here", zone: ServiceFixture.zone)).done()
    try await modify(fixture, .create, query("wide")).done()
    _ = try await fixture.modify(
      [Operation(.create, note("a")), Operation(.create, note("b"))], in: ServiceFixture.zone)
    let firings = fixture.firings.removeAll()
    #expect(
      firings.map { "\($0.subscription.subscriptionID ?? "") \($0.recordName ?? "-")" }
        == ["here b", "wide b", "z -"])
    #expect(firings.last?.event == nil)
    #expect(firings.last?.zoneID.zoneName == "Z")
    try await fixture.save("c", in: ZoneID("Y"))
    #expect(fixture.firings.removeAll().map(\.subscription.subscriptionID) == ["wide"])
    // The deletion of the zone counts as its last change.
    try await fixture.deleteZone()
    #expect(fixture.firings.removeAll().map(\.subscription.subscriptionID) == ["z"])
    #expect(try await list(fixture) == ["wide"])
  }

  /// A notification tells the client to fetch changes, and the newest one is enough for that.
  @Test func aRequestFiresASubscriptionOnceForItsLastChange() async throws {
    let fixture = try await ServiceFixture()
    for name in ["X", "Y"] { try await fixture.makeZone(ZoneID(name)) }
    let isX = Filter("text", .equals, .string("x"))
    try await modify(fixture, .create, query("all")).done()
    try await modify(fixture, .create, query("matching", filters: [isX])).done()
    try await modify(fixture, .create, query("here", zone: ZoneID("X"))).done()
    let texts = (0..<200).map { $0 % 50 == 7 ? "x" : "y" }
    _ = try await fixture.modify(
      texts.enumerated().map { Operation(.create, note("n\($0)", ["text": .string($1)])) })
    func summary() -> [String] {
      fixture.firings.removeAll().map {
        "\($0.subscription.subscriptionID ?? "") \($0.zoneID.zoneName) \($0.recordName ?? "-")"
      }
    }
    #expect(summary() == ["all _defaultZone n199", "matching _defaultZone n157"])
    // The operations of a request are carried out zone by zone.
    _ = try await fixture.modify(
      ["X", "Y"].map { zone in
        var input = note("a", ["text": .string("x")])
        input.zoneID = ZoneID(zone)
        return Operation(.create, input)
      })
    #expect(summary() == ["here X a", "all Y a", "matching Y a"])
  }

  /// The client is charged for what its changes cause.
  @Test func fanOutIsCounted() async throws {
    let fixture = try await ServiceFixture { $0.onFirings = { 1000 * $0.count } }
    for id in 0..<30 { try await modify(fixture, .create, query("s\(id)")).done() }
    func operations(of count: Int) async throws -> Int {
      let work = RequestWork()
      _ = try await fixture.service.modify(
        .init(operations: (0..<count).map { Operation(.forceReplace, note("n\($0)")) }),
        at: ServiceFixture.private, by: ServiceFixture.an, witness: nil, work: work
      ).get()
      return work.operations
    }
    // 30 subscriptions and 30,000 notifications, however many records are saved.
    #expect(try await operations(of: 1) == 30_030 / RequestWork.fanOutPerOperation)
    #expect(try await operations(of: 100) == 30_030 / RequestWork.fanOutPerOperation)
    let filters = (0..<20).map { Filter("text", .notEquals, .string("x\($0)")) }
    try await modify(
      fixture, .create, query("s0", filters: filters + [Filter("text", .equals, .string("x"))])
    ).done()
    // One subscription no longer fires, but all records are compared with its filters.
    let compared = 200 * 21 / RequestWork.comparisonsPerUnit
    #expect(
      try await operations(of: 200) == (29_030 + compared) / RequestWork.fanOutPerOperation)
  }

  @Test func subscriptionsFireForCascadedDeletions() async throws {
    let fixture = try await ServiceFixture()
    try await fixture.save("root")
    try await fixture.save(
      "child", ["parentNote": .reference(Reference("root", action: .deleteSelf))])
    try await modify(fixture, .create, query("all")).done()
    try await fixture.delete("root")
    #expect(fixture.firings.removeAll().map(\.recordName) == ["child"])
  }

  @Test func failedOperationsDoNotFire() async throws {
    let fixture = try await ServiceFixture()
    try await fixture.makeZone()
    try await modify(fixture, .create, query("all")).done()
    try await fixture.save("taken", in: ServiceFixture.zone)
    #expect(fixture.firings.removeAll().count == 1)
    _ = try await fixture.modify(
      [Operation(.create, note("a")), Operation(.create, note("taken"))], in: ServiceFixture.zone)
    _ = try await fixture.modify([Operation(.forceDelete, note("nothing"))])
    #expect(fixture.firings.removeAll().isEmpty)
  }

  // MARK: The public database

  @Test(arguments: StorageFactory.all)
  func publicSubscriptionsBelongToTheirUser(_ factory: StorageFactory) async throws {
    let fixture = try await ServiceFixture(factory)
    for caller in [ServiceFixture.an, ServiceFixture.binh] {
      try await modify(
        fixture, .create, query("posts", type: "Post"), at: ServiceFixture.public, by: caller
      ).done()
      try await modify(
        fixture, .create, query("diaries", type: "Diary", once: true), at: ServiceFixture.public,
        by: caller
      ).done()
    }
    try await modify(
      fixture, .delete, Subscription("posts"), at: ServiceFixture.public, by: ServiceFixture.binh
    ).done()
    #expect(try await list(fixture, at: ServiceFixture.public) == ["diaries", "posts"])
    #expect(
      try await list(fixture, at: ServiceFixture.public, by: ServiceFixture.binh) == ["diaries"])
    try await fixture.save("p", type: "Post", at: ServiceFixture.public, by: ServiceFixture.binh)
    let firings = fixture.firings.removeAll()
    #expect(firings.map(\.account) == [1])
    #expect(firings.map(\.session) == ["binh-1"])
    // A record that a subscriber may not read does not fire.
    try await fixture.save("d", type: "Diary", at: ServiceFixture.public, by: ServiceFixture.binh)
    #expect(fixture.firings.removeAll().map(\.account) == [2])
    #expect(try await list(fixture, at: ServiceFixture.public, by: ServiceFixture.binh) == [])
    #expect(try await list(fixture, at: ServiceFixture.public) == ["diaries", "posts"])
  }

  @Test func morePublicSubscriptionsThanAPageFire() async throws {
    let fixture = try await ServiceFixture()
    for account in 10..<10 + Int64(SubscriptionMatcher.page) + 3 {
      let caller = Caller(account: account, userRecordName: "_\(account)")
      try await modify(
        fixture, .create, query("posts", type: "Post"), at: ServiceFixture.public, by: caller
      ).done()
    }
    try await fixture.save("p", type: "Post", at: ServiceFixture.public)
    #expect(Set(fixture.firings.removeAll().map(\.account)).count == SubscriptionMatcher.page + 3)
  }

  /// Each change is compared with all subscriptions of the database, in a public database with
  /// those of all users.
  @Test func subscriptionsAreLimitedInSize() async throws {
    let fixture = try await ServiceFixture()
    let large = FieldValue.string(String(repeating: "x", count: 200_000))
    #expect(
      try await modify(
        fixture, .create, query("a", filters: [Filter("text", .equals, large)])
      ).error?.code == .badRequest)
    var long = query("a")
    long.notificationInfo?.alertBody = String(repeating: "x", count: 200_000)
    #expect(try await modify(fixture, .create, long).error?.code == .badRequest)
    let values = FieldValue.strings((0..<1000).map { "a value of usual length \($0)" })
    let first = query("a", filters: [Filter("text", .isIn, values)])
    try await modify(fixture, .create, first).done()
    // The limit applies also to the sum of all subscriptions.
    for id in ["b", "c", "d", "e"] {
      let next = query(id, filters: [Filter("text", .isIn, values)])
      let answer = try await modify(fixture, .create, next)
      if id == "e" { #expect(answer.error?.code == .limitExceeded) } else { try answer.done() }
    }
    try await modify(fixture, .update, first).done()
    try await modify(fixture, .create, query("small")).done()
  }
}
