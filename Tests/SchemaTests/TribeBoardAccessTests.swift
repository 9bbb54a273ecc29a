import CloudRecords
import Foundation
import GRDB
import RecordServer
import Testing

@testable import RecordServiceSupport

/// TribeBoard: who may do what, who is notified, and how the database finds records.
struct TribeBoardAccessTests {
  // MARK: Subscriptions

  @Test(.covers(.tribeBoardSubscriptions), arguments: Place.allCases)
  func eachTypeHasASubscriptionInTheZone(_ place: Place) async throws {
    try await AppFixture.run(.tribeBoard, on: place) { app in
      let phone = TribeBoard(device: try await app.device("an"))
      let tablet = TribeBoard(device: try await app.device("an"))
      for device in [phone, tablet] { try await device.launch() }
      let listed = try await tablet.device.call(SubscriptionsList.self, EmptyBody()).subscriptions
      #expect(
        listed.compactMap(\.value?.subscriptionID).sorted() == [
          "family-changes", "membership-changes", "userprofile-changes",
        ])
      #expect(listed.allSatisfy { $0.value?.zoneID?.zoneName == "TribeBoardZone" })
      let url = try await tablet.device.listen()
      /// The subscriptions and events of which the tablet was notified.
      func notified() async throws -> Set<String> {
        let notifications = try await tablet.device.notifications(at: url)
        for notification in notifications {
          #expect(notification.aps?.contentAvailable == 1)
          #expect(notification.aps?.alert == nil && notification.aps?.sound == nil)
          #expect(notification.ck?.query?.zoneName == "TribeBoardZone")
        }
        return Set(
          notifications.compactMap(\.ck?.query).map {
            "\($0.subscriptionID ?? "-") \($0.event ?? 0) \($0.recordName ?? "-")"
          })
      }
      try await phone.found("a", code: "RED-1", by: "mai")
      #expect(
        try await notified() == [
          "family-changes 1 family-a", "userprofile-changes 1 profile-mai",
          "membership-changes 1 membership-a-mai",
        ])
      var change = RecordInput("profile-mai", type: "CKUserProfile")
      change["displayName"] = .string("Mai Anh")
      try await phone.device.modify([Operation(.forceUpdate, change)], in: TribeBoard.zone)
      #expect(try await notified() == ["userprofile-changes 2 profile-mai"])
      try await phone.device.modify(
        [Operation(.forceDelete, note("family-a", type: nil))], in: TribeBoard.zone)
      #expect(
        try await notified() == [
          "family-changes 3 family-a", "membership-changes 3 membership-a-mai",
        ])
      // The tablet is not notified of records in other zones, or of its own changes.
      try await phone.device.save([TribeBoard.profile("lan")])
      try await tablet.device.save([TribeBoard.profile("hoa")], in: TribeBoard.zone)
      #expect(try await notified().isEmpty)
    }
  }

  @Test(.covers(.tribeBoardZoneIsMissing), arguments: Place.allCases)
  func aSubscriptionToAMissingZoneIsRefused(_ place: Place) async throws {
    try await AppFixture.run(.tribeBoard, on: place) { app in
      let an = try await app.device("an")
      let subscriptions = TribeBoard.subscriptions()
      let answer = try await an.call(
        SubscriptionsModify.self, .init(operations: subscriptions.map { .init(.create, $0) }))
      #expect(
        answer.subscriptions.compactMap(\.error?.code) == Array(repeating: .zoneNotFound, count: 3))
      #expect(
        answer.subscriptions.compactMap(\.error?.subscriptionID)
          == subscriptions.compactMap(\.subscriptionID))
      #expect(try await an.call(SubscriptionsList.self, EmptyBody()).subscriptions.isEmpty)
      // The subscriptions are accepted once the zone exists.
      try await TribeBoard(device: an).launch()
    }
  }

  // MARK: Roles

  @Test(
    .covers(.tribeBoardRoles, .tribeBoardNeedsSignIn), arguments: Place.allCases)
  func inThePublicDatabaseTheRolesDecide(_ place: Place) async throws {
    try await AppFixture.run(.tribeBoard, on: place) { app in
      let an = TribeBoard(device: try await app.device("an"), database: .public)
      let binh = TribeBoard(device: try await app.device("bình"), database: .public)
      try await an.found("a", code: "RED-1", by: "mai")
      // Everyone who is signed in reads, changes and deletes.
      #expect(try await binh.find(TribeBoard.familyQuery(code: "RED-1")) == ["family-a"])
      #expect(try await binh.find(TribeBoard.membersQuery(of: "a")) == ["membership-a-mai"])
      var change = RecordInput("family-a", type: "CKFamily")
      change["name"] = .string("A")
      #expect(
        try await binh.device.modify([Operation(.forceUpdate, change)], of: .public).summary
          == ["family-a"])
      #expect(
        try await an.device.lookup(["family-a"], of: .public)[0].record?["name"] == .string("A"))
      try await binh.device.modify(
        [Operation(.forceDelete, note("profile-mai", type: nil))], of: .public)
      #expect(try await an.find(TribeBoard.membersQuery(of: "a")).isEmpty)

      // Without a sign-in, nothing can be read or changed.
      let query = try await app.web.reply(
        RecordsQuery.self, .init(TribeBoard.familyQuery(code: "RED-1")), .production, .public)
      #expect(query.error?.summary == "ACCESS_DENIED: READ operation not permitted")
      let lookup = try await app.web.post(
        RecordsLookup.self, .init(records: [.init("family-a"), .init("family-z")]), as: nil,
        .production, .public
      ).records
      #expect(lookup.compactMap(\.error?.code) == [.notFound, .notFound])
      let modify = try await app.web.reply(
        RecordsModify.self,
        .init(operations: [Operation(.forceDelete, note("family-a", type: nil))]), as: nil,
        .production, .public)
      #expect(modify.error?.code == .authenticationRequired)
      #expect(try await binh.find(TribeBoard.familyQuery(code: "RED-1")) == ["family-a"])
    }
  }

  @Test(
    .covers(.tribeBoardNeedsSignIn, .tribeBoardRolesAreForPublic), arguments: Place.allCases)
  func thePrivateDatabaseIsForItsOwnerAlone(_ place: Place) async throws {
    // These grants deny everything in the public database.
    var schema = try AppSchema.tribeBoard.schema
    for name in schema.recordTypes.keys { schema[name]?.grants = Grants() }
    try await AppFixture.run(.tribeBoard, schema: schema, on: place) { app in
      let an = TribeBoard(device: try await app.device("an"))
      try await an.launch()
      try await an.found("a", code: "RED-1", by: "mai")
      #expect(try await an.find(TribeBoard.familyQuery(code: "RED-1")) == ["family-a"])
      let denied = try await an.device.modify(
        [Operation(.create, TribeBoard.profile("lan"))], of: .public)
      #expect(denied.summary == ["ACCESS_DENIED: CREATE operation not permitted"])

      let zone = #""zoneID":{"zoneName":"TribeBoardZone"}"#
      let requests: [(Route, String)] = [
        (.recordsQuery, #"{"query":{"recordType":"CKFamily"},\#(zone)}"#),
        (.recordsLookup, #"{"records":[{"recordName":"family-a"}],\#(zone)}"#),
        (
          .recordsModify,
          #"{"operations":[{"operationType":"forceDelete","record":{"recordName":"family-a"}}],"#
            + "\(zone)}"
        ),
        (.changesZone, #"{"zones":[{\#(zone)}]}"#), (.changesDatabase, "{}"),
        (.zonesList, "{}"), (.zonesLookup, #"{"zones":[{"zoneName":"TribeBoardZone"}]}"#),
        (.zonesModify, #"{"operations":[{"operationType":"delete","zone":{\#(zone)}}]}"#),
        (.subscriptionsList, "{}"),
        (.subscriptionsLookup, #"{"subscriptions":[{"subscriptionID":"family-changes"}]}"#),
        (
          .subscriptionsModify,
          #"{"operations":[{"operationType":"delete","subscription":{"subscriptionID":"#
            + #""family-changes"}}]}"#
        ),
        (.tokensCreate, #"{"apnsEnvironment":"production"}"#),
      ]
      for (route, json) in requests {
        let reply = try await app.web.post(route, json)
        #expect(reply.status == 421, "\(route): \(reply.text)")
        #expect(reply.error?.code == .authenticationRequired, "\(route)")
        #expect(!reply.text.contains("family-a"), "\(route)")
      }
      // Another person gets nothing, either.
      let binh = TribeBoard(device: try await app.device("bình"))
      #expect(
        try await binh.find(TribeBoard.familyQuery(code: "RED-1")) == [
          "ZONE_NOT_FOUND: zone not found"
        ])
      #expect(try await an.find(TribeBoard.familyQuery(code: "RED-1")) == ["family-a"])
    }
  }

  // MARK: Plans

  @Test(.covers(.tribeBoardQueriesUseIndexes), .onlySQLite, arguments: Place.allCases)
  func theQueriesSearchIndexes(_ place: Place) async throws {
    let trace = CostTrace()
    try await AppFixture.run(.tribeBoard, on: place) {
      $0.prepare = trace.prepare
    } _: { app in
      let an = TribeBoard(device: try await app.device("an"))
      try await an.launch()
      for family in ["a", "b"] {
        try await an.found(family, code: "CODE-\(family)", by: "founder-\(family)")
        for status in ["active", "left"] {
          try await an.add((0..<60).map { "\(family)-\(status)-\($0)" }, to: family, status: status)
        }
      }
      let queries: [(Query, found: Int)] = [
        (TribeBoard.familyQuery(code: "CODE-a"), 1),
        (TribeBoard.profileQuery(hash: "hash-b-left-7"), 1),
        (TribeBoard.membersQuery(of: "a"), 61),
        (TribeBoard.membersQuery(of: "a", role: "parent_admin"), 1),
      ]
      for (query, found) in queries {
        _ = trace.removeAll()
        #expect(try await an.find(query).count == found)
        let statements = trace.removeAll().filter { $0.sql.contains("entry e") }
        #expect(!statements.isEmpty)
        #expect(statements.allSatisfy { $0.scanned == 0 })
        let plans = try await app.web.sqlite.read { database in
          try statements.map { statement in
            try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN \(statement.expanded)").map {
              $0["detail"] as String
            }
          }
        }
        for plan in plans {
          for step in plan where step.hasPrefix("SCAN") {
            // Counting reads the result of a subquery.
            #expect(step == "SCAN found", "\(plan)")
          }
          #expect(
            plan.contains { $0.hasPrefix("SEARCH e USING ") && $0.contains("field=? AND key=?") },
            "\(plan)")
        }
      }
    }
    withExtendedLifetime(trace) {}
  }
}
