import CloudRecords
import Testing

/// The bodies of zone, subscription, user, token and asset endpoints in their documented form
/// (Apple, CloudKit Web Services Reference).
struct WireExampleTests {
  // MARK: zones

  @Test func zoneBodiesAreReadAndWritten() throws {
    try expectBothWays(
      ZonesModify.Request(operations: [.init(.create, ZoneID("Q")), .init(.delete, ZoneID("R"))]),
      #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"Q"}}},"#
        + #"{"operationType":"delete","zone":{"zoneID":{"zoneName":"R"}}}]}"#)
    try expectBothWays(
      ZonesLookup.Request(zones: [ZoneID("Q")]), #"{"zones":[{"zoneName":"Q"}]}"#)
    #expect(
      try answer(
        ZonesResponse.self,
        #"{"zones":[{"zoneID":{"zoneName":"_defaultZone"},"atomic":false},{"zoneID":{"zoneName":"#
          + #""Q","zoneType":"REGULAR_CUSTOM_ZONE"},"syncToken":"s","atomic":true},"#
          + #"{"zoneID":{"zoneName":"N"},"serverErrorCode":"ZONE_NOT_FOUND","reason":"r"}]}"#)
        == ZonesResponse(zones: [
          .success(Zone(.default, atomic: false)),
          .success(Zone(ZoneID("Q", zoneType: .custom), syncToken: "s", atomic: true)),
          .failure(ServiceError(.zoneNotFound, reason: "r", zoneID: ZoneID("N"))),
        ]))
    #expect(try request(ZonesList.Request.self, "{}") == EmptyBody())
    #expect(try answer(ZonesResponse.self, "{}").zones.isEmpty)
  }

  // MARK: subscriptions

  @Test func subscriptionsAreReadAndWritten() throws {
    try expectBothWays(
      SubscriptionsModify.Request(operations: [
        .init(
          .create,
          Subscription(
            "favorite-ayah-changes", .query, query: Query("FavoriteAyah"),
            firesOn: [.delete, .create, .update],
            notificationInfo: NotificationInfo(shouldSendContentAvailable: true))),
        .init(.delete, Subscription("old")),
      ]),
      #"{"operations":[{"operationType":"create","subscription":{"firesOn":["create","update","#
        + #""delete"],"notificationInfo":{"shouldSendContentAvailable":true},"query":"#
        + #"{"recordType":"FavoriteAyah"},"subscriptionID":"favorite-ayah-changes","#
        + #""subscriptionType":"query"}},{"operationType":"delete","subscription":"#
        + #"{"subscriptionID":"old"}}]}"#)
    try expectBothWays(
      SubscriptionsLookup.Request(subscriptions: [.init("a")]),
      #"{"subscriptions":[{"subscriptionID":"a"}]}"#)
    #expect(
      try answer(
        SubscriptionsResponse.self,
        #"{"subscriptions":[{"subscriptionID":"z","subscriptionType":"zone","zoneID":"#
          + #"{"zoneName":"Q"},"zoneWide":true},{"subscriptionID":"d","#
          + #""subscriptionType":"database"},{"subscriptionID":"b","reason":"r","#
          + #""serverErrorCode":"INTERNAL_ERROR"}]}"#)
        == SubscriptionsResponse(subscriptions: [
          .success(Subscription("z", .zone, zoneID: ZoneID("Q"), zoneWide: true)),
          .success(Subscription("d", .init(rawValue: "database"))),
          .failure(ServiceError(.internalError, reason: "r", subscriptionID: "b")),
        ]))
    #expect(try request(SubscriptionsList.Request.self, "{}") == EmptyBody())
    for seed in seeds(100) {
      var arbitrary = Arbitrary(seed: seed)
      let subscription = arbitrary.subscription()
      #expect(try request(Subscription.self, text(subscription)) == subscription, "seed \(seed)")
    }
  }

  @Test func theWholeNotificationInfoIsKept() throws {
    try expectBothWays(
      NotificationInfo(
        alertBody: "b", alertLocalizationKey: "k", alertLocalizationArgs: ["a"],
        alertActionLocalizationKey: "ak", alertLaunchImage: "i", soundName: "s",
        shouldBadge: true, shouldSendContentAvailable: false),
      #"{"alertActionLocalizationKey":"ak","alertBody":"b","alertLaunchImage":"i","#
        + #""alertLocalizationArgs":["a"],"alertLocalizationKey":"k","shouldBadge":true,"#
        + #""shouldSendContentAvailable":false,"soundName":"s"}"#)
  }

  // MARK: users

  @Test func theCallerIsReadFlatOrFromAList() throws {
    let identity = UserIdentity(
      userRecordName: "_u", nameComponents: .init(givenName: "A", familyName: "B"),
      lookupInfo: .init(emailAddress: "a@b"))
    let flat =
      #""lookupInfo":{"emailAddress":"a@b"},"nameComponents":{"familyName":"B","givenName":"A"},"#
      + #""userRecordName":"_u""#
    let body = UsersCaller.Response(identity)
    #expect(try answer(UsersCaller.Response.self, "{\(flat)}") == body)
    #expect(try answer(UsersCaller.Response.self, #"{"users":[{\#(flat)}]}"#) == body)
    let both =
      #"{"lookupInfo":{"emailAddress":"a@b"},"nameComponents":{"familyName":"B","givenName":"A"},"#
      + #""userRecordName":"_u","users":[{\#(flat)}]}"#
    #expect(try text(body) == both)
    #expect(try answer(UsersCaller.Response.self, both) == body)
  }

  @Test func currentAndDiscoveredUsersAreReadAndWritten() throws {
    try expectBothWays(
      UsersCurrent.Response(userRecordName: "_u", firstName: "A", lastName: "B", emailAddress: "e"),
      #"{"emailAddress":"e","firstName":"A","lastName":"B","userRecordName":"_u"}"#)
    #expect(
      try answer(UsersCurrent.Response.self, #"{"userRecordName":"_u"}"#)
        == UsersCurrent.Response(userRecordName: "_u"))
    try expectBothWays(
      UsersDiscover.Request(lookupInfos: [.init(emailAddress: "e"), .init(userRecordName: "_u")]),
      #"{"lookupInfos":[{"emailAddress":"e"},{"userRecordName":"_u"}]}"#)
    try expectBothWays(
      UsersDiscover.Response(users: [UserIdentity(userRecordName: "_u")]),
      #"{"users":[{"userRecordName":"_u"}]}"#)
  }

  // MARK: tokens and notifications

  @Test func tokenBodiesAreReadAndWritten() throws {
    try expectBothWays(
      TokensCreate.Request(apnsEnvironment: .development, clientId: "c"),
      #"{"apnsEnvironment":"development","clientId":"c"}"#)
    try expectBothWays(
      TokensCreate.Response(
        apnsEnvironment: .production, apnsToken: "t", webcourierURL: "https://h/p?a=1"),
      #"{"apnsEnvironment":"production","apnsToken":"t","webcourierURL":"https://h/p?a=1"}"#)
    try expectBothWays(
      TokensRegister.Request(apnsEnvironment: .production, apnsToken: "t"),
      #"{"apnsEnvironment":"production","apnsToken":"t"}"#)
    #expect(try answer(TokensRegister.Response.self, "{}") == EmptyBody())
  }

  @Test func notificationsAreReadAndWritten() throws {
    try expectBothWays(
      PushNotification(
        aps: .init(
          alert: .init(
            body: "b", localizationKey: "k", localizationArguments: ["a"],
            actionLocalizationKey: "ak", launchImage: "i"), sound: "s", badge: 1, category: "c",
          contentAvailable: 1),
        ck: .init(
          notificationID: "n", containerID: "iCloud.a",
          zone: .init(zoneName: "Q", zoneOwner: "_u", subscriptionID: "z"))),
      #"{"aps":{"alert":{"action-loc-key":"ak","body":"b","launch-image":"i","loc-args":["a"],"#
        + #""loc-key":"k"},"badge":1,"category":"c","content-available":1,"sound":"s"},"#
        + #""ck":{"cid":"iCloud.a","fet":{"sid":"z","zid":"Q","zoid":"_u"},"nid":"n"}}"#)
    let query = PushNotification(
      ck: .init(
        query: .init(
          recordName: "r", zoneName: "Q", zoneOwner: "_u", subscriptionID: "q",
          database: .private, event: .update, fields: ["a": .integer(1)])))
    try expectBothWays(
      query,
      #"{"ck":{"qry":{"af":{"a":1},"dbs":2,"fo":2,"rid":"r","sid":"q","zid":"Q","zoid":"_u"}}}"#)
    #expect(query.ck?.subscriptionID == "q")
    #expect(
      try answer(PushNotification.self, #"{"aps":{"alert":"hello"}}"#).aps?.alert?.body == "hello")
    let events = Subscription.Event.allCases.map {
      PushNotification.QueryChange(event: $0).event
    }
    #expect(events == [1, 2, 3])
  }

  // MARK: assets

  @Test func assetUploadBodiesAreReadAndWritten() throws {
    try expectBothWays(
      AssetsUpload.Request(
        tokens: [.init(recordName: "r", recordType: "T", fieldName: "f")], zoneID: ZoneID("Q")),
      #"{"tokens":[{"fieldName":"f","recordName":"r","recordType":"T"}],"zoneID":{"zoneName":"Q"}}"#
    )
    try expectBothWays(
      AssetsUpload.Response(tokens: [.init(recordName: "r", fieldName: "f", url: "https://h/u")]),
      #"{"tokens":[{"fieldName":"f","recordName":"r","url":"https://h/u"}]}"#)
    try expectBothWays(
      AssetsUpload.UploadResponse(
        Asset(
          fileChecksum: "c", size: 3, referenceChecksum: "r", wrappingKey: "w", receipt: "x")),
      #"{"singleFile":{"fileChecksum":"c","receipt":"x","referenceChecksum":"r","size":3,"#
        + #""wrappingKey":"w"}}"#)
  }

  // MARK: errors

  @Test func anErrorOfAWholeRequestIsReadAndWritten() throws {
    try expectBothWays(
      ServiceError(
        .authenticationRequired, reason: "request needs authorization",
        redirectURL: "https://example.org/a", uuid: "u"),
      #"{"reason":"request needs authorization","redirectURL":"https://example.org/a","#
        + #""serverErrorCode":"AUTHENTICATION_REQUIRED","uuid":"u"}"#)
  }
}
