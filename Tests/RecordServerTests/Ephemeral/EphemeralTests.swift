import CloudRecords
import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

/// The state of an ephemeral service: its users, snapshots and seeds.
struct EphemeralTests {
  private static let zone = ZoneID("Z")

  private static func schema() throws -> Schema {
    try Schema(
      parsing: """
        DEFINE SCHEMA RECORD TYPE Note (
          text STRING QUERYABLE, GRANT READ, CREATE, WRITE TO "_creator");
        """)
  }

  @Test func aServiceHasItsContainerItsUsersAndNoRecords() async throws {
    let schema = try Self.schema()
    try await EphemeralFixture.run {
      $0.container = ServiceFixture.container
      $0.schema = schema
      $0.users = ["chi", "dung"]
    } _: { cloud in
      let reply = try await cloud.send("GET", "/ephemeral")
      let known = try Wire.decode(
        EphemeralService.Description.self, from: reply.body, as: .response)
      #expect(known == cloud.ephemeral.description(at: cloud.url))
      #expect(known.container == ServiceFixture.container.name)
      #expect(known.users.map(\.name) == ["chi", "dung"])
      for environment in ContainerEnvironment.allCases {
        #expect(
          try await cloud.ephemeral.service.schema(of: ServiceFixture.container, environment)
            == schema)
      }
      for user in known.users {
        let caller = try await cloud.call(UsersCaller.self, EmptyBody(), as: user)
        #expect(caller.identity.userRecordName == user.userRecordName)
        #expect(try await cloud.existing("a", as: user).isEmpty)
      }
      // The password is valid on the sign-in page.
      #expect(
        try await cloud.ephemeral.accountService.verify(
          name: "chi", password: known.users[0].password, address: AccountFixture.clientAddress
        ).name == "chi")
    }
  }

  @Test func aUserCanSignInOnAnotherDeviceAndAnotherUserCanBeAdded() async throws {
    try await EphemeralFixture.run { cloud in
      let an = cloud.ephemeral.users[0]
      try await cloud.save("a")
      let again = try await cloud.ephemeral.signIn("an")
      #expect(again.userRecordName == an.userRecordName)
      #expect(again.webAuthToken != an.webAuthToken)
      #expect(try await cloud.existing("a", as: again) == ["a"])
      let reply = try await cloud.control("POST", "users", #"{"name":"chi"}"#)
      let chi = try Wire.decode(EphemeralService.User.self, from: reply.body, as: .response)
      #expect(try await cloud.existing("a", as: chi).isEmpty)
      try await cloud.save("b", as: chi)
      #expect(try await cloud.existing("a", "b", as: chi) == ["b"])
      let refused = try await cloud.control("POST", "users", #"{"name":""}"#)
      #expect(refused.error?.code == .badRequest)
    }
  }

  @Test func servicesInOneProcessHaveNothingInCommon() async throws {
    try await EphemeralFixture.run { one in
      try await EphemeralFixture.run { other in
        try await one.save("a")
        #expect(try await other.existing("a").isEmpty)
        let path = "/ephemeral"
        #expect(try await other.send("GET", path).text != one.send("GET", path).text)
        let foreign = one.ephemeral.users[0]
        let refused = try await other.reply(ZonesList.self, EmptyBody(), as: foreign)
        #expect(refused.error?.code == .authenticationRequired)
      }
    }
  }

  @Test func aResetReturnsToTheStart() async throws {
    let schema = try Self.schema()
    try await EphemeralFixture.run {
      $0.schema = schema
    } _: { cloud in
      try await cloud.save("a")
      try await cloud.save("b", in: .production)
      // This adds a type to the development schema.
      try await cloud.ephemeral.seed(Seed([RecordInput("c", type: "Other")]))
      let chi = try await cloud.ephemeral.signIn("chi")
      try cloud.ephemeral.snapshot("s")
      try cloud.ephemeral.faults.add(Fault(.error(.throttled)))
      #expect(try await cloud.control("POST", "reset").status == 200)
      #expect(cloud.ephemeral.faults.pending.isEmpty)
      #expect(try await cloud.existing("a", "c").isEmpty)
      #expect(try await cloud.existing("b", in: .production).isEmpty)
      let container = cloud.ephemeral.container
      #expect(try await cloud.ephemeral.service.schema(of: container, .development) == schema)
      let refused = try await cloud.reply(ZonesList.self, EmptyBody(), as: chi)
      #expect(refused.error?.code == .authenticationRequired)
      #expect(
        try await cloud.control("POST", "restore", #"{"name":"s"}"#).error?.code == .notFound)
      // The service can be used again.
      try await cloud.save("a")
      #expect(try await cloud.existing("a") == ["a"])
    }
  }

  @Test func syncTokensFromBeforeAResetExpire() async throws {
    try await EphemeralFixture.run {
      $0.hasDefaultZoneFeed = true
    } _: { cloud in
      try await cloud.save("a")
      let token = try await cloud.page(nil).syncToken
      try await cloud.ephemeral.reset()
      let error = await serviceError { try await cloud.page(token) }
      #expect(error?.code == .changeTokenExpired)
      #expect(try await cloud.page(nil).records.isEmpty)
    }
  }

  @Test func theRecordsOfAUserCanBeReadWithoutAnIndex() async throws {
    let ephemeral = try await EphemeralService()
    try await ephemeral.seed(Seed([RecordInput("a", type: "Note")], in: Self.zone))
    try await ephemeral.seed(Seed([RecordInput("b", type: "Other")]))
    let all = try await ephemeral.records(of: "an")
    #expect(Set(all.map(\.recordName)) == ["a", "b"])
    #expect(try await ephemeral.records(of: "an", type: "Note").map(\.recordName) == ["a"])
    #expect(try await ephemeral.records(of: "an", zone: "Z").map(\.recordName) == ["a"])
    #expect(try await ephemeral.records(of: "binh").isEmpty)
    #expect(try await ephemeral.records(of: "an", .production).isEmpty)
    #expect(try await ephemeral.records(of: nil).isEmpty)
    await #expect(throws: EphemeralFailure.unknownUser("chi")) {
      try await ephemeral.records(of: "chi")
    }
  }

  @Test func aSnapshotCanBeRestoredAgainAndAgain() async throws {
    try await EphemeralFixture.run { cloud in
      try await cloud.save("a")
      #expect(
        try await cloud.control("POST", "snapshot", #"{"name":"one note"}"#).text
          == #"{"name":"one note"}"#)
      for _ in 0..<2 {
        try await cloud.save("b")
        let chi = try await cloud.ephemeral.signIn("chi")
        #expect(try await cloud.existing("a", "b") == ["a", "b"])
        let restored = try await cloud.control("POST", "restore", #"{"name":"one note"}"#)
        #expect(restored.status == 200)
        #expect(try await cloud.existing("a", "b") == ["a"])
        #expect(
          try await cloud.reply(ZonesList.self, EmptyBody(), as: chi).error?.code
            == .authenticationRequired)
      }
    }
  }

  @Test func tokensAndTagsFromAfterTheSnapshotAreRefused() async throws {
    try await EphemeralFixture.run {
      $0.hasDefaultZoneFeed = true
    } _: { cloud in
      func token(after former: String?) async throws -> String {
        let answer = try await cloud.call(
          ChangesZone.self, .init(zones: [.init(.default, syncToken: former)]))
        return try #require(try answer.zones[0].get().syncToken)
      }
      try await cloud.save("a")
      let before = try await token(after: nil)
      let name = try cloud.ephemeral.snapshot()
      try await cloud.save("b")
      let lost = try await token(after: before)
      try await cloud.ephemeral.restore(name)
      // Another history begins, with the same number of changes.
      try await cloud.save("c")
      let error = await serviceError { try await token(after: lost) }
      #expect(error?.code == .changeTokenExpired)
      let page = try await cloud.call(
        ChangesZone.self, .init(zones: [.init(.default, syncToken: before)]))
      #expect(try page.zones[0].get().records.map(\.recordName) == ["c"])
    }
  }

  @Test func snapshotsHaveNamesAndALimit() async throws {
    let ephemeral = try await EphemeralService()
    #expect(try ephemeral.snapshot("snapshot-1") == "snapshot-1")
    #expect(try ephemeral.snapshot() == "snapshot-2")
    #expect(try ephemeral.snapshot("snapshot-1") == "snapshot-1")
    let longest = String(repeating: "a", count: EphemeralService.snapshotNameLimit)
    #expect(try ephemeral.snapshot(longest) == longest)
    for name in ["", longest + "a"] {
      #expect(throws: EphemeralFailure.snapshotName(limit: EphemeralService.snapshotNameLimit)) {
        try ephemeral.snapshot(name)
      }
    }
    for _ in 3..<EphemeralService.snapshotLimit { try ephemeral.snapshot() }
    #expect(throws: EphemeralFailure.tooManySnapshots(limit: EphemeralService.snapshotLimit)) {
      try ephemeral.snapshot()
    }
    // A name that is known can still be used.
    try ephemeral.snapshot(longest)
    await #expect(throws: EphemeralFailure.unknownSnapshot("no")) {
      try await ephemeral.restore("no")
    }
  }

  // MARK: Seeds

  @Test func recordsAreSeededFromJSON() async throws {
    try await EphemeralFixture.run { cloud in
      let seed = """
        {"user":"binh","zoneID":{"zoneName":"Z"},"records":[
          {"recordName":"a","recordType":"Note","fields":{"text":{"value":"một"}}},
          {"recordName":"b","recordType":"Note","zoneID":{"zoneName":"Y"}},
          {"recordType":"Note","fields":{"text":{"value":"hai"}}}]}
        """
      #expect(try await cloud.control("POST", "seed", seed).text == #"{"records":3}"#)
      let binh = cloud.ephemeral.users[1]
      let found = try await cloud.call(
        RecordsLookup.self, .init(records: [.init("a")], zoneID: Self.zone), as: binh)
      #expect(found.records[0].record?["text"] == .string("một"))
      let other = try await cloud.call(
        RecordsLookup.self, .init(records: [.init("b")], zoneID: ZoneID("Y")), as: binh)
      #expect(other.records[0].record != nil)
      // The other user has none of them.
      let zones = try await cloud.call(ZonesList.self, EmptyBody())
      #expect(zones.zones.count == 1)
      // Records of the same name are replaced.
      try await cloud.ephemeral.seed(
        Seed([RecordInput("a", type: "Note")], of: "binh", in: Self.zone))
      let replaced = try await cloud.call(
        RecordsLookup.self, .init(records: [.init("a")], zoneID: Self.zone), as: binh)
      #expect(replaced.records[0].record?.fields.isEmpty == true)
    }
  }

  @Test func aSeedMayBeLargerThanARequest() async throws {
    let ephemeral = try await EphemeralService()
    let records = (0..<Limits.operations + 1).map { RecordInput("r\($0)", type: "Note") }
    let saved = try await ephemeral.seed(Seed(records))
    #expect(saved.map(\.recordName) == records.map(\.recordName))
  }

  @Test func aSeedObeysTheSchema() async throws {
    let schema = try Self.schema()
    try await EphemeralFixture.run {
      $0.schema = schema
    } _: { cloud in
      let seed = """
        {"environment":"production","records":[
          {"recordName":"a","recordType":"Note","fields":{"text":{"value":1}}}]}
        """
      let reply = try await cloud.control("POST", "seed", seed)
      #expect(reply.status == 400)
      #expect(reply.error?.code == .badRequest)
      #expect(reply.error?.recordName == "a")
      let publicSeed = """
        {"database":"public","records":[{"recordName":"a","recordType":"Note"}]}
        """
      #expect(try await cloud.control("POST", "seed", publicSeed).error?.code == .accessDenied)
      let nobody = #"{"user":"chi","records":[]}"#
      #expect(try await cloud.control("POST", "seed", nobody).error?.code == .notFound)
    }
  }

  @Test func clientsAreNotifiedOfASeed() async throws {
    let schema = try Self.schema()
    try await EphemeralFixture.run {
      $0.schema = schema
    } _: { cloud in
      let made = try await cloud.call(
        SubscriptionsModify.self,
        .init(operations: [
          .init(.create, Subscription("s", .query, query: Query("Note"), firesOn: [.create]))
        ]))
      _ = try made.subscriptions[0].get()
      let channel = try await cloud.call(TokensCreate.self, .init(apnsEnvironment: .development))
      try await cloud.ephemeral.seed(Seed([RecordInput("a", type: "Note")]))
      let path = try #require(URL(string: channel.webcourierURL)?.path)
      let reply = try await cloud.send("GET", path)
      let notification = try Wire.decode(PushNotification.self, from: reply.body, as: .response)
      #expect(notification.ck?.query?.recordName == "a")
    }
  }

  /// After a restore, the numbers of push channels can be those of channels of other users.
  @Test func aRestoreDoesNotMixUpTheNotificationsOfUsers() async throws {
    let schema = try Self.schema()
    try await EphemeralFixture.run {
      $0.schema = schema
    } _: { cloud in
      let users = cloud.ephemeral.users
      for user in users {
        let made = try await cloud.call(
          SubscriptionsModify.self,
          .init(operations: [
            .init(.create, Subscription("s", .query, query: Query("Note"), firesOn: [.create]))
          ]), as: user)
        _ = try made.subscriptions[0].get()
      }
      let token = TokensCreate.Request(apnsEnvironment: .development)
      try cloud.ephemeral.snapshot("before")
      let channel = try await cloud.call(TokensCreate.self, token, as: users[0])
      try cloud.ephemeral.snapshot("after")
      try await cloud.ephemeral.restore("before")
      _ = try await cloud.call(TokensCreate.self, token, as: users[1])
      try await cloud.ephemeral.restore("after")
      let path = try #require(URL(string: channel.webcourierURL)?.path)
      func notified() async throws -> String? {
        let reply = try await cloud.send("GET", path)
        guard !reply.body.isEmpty else { return nil }
        let notification = try Wire.decode(PushNotification.self, from: reply.body, as: .response)
        return notification.ck?.query?.recordName
      }
      #expect(try await notified() == nil)
      try await cloud.ephemeral.seed(Seed([RecordInput("b", type: "Note")], of: users[1].name))
      #expect(try await notified() == nil)
      try await cloud.ephemeral.seed(Seed([RecordInput("a", type: "Note")], of: users[0].name))
      #expect(try await notified() == "a")
    }
  }

  @Test func usersCanBeAddedWhileOthersReset() async throws {
    let ephemeral = try await EphemeralService()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<40 {
        group.addTask {
          if number % 2 == 0 {
            try await ephemeral.reset()
          } else {
            let name = "chi \(number)"
            #expect(try await ephemeral.signIn(name).name == name)
          }
        }
      }
      try await group.waitForAll()
    }
  }

  @Test func twoUsersCannotHaveTheSameName() async throws {
    var setup = EphemeralService.Setup()
    setup.users = ["an", "binh", "AN"]
    await #expect(throws: RegistrationFailure.nameTaken) { try await EphemeralService(setup) }
  }

  @Test func aResetDoesNotSignAUserOutWhoCreatesAPushChannel() async throws {
    try await EphemeralFixture.run { cloud in
      let token = TokensCreate.Request(apnsEnvironment: .development)
      let creators = (0..<2).map { _ in
        Task {
          for _ in 0..<100 { _ = try await cloud.call(TokensCreate.self, token) }
        }
      }
      let resets = Task {
        while !Task.isCancelled { try await cloud.ephemeral.reset() }
      }
      defer { resets.cancel() }
      for creator in creators { try await creator.value }
    }
  }

  @Test func theRecordThatIsWrongIsNamedInAZoneToo() async throws {
    let schema = try Self.schema()
    try await EphemeralFixture.run {
      $0.schema = schema
    } _: { cloud in
      let seed = """
        {"environment":"production","zoneID":{"zoneName":"Z"},"records":[
          {"recordName":"a","recordType":"Note"},
          {"recordName":"b","recordType":"Note","fields":{"text":{"value":1}}}]}
        """
      let reply = try await cloud.control("POST", "seed", seed)
      #expect(reply.error?.code == .badRequest)
      #expect(reply.error?.recordName == "b")
    }
  }

  // MARK: The limits of control

  @Test(arguments: [
    ("seed", #"{"enviroment":"production","records":[]}"#), ("snapshot", #"{"nmae":"a"}"#),
    ("reset", "}garbage{"), ("reset", #"{"all":true}"#), ("users", #"{"name":"an","x":1}"#),
    ("restore", #"{"snapshot":"a","name":"a"}"#),
    ("seed", #"{"records":[{"recordName":"r","recordType":"Note","feilds":{}}]}"#),
    ("seed", #"{"records":[],"zoneID":{"zonename":"Z"}}"#),
    ("seed", #"{"records":[{"recordType":"Note"},{"recordType":"Note","recordname":"b"}]}"#),
    (
      "seed",
      #"{"records":[{"recordType":"Note","fields":{"text":{"value":"a","typ":"STRING"}}}]}"#
    ),
  ])
  func aMisspelledKeyIsRefused(_ path: String, _ body: String) async throws {
    try await EphemeralFixture.run { cloud in
      try cloud.ephemeral.snapshot("a")
      try await cloud.save("r")
      let reply = try await cloud.control("POST", path, body)
      #expect(reply.status == 400 && reply.error?.code == .badRequest)
      #expect(try await cloud.existing("r") == ["r"])
      #expect(try await cloud.control("POST", "restore", #"{"name":"a"}"#).status == 200)
    }
  }

  @Test func aRecordThatWasLookedUpCanBeASeed() async throws {
    try await EphemeralFixture.run { cloud in
      let seed = #"""
        {"records": [{"recordName": "a", "recordType": "Note", "created": {"timestamp": 1,
          "userRecordName": "_u", "deviceID": "1"}, "deleted": false, "pluginFields": {},
          "fields": {"feilds": {"value": "x", "type": "STRING", "isEncrypted": false},
            "none": {"value": null, "type": "STRING"},
            "place": {"value": {"latitude": 1, "longitude": 2, "timestamp": 3}}}}]}
        """#
      let saved = try await cloud.control("POST", "seed", seed)
      #expect(saved.text == #"{"records":1}"#)
    }
  }

  /// Keys that are misspelled, and keys that belong to another object.
  @Test(arguments: [
    (#""user""#, #""usre""#, "", "usre"), (#""user""#, #""zoneName""#, "", "zoneName"),
    (#""recordName": "a""#, #""user": "an""#, "records[1]", "user"),
    (#""zoneName": "Z""#, #""recordName": "Z""#, "records[1].zoneID", "recordName"),
    (#""latitude""#, #""lattitude""#, "records[1].fields.place.value", "lattitude"),
    (#""longitude""#, #""fields""#, "records[1].fields.place.value", "fields"),
    (#""action""#, #""Action""#, "records[1].fields.other.value[0]", "Action"),
    (#""type""#, #""typ""#, "records[1].fields.place", "typ"),
    (#""timestamp": 1"#, #""value": 1"#, "records[1].created", "value"),
  ])
  func aKeyThatASeedDoesNotHaveIsRefused(key: String, wrong: String, path: String, name: String)
    async throws
  {
    let seed = #"""
      {"user": "an", "records": [{"recordName": "first", "recordType": "Note"},
        {"recordName": "a", "recordType": "Note", "zoneID": {"zoneName": "Z"},
          "created": {"timestamp": 1},
          "fields": {
            "other": {"value": [{"recordName": "first", "action": "NONE"}]},
            "place": {"value": {"latitude": 1, "longitude": 2}, "type": "LOCATION"}}}]}
      """#
    let range = try #require(seed.range(of: key))
    try await EphemeralFixture.run { cloud in
      let refused = try await cloud.control(
        "POST", "seed", seed.replacingCharacters(in: range, with: wrong))
      #expect(refused.status == 400)
      let reason = try #require(refused.error?.reason)
      #expect(
        reason.hasPrefix("\(path.isEmpty ? "The body" : path): there is no key '\(name)' here, "))
      #expect(try await cloud.existing("first") == [])
    }
  }

  @Test(arguments: ["[]", "null", "true", "5", #""no""#, "[{}]"])
  func aBodyThatIsNoObjectIsRefused(body: String) async throws {
    try await EphemeralFixture.run { cloud in
      try await cloud.save("r")
      let reply = try await cloud.control("POST", "reset", body)
      #expect(reply.status == 400 && reply.error?.code == .badRequest)
      #expect(try await cloud.existing("r") == ["r"])
    }
  }

  @Test func nothingIsThrottled() async throws {
    try await EphemeralFixture.run { cloud in
      // The lowest limit of other services. The clock of the fixture stands still.
      for _ in 0...TokenBucket.Rate.signIn.burst {
        let page = try await cloud.send(
          "GET", "/sign-in?ckAPIToken=\(cloud.ephemeral.apiToken)&way=code")
        #expect(page.status == 200)
      }
    }
  }

  @Test func aServiceThatIsNotEphemeralHasNoControls() async throws {
    try await WebFixture.run { web in
      for control in EphemeralControl.allCases {
        let reply = try await web.send(control.method.rawValue, control.path, body: Data("{}".utf8))
        #expect(reply.status == 404, "\(control)")
        #expect(reply.error?.code == .notFound, "\(control)")
      }
    }
  }

  @Test func webPagesHaveNoControl() async throws {
    try await EphemeralFixture.run { cloud in
      try await cloud.save("a")
      let reply = try await cloud.send(
        "POST", "/ephemeral/reset", "{}", headers: [("Origin", "https://example.org")])
      #expect(reply.error?.code == .accessDenied)
      #expect(try await cloud.existing("a") == ["a"])
    }
  }

  @Test func anEphemeralServiceIsForThisMachineAlone() async throws {
    var tls = WebOptions()
    tls.tls = WebOptions.TLSFiles(certificates: "/c", key: "/k")
    var proxy = WebOptions()
    proxy.isBehindProxy = true
    proxy.url = WebOrigin("https://example.org")
    var open = WebOptions()
    open.address = "0.0.0.0"
    open.tls = tls.tls
    for options in [tls, proxy, open] {
      let server = WebServer(ephemeral: try await EphemeralService(), options: options)
      await #expect(throws: WebOptionsProblem.notForThisMachine(options.address)) {
        try await server.run(stoppedBy: [])
      }
    }
  }
}
