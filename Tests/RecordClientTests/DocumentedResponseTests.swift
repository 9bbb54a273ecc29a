import CloudRecords
import FoundationEssentials
import Testing

@testable import RecordClient
@testable import RecordServiceSupport

/// The documented response of each endpoint (Apple, CloudKit Web Services Reference), decoded by a
/// call.
struct DocumentedResponseTests {
  private func answer<E: Endpoint>(
    _ endpoint: E.Type, _ request: E.Request, _ body: String,
    location: SourceLocation = #_sourceLocation
  ) async throws -> E.Response {
    var answer: E.Response?
    try await withClient(.answering { _ in .json(body) }) { client, service in
      answer = try await client.call(endpoint, request)
      #expect(service.requests.first?.path.hasSuffix(E.route.rawValue) == true)
    }
    return try #require(answer, sourceLocation: location)
  }

  /// Records, as in a response of `records/lookup`.
  @Test func everyTypeOfFieldIsRead() async throws {
    let body = #"""
      {"records":[{"recordName":"favorite-_a-2:255","recordType":"FavoriteAyah","fields":{
        "string":{"value":"hi","type":"STRING"},"int":{"value":255,"type":"INT64"},
        "double":{"value":0.5,"type":"DOUBLE"},
        "time":{"value":1700000000000,"type":"TIMESTAMP"},
        "bytes":{"value":"AAE=","type":"BYTES"},
        "place":{"value":{"latitude":1.5,"longitude":2},"type":"LOCATION"},
        "of":{"value":{"recordName":"x","zoneID":{"zoneName":"_defaultZone"},
          "action":"DELETE_SELF"},"type":"REFERENCE"},
        "file":{"value":{"fileChecksum":"c","size":3,"referenceChecksum":"r","wrappingKey":"w",
          "receipt":"p","downloadURL":"https://example.org/${f}"},"type":"ASSETID"},
        "none":{"value":[],"type":"STRING_LIST"},"list":{"value":[1,2],"type":"INT64_LIST"}},
        "pluginFields":{},"recordChangeTag":"25d","deleted":false,
        "created":{"timestamp":1,"userRecordName":"_a","deviceID":"iCloud"},
        "modified":{"timestamp":2,"userRecordName":"_a","deviceID":"iCloud"},
        "zoneID":{"zoneName":"_defaultZone","ownerRecordName":"_a","zoneType":"DEFAULT_ZONE"}},
       {"recordName":"gone","reason":"record not found","serverErrorCode":"NOT_FOUND"},
       {"recordName":"dead","deleted":true,"recordType":null}],"syncToken":"AQ=="}
      """#
    let answer = try await answer(
      RecordsLookup.self, .init(records: [.init("favorite-_a-2:255"), .init("gone")]), body)
    let record = try #require(answer.records[0].record)
    #expect(record["string"] == .string("hi"))
    #expect(record["int"] == .int64(255))
    #expect(record["double"] == .double(0.5))
    #expect(record["time"] == .timestamp(Timestamp(milliseconds: 1_700_000_000_000)))
    #expect(record["bytes"] == .bytes(Data([0, 1])))
    #expect(record["place"] == .location(Location(latitude: 1.5, longitude: 2)))
    #expect(record["of"]?.references.first?.action == .deleteSelf)
    #expect(record["file"]?.assets.first?.downloadURL == "https://example.org/${f}")
    #expect(record["none"] == .strings([]))
    #expect(record["list"] == .int64s([1, 2]))
    #expect(record.recordChangeTag == "25d")
    #expect(record.modified?.timestamp.milliseconds == 2)
    #expect(record.zoneID?.zoneType == .default)
    #expect(
      answer.records[1].error
        == ServiceError(.notFound, reason: "record not found", recordName: "gone"))
    #expect(answer.records[2].tombstone?.recordName == "dead")
    #expect(answer.syncToken == "AQ==")
  }

  @Test func everyOperationHasItsResult() async throws {
    let body = #"""
      {"records":[{"recordName":"a","recordType":"T","fields":{},"recordChangeTag":"e"},
       {"recordName":"b","reason":"client oplock error updating record",
        "serverErrorCode":"CONFLICT"},
       {"recordName":"c","reason":"record to insert already exists","serverErrorCode":"EXISTS"},
       {"recordName":"d","reason":"Atomic failure","serverErrorCode":"ATOMIC_ERROR",
        "uuid":"u","retryAfter":3},
       {"recordName":"e","deleted":true}]}
      """#
    let answer = try await answer(RecordsModify.self, modification(5), body)
    #expect(answer.records.map(\.recordName) == ["a", "b", "c", "d", "e"])
    #expect(
      answer.records.map { $0.error?.code }
        == [nil, .conflict, .exists, .atomicError, nil])
    #expect(answer.records[3].error?.retryAfter == 3)
  }

  @Test func anEmptyPageMayHaveAContinuationMarker() async throws {
    let answer = try await answer(
      RecordsQuery.self, .init(Query("T")), #"{"records":[],"continuationMarker":"bQ=="}"#)
    #expect(answer == .init(records: [], continuationMarker: "bQ=="))
  }

  @Test func feedsOfZonesAreRead() async throws {
    let body = #"""
      {"zones":[{"zoneID":{"zoneName":"Q","ownerRecordName":"_a","zoneType":"REGULAR_CUSTOM_ZONE"},
        "records":[{"recordName":"x","deleted":true,"recordType":null,"recordChangeTag":"f"}],
        "syncToken":"AQ==","moreComing":true},
       {"zoneID":{"zoneName":"E"},"records":[],"syncToken":"Ag==","moreComing":null},
       {"zoneID":{"zoneName":"B"},"serverErrorCode":"BAD_REQUEST",
        "reason":"Unknown sync continuation type"}]}
      """#
    let answer = try await answer(
      ChangesZone.self, .init(zones: [.init(ZoneID("Q"))]), body)
    #expect(answer.zones.map { $0.value?.moreComing } == [true, false, nil])
    #expect(answer.zones[0].value?.records.first?.tombstone?.recordChangeTag == "f")
    #expect(answer.zones[2].error?.reason == "Unknown sync continuation type")
    let changes = try await self.answer(
      RecordsChanges.self, .init(ZoneID("Q")), #"{"records":[],"syncToken":"s","moreComing":false}"#
    )
    #expect(changes == .init(records: [], syncToken: "s", moreComing: false))
  }

  @Test func feedsOfDatabasesAreRead() async throws {
    let answer = try await answer(
      ChangesDatabase.self, .init(),
      #"{"zones":[{"zoneID":{"zoneName":"Q"},"syncToken":"s"},"#
        + #"{"zoneID":{"zoneName":"G"},"deleted":true}],"syncToken":"d","moreComing":false}"#)
    #expect(answer.zones.map { $0.value?.deleted } == [false, true])
    #expect(answer.syncToken == "d")
    let old = try await self.answer(
      ZonesChanges.self, .init(),
      #"{"moreComing":false,"metaSyncToken":"AQAAAaBJidqD","zones":[{"zoneID":{"zoneName":"Q","#
        + #""ownerRecordName":"_a","zoneType":"REGULAR_CUSTOM_ZONE"},"deleted":true}]}"#)
    #expect(old.metaSyncToken == "AQAAAaBJidqD")
    #expect(old.zones.first?.value?.deleted == true)
  }

  @Test func zonesAreRead() async throws {
    let body =
      #"{"zones":[{"zoneID":{"zoneName":"_defaultZone"},"syncToken":"s","atomic":false},"#
      + #"{"zoneID":{"zoneName":"N"},"serverErrorCode":"ZONE_NOT_FOUND","reason":"r"}]}"#
    let expected = ZonesResponse(zones: [
      .success(Zone(.default, syncToken: "s", atomic: false)),
      .failure(ServiceError(.zoneNotFound, reason: "r", zoneID: ZoneID("N"))),
    ])
    let listed = try await answer(ZonesList.self, EmptyBody(), body)
    let found = try await answer(ZonesLookup.self, .init(zones: [.default, ZoneID("N")]), body)
    let made = try await answer(
      ZonesModify.self, .init(operations: [.init(.create, ZoneID("N"))]), body)
    #expect([listed, found, made].allSatisfy { $0 == expected })
  }

  @Test func subscriptionsAreRead() async throws {
    let body =
      #"{"subscriptions":[{"subscriptionID":"s","subscriptionType":"query","query":"#
      + #"{"recordType":"AyahNote"},"firesOn":["create","update","delete"],"firesOnce":false,"#
      + #""zoneWide":true,"notificationInfo":{"shouldSendContentAvailable":true}},"#
      + #"{"subscriptionID":"t","serverErrorCode":"INTERNAL_ERROR","reason":"r"}]}"#
    let listed = try await answer(SubscriptionsList.self, EmptyBody(), body)
    let found = try await answer(
      SubscriptionsLookup.self, .init(subscriptions: [.init("s"), .init("t")]), body)
    let made = try await answer(
      SubscriptionsModify.self, .init(operations: [.init(.create, Subscription("s", .query))]),
      body)
    #expect(listed == found && found == made)
    #expect(listed.subscriptions[0].value?.firesOn == [.create, .update, .delete])
    #expect(listed.subscriptions[0].value?.notificationInfo?.shouldSendContentAvailable == true)
    #expect(listed.subscriptions[1].error?.code == .internalError)
  }

  @Test(arguments: [
    #"{"userRecordName":"_a","nameComponents":{"givenName":"An"}}"#,
    #"{"users":[{"userRecordName":"_a","nameComponents":{"givenName":"An"}}]}"#,
  ])
  func theCallerIsReadInEitherForm(_ body: String) async throws {
    let answer = try await answer(UsersCaller.self, EmptyBody(), body)
    #expect(answer.identity.userRecordName == "_a")
    #expect(answer.identity.nameComponents?.givenName == "An")
  }

  @Test func usersAreRead() async throws {
    let current = try await answer(
      UsersCurrent.self, EmptyBody(), #"{"userRecordName":"_a","firstName":"An"}"#)
    #expect(current == .init(userRecordName: "_a", firstName: "An"))
    let discovered = try await answer(
      UsersDiscover.self, .init(lookupInfos: [.init(emailAddress: "an@example.org")]),
      #"{"users":[{"userRecordName":"_a","lookupInfo":{"emailAddress":"an@example.org"}}]}"#)
    #expect(discovered.users.first?.lookupInfo?.emailAddress == "an@example.org")
  }

  @Test func tokensAndNotificationsAreRead() async throws {
    let made = try await answer(
      TokensCreate.self, .init(apnsEnvironment: .production, clientId: "c"),
      #"{"apnsEnvironment":"production","apnsToken":"t","webcourierURL":"https://c.example/x"}"#)
    #expect(made.webcourierURL == "https://c.example/x")
    let registered = try await answer(
      TokensRegister.self, .init(apnsEnvironment: .production, apnsToken: "t"), "{}")
    #expect(registered == EmptyBody())
    let body = #"""
      {"aps":{"alert":{"body":"b","loc-key":"k"},"badge":1,"content-available":1},
       "ck":{"nid":"n","cid":"iCloud.org.example","qry":{"rid":"r","zid":"_defaultZone","zoid":"_a",
       "sid":"favorite-ayah-changes","dbs":2,"fo":3,"af":{"ayahID":"2:255"}}}}
      """#
    try await withClient(.answering { _ in .json(body) }) { client, service in
      let notification = try await client.notification(at: service.origin + "/p")
      #expect(notification?.aps?.contentAvailable == 1)
      #expect(notification?.ck?.query?.event == 3)
      #expect(notification?.ck?.subscriptionID == "favorite-ayah-changes")
    }
  }

  @Test func uploadURLsOfAssetsAreRead() async throws {
    let answer = try await answer(
      AssetsUpload.self, .init(tokens: [.init(recordType: "T", fieldName: "f")]),
      #"{"tokens":[{"recordName":"r","fieldName":"f","url":"https://c.example/u"}]}"#)
    #expect(
      answer.tokens == [.init(recordName: "r", fieldName: "f", url: "https://c.example/u")])
  }
}
