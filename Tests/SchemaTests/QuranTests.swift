import CloudRecords
import Foundation
import RecordClient
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

/// The container of the reader and of the phone app, as its schema document describes it.
struct QuranTests {
  typealias Person = WebFixture.Person

  private static func run(
    _ place: Place, _ body: @escaping @Sendable (WebFixture, Person) async throws -> Void
  ) async throws {
    try await AppFixture.run(.quran, on: place) { app in
      try await body(app.web, try await app.web.person("an"))
    }
  }

  // MARK: Records, as the app makes them

  private func favorite(_ user: String, _ surah: Int, _ ayah: Int) -> RecordInput {
    note(
      "favorite-\(user)-\(surah):\(ayah)",
      [
        "ayahID": .string("\(surah):\(ayah)"), "surahNumber": .int64(Int64(surah)),
        "ayahNumber": .int64(Int64(ayah)), "favoritedAt": .timestamp(at(surah, ayah)),
        "ownerRecordName": .string(user),
      ], type: "FavoriteAyah")
  }

  private func ayahNote(
    _ user: String, _ surah: Int, _ ayah: Int, _ id: String, _ text: String
  ) -> RecordInput {
    note(
      "note-\(user)-\(surah):\(ayah)-\(id)",
      [
        "ayahID": .string("\(surah):\(ayah)"), "surahNumber": .int64(Int64(surah)),
        "ayahNumber": .int64(Int64(ayah)), "noteText": .string(text),
        "createdAt": .timestamp(at(surah, ayah)), "modifiedAt": .timestamp(at(surah, ayah)),
        "ownerRecordName": .string(user),
      ], type: "AyahNote")
  }

  private func progress(_ user: String, _ surah: Int, _ ayah: Int, of total: Int) -> RecordInput {
    note(
      "progress-\(user)-\(surah)",
      [
        "surahNumber": .int64(Int64(surah)), "lastReadAyah": .int64(Int64(ayah)),
        "totalAyahs": .int64(Int64(total)),
        "progressPercentage": .double(100 * Double(ayah) / Double(total)),
        "lastUpdatedAt": .timestamp(at(surah, ayah)), "ownerRecordName": .string(user),
      ], type: "ReadingProgress")
  }

  private func profile(_ user: String, lastSignIn: Int64) -> RecordInput {
    note(
      user,
      [
        "appleUserID": .string(user), "lastSignIn": .timestamp(Timestamp(milliseconds: lastSignIn)),
        "createdAt": .timestamp(Timestamp(milliseconds: 1_700_000_000_000)),
      ], type: "UserProfile")
  }

  private func setting(_ user: String, _ key: String, _ value: String) -> RecordInput {
    note(
      "setting-\(user)-\(key)",
      [
        "settingKey": .string(key), "settingValue": .string(value),
        "lastModifiedAt": .timestamp(at(1, 1)), "ownerRecordName": .string(user),
      ], type: "AppSettings")
  }

  private func at(_ surah: Int, _ ayah: Int) -> Timestamp {
    Timestamp(milliseconds: 1_700_000_000_000 + Int64(surah * 1000 + ayah))
  }

  private func create(
    _ drafts: [RecordInput], _ web: WebFixture, _ person: Person
  ) async throws -> [CloudRecords.Record] {
    let results = try await web.modify(drafts.map { Operation(.create, $0) }, as: person)
    return try results.map { try #require($0.record, "\($0)") }
  }

  /// The names that a query finds, all pages of it.
  private func names(
    _ json: String, _ web: WebFixture, _ person: Person
  ) async throws -> [String] {
    var names: [String] = []
    var marker = ""
    repeat {
      let reply = try await web.post(
        .recordsQuery, #"{"query":\#(json),"resultsLimit":3\#(marker)}"#, as: person)
      try #require(reply.status == 200, "\(reply.text)")
      let answer = try Wire.decode(RecordsQuery.Response.self, from: reply.body, as: .response)
      #expect(answer.records.count <= 3)
      names += answer.records.compactMap(\.recordName)
      marker = answer.continuationMarker.map { #","continuationMarker":"\#($0)""# } ?? ""
    } while !marker.isEmpty
    return names
  }

  // MARK: Sample queries

  @Test(.covers(.quranFavouritesOfAnOwner, .everyStorageServesThem), arguments: Place.allCases)
  func favouritesAreQueriedByOwner(_ place: Place) async throws {
    try await Self.run(place) { web, an in
      let mine = (1...7).map { self.favorite(an.user, 2, $0) }
      _ = try await self.create(mine + [self.favorite("_other", 2, 9)], web, an)
      let found = try await self.names(
        """
        {"recordType":"FavoriteAyah","filterBy":[{"fieldName":"ownerRecordName",
        "comparator":"EQUALS","fieldValue":{"value":"\(an.user)","type":"STRING"}}]}
        """, web, an)
      #expect(Set(found) == Set(mine.compactMap(\.recordName)))
      #expect(found.count == 7)
    }
  }

  @Test(.covers(.quranFavouritesOfAnOwner), arguments: Place.allCases)
  func favouritesAreQueriedBySeveralOwnerNames(_ place: Place) async throws {
    try await Self.run(place) { web, an in
      let owners = [an.user, "_defaultOwner", "__defaultOwner__", "_someoneElse"]
      let drafts = owners.map { self.favorite($0, 1, 1) }
      _ = try await self.create(drafts, web, an)
      let found = try await self.names(
        """
        {"recordType":"FavoriteAyah","filterBy":[{"fieldName":"ownerRecordName",
        "comparator":"IN","fieldValue":{"type":"STRING_LIST",
        "value":["\(an.user)","_defaultOwner","__defaultOwner__"]}}]}
        """, web, an)
      #expect(Set(found) == Set(drafts.dropLast().compactMap(\.recordName)))
    }
  }

  @Test(.covers(.quranNotesOfAnAyahAndOwner), arguments: Place.allCases)
  func notesAreQueriedByAyahAndOwner(_ place: Place) async throws {
    try await Self.run(place) { web, an in
      let wanted = ["a", "b"].map { self.ayahNote(an.user, 2, 255, $0, "ghi chú \($0)") }
      let others = [
        self.ayahNote(an.user, 2, 256, "c", "khác"), self.ayahNote("_other", 2, 255, "d", "khác"),
      ]
      _ = try await self.create(wanted + others, web, an)
      let found = try await self.names(
        """
        {"recordType":"AyahNote","filterBy":[
        {"fieldName":"ayahID","comparator":"EQUALS","fieldValue":{"value":"2:255"}},
        {"fieldName":"ownerRecordName","comparator":"EQUALS","fieldValue":{"value":"\(an.user)"}}]}
        """, web, an)
      #expect(Set(found) == Set(wanted.compactMap(\.recordName)))
    }
  }

  @Test(.covers(.quranProgressBySurah), arguments: Place.allCases)
  func progressIsSortedBySurah(_ place: Place) async throws {
    try await Self.run(place) { web, an in
      let surahs = [114, 2, 36, 1, 67, 18, 55]
      _ = try await self.create(
        surahs.map { self.progress(an.user, $0, 3, of: 6) }, web, an)
      let found = try await self.names(
        """
        {"recordType":"ReadingProgress","filterBy":[{"fieldName":"ownerRecordName",
        "comparator":"EQUALS","fieldValue":{"value":"\(an.user)"}}],
        "sortBy":[{"fieldName":"surahNumber","ascending":true}]}
        """, web, an)
      #expect(found == surahs.sorted().map { "progress-\(an.user)-\($0)" })
    }
  }

  // MARK: Subscriptions

  @Test(.covers(.quranSubscriptions), arguments: Place.allCases)
  func subscriptionsFireOnCreateUpdateAndDelete(_ place: Place) async throws {
    try await Self.run(place) { web, an in
      let types = [
        "favorite-ayah-changes": "FavoriteAyah", "ayah-note-changes": "AyahNote",
        "reading-progress-changes": "ReadingProgress", "app-settings-changes": "AppSettings",
      ]
      let creations = types.sorted(by: <).map { id, type in
        SubscriptionsModify.Operation(
          .create,
          Subscription(
            id, .query, query: Query(type), firesOn: [.create, .update, .delete],
            notificationInfo: NotificationInfo(shouldSendContentAvailable: true)))
      }
      for _ in 1...2 {
        // Creating them a second time succeeds, too.
        let answer = try await web.post(
          SubscriptionsModify.self, .init(operations: creations), as: an)
        #expect(answer.subscriptions.compactMap(\.value?.subscriptionID) == types.keys.sorted())
      }
      let phone = try await web.person("an")
      let token = try await web.post(
        TokensCreate.self, .init(apnsEnvironment: .production), as: phone)
      let records = [
        "FavoriteAyah": self.favorite(an.user, 1, 1),
        "AyahNote": self.ayahNote(an.user, 1, 1, "x", "chào"),
        "ReadingProgress": self.progress(an.user, 1, 2, of: 7),
        "AppSettings": self.setting(an.user, "theme", #""night""#),
      ]
      for (id, type) in types.sorted(by: <) {
        let draft = try #require(records[type])
        let steps: [(RecordsModify.OperationType, Int)] = [
          (.create, 1), (.forceUpdate, 2), (.forceDelete, 3),
        ]
        for (operation, event) in steps {
          try await web.modify([Operation(operation, draft)], as: an)
          let reply = try await web.send("GET", token.webcourierURL)
          let pushed = try Wire.decode(PushNotification.self, from: reply.body, as: .response)
          #expect(pushed.ck?.query?.subscriptionID == id)
          #expect(pushed.ck?.query?.event == event)
          #expect(pushed.ck?.query?.recordName == draft.recordName)
          #expect(pushed.ck?.containerID == web.container.name)
          #expect(pushed.aps?.contentAvailable == 1)
          #expect(pushed.aps?.alert == nil)
        }
      }
    }
  }

  // MARK: The testing checklist

  @Test(.covers(.quranChecklist), arguments: Place.allCases)
  func theTestingChecklistOfTheSchemaDocument(_ place: Place) async throws {
    try await Self.run(place) { web, an in
      let all = [
        ("FavoriteAyah", 0), ("AyahNote", 0), ("ReadingProgress", 0), ("AppSettings", 0),
      ].map(\.0)
      func count(_ type: String, _ person: Person) async throws -> Int {
        try await self.names(
          """
          {"recordType":"\(type)","filterBy":[{"fieldName":"ownerRecordName",
          "comparator":"EQUALS","fieldValue":{"value":"\(person.user)"}}]}
          """, web, person
        ).count
      }
      // Sign in: a profile is created, and updated.
      var profile = try await self.create([self.profile(an.user, lastSignIn: 1)], web, an)[0]
      #expect(profile.recordName == an.user)
      let signedIn = try await web.modify(
        [
          Operation(
            .update,
            note(
              an.user, ["lastSignIn": .timestamp(Timestamp(milliseconds: 2))],
              tag: profile.recordChangeTag, type: "UserProfile"))
        ], as: an)
      profile = try #require(signedIn.first?.record)
      #expect(profile["lastSignIn"] == .timestamp(Timestamp(milliseconds: 2)))
      #expect(profile["appleUserID"] == .string(an.user))
      // Favorite an ayah: a record appears. Unfavorite: it is deleted.
      let favorite = try await self.create([self.favorite(an.user, 2, 255)], web, an)[0]
      #expect(try await count("FavoriteAyah", an) == 1)
      try await web.modify(
        [Operation(.delete, note(favorite.recordName, tag: favorite.recordChangeTag, type: nil))],
        as: an)
      #expect(try await count("FavoriteAyah", an) == 0)
      // Add a note: it appears, is edited, and deleted.
      let added = try await self.create(
        [self.ayahNote(an.user, 2, 255, "A1", "Đấng Hằng Sống")], web, an)[0]
      let edited = try await web.modify(
        [
          Operation(
            .update,
            note(
              added.recordName, ["noteText": .string("Đấng Hằng Sống\nvà Tự Hữu")],
              tag: added.recordChangeTag, type: "AyahNote"))
        ], as: an)
      #expect(edited.first?.record?["noteText"] == .string("Đấng Hằng Sống\nvà Tự Hữu"))
      #expect(edited.first?.record?["createdAt"] == added["createdAt"])
      // Progress is saved, and updated.
      _ = try await self.create([self.progress(an.user, 2, 3, of: 286)], web, an)
      let further = try await web.modify(
        [Operation(.forceUpdate, self.progress(an.user, 2, 143, of: 286))], as: an)
      #expect(further.first?.record?["progressPercentage"] == .double(50))
      _ = try await self.create([self.setting(an.user, "theme", #""dark""#)], web, an)
      // Sign out, and in: the data is kept. A second device has the same.
      let ended = try await web.send(
        "POST",
        "/session/1/\(web.container)/production/end?ckAPIToken=\(web.apiToken)"
          + "&ckWebAuthToken=\(an.token)")
      #expect(ended.status == 200)
      #expect(
        try await web.reply(ZonesList.self, EmptyBody(), as: an).error?.code
          == .authenticationRequired)
      let again = try await web.person("an")
      #expect(again.user == an.user)
      for type in all.dropFirst() { #expect(try await count(type, again) == 1) }
      try await web.modify(
        [Operation(.forceDelete, note(added.recordName, type: nil))], as: again)
      #expect(try await count("AyahNote", again) == 0)
      // Delete the account: all of the user's records are removed.
      let binh = try await web.person("bình")
      _ = try await self.create([self.favorite(binh.user, 1, 1)], web, binh)
      #expect(try await web.accountService.remove(an.account))
      #expect(
        try await web.reply(ZonesList.self, EmptyBody(), as: again).error?.code
          == .authenticationRequired)
      let owners = try await web.database.read(within: nil) { connection in
        try connection.rows("SELECT DISTINCT account FROM owner WHERE account <> 0") {
          try $0[0] as Int64
        }
      }
      #expect(owners == [binh.account.id])
      let rows = try await web.database.read(within: nil) { connection in
        try ["record", "entry", "reference", "usage", "zone", "subscription"].map { table in
          try connection.row(
            "SELECT count(*) FROM \(table) WHERE owner_id NOT IN (SELECT id FROM owner)"
          ) { try $0[0] as Int }
        }
      }
      #expect(rows == [0, 0, 0, 0, 0, 0])
      #expect(try await count("FavoriteAyah", binh) == 1)
    }
  }

  @Test(.covers(.quranPublicCreationIsDenied), arguments: Place.allCases)
  func nothingCanBeCreatedInPublic(_ place: Place) async throws {
    try await Self.run(place) { web, an in
      let results = try await web.modify(
        [Operation(.create, self.favorite(an.user, 1, 1))], as: an, .production, .public)
      #expect(results.summary == ["ACCESS_DENIED: CREATE operation not permitted"])
    }
  }

  @Test(.covers(.quranBatchesAreSplit), arguments: Place.allCases)
  func aBatchOfFourHundredIsRefusedAndItsHalvesAreTaken(_ place: Place) async throws {
    try await Self.run(place) { web, an in
      let drafts = (1...400).map { self.favorite(an.user, 1 + $0 / 7, 1 + $0 % 7) }
      let all = RecordsModify.Request(operations: drafts.map { Operation(.create, $0) })
      let reply = try await web.reply(RecordsModify.self, all, as: an)
      #expect(reply.status == 400)
      #expect(
        reply.error?.reason
          == "Your request contains 400 items which is more than the maximum number of items in a "
          + "single request (200)")
      var sizes: [Int] = []
      for request in all.batches() {
        let results = try await web.post(RecordsModify.self, request, as: an).records
        #expect(results.allSatisfy { $0.record != nil })
        sizes.append(results.count)
      }
      #expect(sizes == [200, 200])
    }
  }

  @Test(arguments: Place.allCases) func theDefaultZoneHasAFeed(_ place: Place) async throws {
    try await Self.run(place) { web, an in
      let zones = try await web.post(ZonesList.self, EmptyBody(), as: an).zones
      #expect(zones.compactMap(\.value?.zoneID.zoneName) == ["_defaultZone"])
      let start = try #require(zones.first?.value?.syncToken)
      _ = try await self.create([self.favorite(an.user, 1, 1)], web, an)
      let pages = try await web.post(
        ChangesZone.self, .init(zones: [.init(.default, syncToken: start)]), as: an
      ).zones
      let page = try #require(pages.first?.value)
      #expect(page.records.compactMap(\.recordName) == ["favorite-\(an.user)-1:1"])
      #expect(!page.moreComing)
    }
  }
}
