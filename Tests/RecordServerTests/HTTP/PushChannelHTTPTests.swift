import CloudRecords
import Foundation
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

/// Long polls over HTTP.
struct PushChannelHTTPTests {
  private static let createSubscription = SubscriptionsModify.Operation(
    .create, Subscription("s", .query, query: Query("FavoriteAyah"), firesOn: [.create]))

  private static func courier(
    _ web: WebFixture, _ person: WebFixture.Person
  ) async throws -> String {
    try await web.post(TokensCreate.self, .init(apnsEnvironment: .production), as: person)
      .webcourierURL
  }

  private static func whenWaiting(_ count: Int, _ web: WebFixture) async {
    while web.push.waiting != count { await Task.yield() }
  }

  private static func favorite(_ name: String) -> Operation {
    Operation(.create, note(name, ["ayahID": .string("1:1")], type: "FavoriteAyah"))
  }

  @Test func aChangeEndsThePollsOfOtherSessionsOnly() async throws {
    try await WebFixture.run { web in
      let (phone, desktop) = (try await web.person("an"), try await web.person("an"))
      _ = try await web.post(
        SubscriptionsModify.self, .init(operations: [Self.createSubscription]), as: phone)
      let phoneURL = try await Self.courier(web, phone)
      let desktopURL = try await Self.courier(web, desktop)
      async let first = web.send("GET", phoneURL)
      async let second = web.send("GET", desktopURL)
      await Self.whenWaiting(2, web)
      try await web.modify([Self.favorite("a")], as: phone)
      let woken = try await second
      let pushed = try Wire.decode(PushNotification.self, from: woken.body, as: .response)
      #expect(pushed.ck?.query?.recordName == "a")
      #expect(web.push.waiting == 1)
      try await web.modify([Self.favorite("b")], as: desktop)
      #expect(
        try Wire.decode(PushNotification.self, from: try await first.body, as: .response)
          .ck?.query?.recordName == "b")
    }
  }

  /// The change has succeeded, so the client does not repeat it.
  @Test func aChangeIsNotifiedAlthoughTheDatabaseFailsAfterIt() async throws {
    try await WebFixture.run { web in
      let (phone, desktop) = (try await web.person("an"), try await web.person("an"))
      _ = try await web.post(
        SubscriptionsModify.self, .init(operations: [Self.createSubscription]), as: phone)
      let courier = try await Self.courier(web, desktop)
      web.storage.failReadAfterNextWrite()
      try await web.modify([Self.favorite("a")], as: phone)
      let reply = try await web.send("GET", courier)
      let pushed = try Wire.decode(PushNotification.self, from: reply.body, as: .response)
      #expect(pushed.ck?.query?.recordName == "a")
    }
  }

  /// A client that repeats the request, as the answer tells it, changes nothing. So the repetition
  /// cannot cause the notification.
  @Test func aChangeThatWasCommittedWithoutAnAnswerCountsAsLost() async throws {
    try await WebFixture.run {
      $0.web.pollSeconds = 0
    } _: { web in
      let (phone, desktop) = (try await web.person("an"), try await web.person("an"))
      let other = try await web.person("binh")
      let urls = (try await Self.courier(web, desktop), try await Self.courier(web, other))
      let change = RecordsModify.Request(operations: [Self.favorite("a")])
      web.storage.failAnswerOfNextWrite()
      #expect(try await web.reply(RecordsModify.self, change, as: phone).status == 503)
      let first = try await web.send("GET", urls.0)
      #expect(first.status == 503)
      #expect(first.error?.code == .tryAgainLater)
      #expect(try await web.send("GET", urls.0).status == 200)
      #expect(try await web.send("GET", urls.1).status == 200, "the account of another")
    }
  }

  @Test func aPollWithoutNotificationsIsAnsweredEmpty() async throws {
    try await WebFixture.run {
      $0.web.pollSeconds = 0
    } _: { web in
      let an = try await web.person("an")
      let reply = try await web.send("GET", try await Self.courier(web, an))
      #expect(reply.status == 200)
      #expect(reply.body.isEmpty)
    }
  }

  /// The queues of the earlier run are gone, and the client was not connected when that run ended.
  @Test func theFirstPollOfAPushChannelOfAnEarlierRunIsToldOfLostNotifications() async throws {
    try await WebFixture.run {
      $0.web.pollSeconds = 0
    } _: { web in
      let an = try await web.person("an")
      let session = try #require(try await web.accountService.sessions(of: an.account).first)
      let made = try #require(
        try await web.accountService.createPushChannel(
          session: session.id, environment: .production))
      let url = "/courier/\(made.secret)"
      let first = try await web.send("GET", url)
      #expect(first.status == 503)
      #expect(first.error?.code == .tryAgainLater)
      #expect(try await web.send("GET", url).status == 200)
    }
  }

  @Test func signingOutEndsThePoll() async throws {
    try await WebFixture.run { web in
      let an = try await web.person("an")
      let url = try await Self.courier(web, an)
      async let reply = web.send("GET", url)
      await Self.whenWaiting(1, web)
      let end = "/session/1/\(web.container)/production/end?ckAPIToken=\(web.apiToken)"
      #expect(try await web.send("POST", end + "&ckWebAuthToken=\(an.token)").status == 200)
      #expect(try await reply.body.isEmpty)
      #expect(try await web.send("GET", url).error?.code == .notFound)
      #expect(web.push.known == 0)
    }
  }

  @Test func aRevokedSessionGetsNoNotifications() async throws {
    try await WebFixture.run { web in
      let (phone, desktop) = (try await web.person("an"), try await web.person("an"))
      _ = try await web.post(
        SubscriptionsModify.self, .init(operations: [Self.createSubscription]), as: phone)
      let url = try await Self.courier(web, desktop)
      async let reply = web.send("GET", url)
      await Self.whenWaiting(1, web)
      // The operator does this in another process, which does not tell the hub.
      let sessions = try await web.accountService.sessions(of: desktop.account)
      for session in sessions where session.id != sessions.last?.id {
        #expect(try await web.accountService.revoke(session: session.id, of: desktop.account))
      }
      try await web.modify([Self.favorite("a")], as: phone)
      // The housekeeping at the start may have ended the poll, whose answer then has no body.
      let answer = try await reply
      #expect(answer.body.isEmpty || answer.error?.code == .notFound)
    }
  }

  @Test func pushChannelsPerSessionAreLimited() async throws {
    try await WebFixture.run {
      $0.web.pollSeconds = 0
    } _: { web in
      let an = try await web.person("an")
      var urls: [String] = []
      for _ in 0..<PushChannel.perSession + 5 {
        urls.append(try await Self.courier(web, an))
        web.clock.advance(1)
      }
      var statuses: [Int] = []
      for url in urls { statuses.append(try await web.send("GET", url).status) }
      #expect(statuses == Array(repeating: 404, count: 5) + Array(repeating: 200, count: 10))
      #expect(web.push.known == PushChannel.perSession)
    }
  }

  /// The push channel that has been unused for the longest time gives way, even if it is of another
  /// session.
  @Test func pushChannelsPerAccountAreLimited() async throws {
    try await WebFixture.run {
      $0.web.pollSeconds = 0
    } _: { web in
      let other = try await web.person("binh")
      let otherURL = try await Self.courier(web, other)
      var urls: [String] = []
      for _ in 0..<3 {
        let an = try await web.person("an")
        for _ in 0..<PushChannel.perSession {
          urls.append(try await Self.courier(web, an))
          web.clock.advance(1)
        }
      }
      var statuses: [Int] = []
      for url in urls { statuses.append(try await web.send("GET", url).status) }
      #expect(
        statuses == Array(repeating: 404, count: 10)
          + Array(repeating: 200, count: PushChannel.perAccount))
      #expect(web.push.known == PushChannel.perAccount + 1)
      #expect(try await web.send("GET", otherURL).status == 200)
    }
  }

  @Test func anUnusedPushChannelExpires() async throws {
    try await WebFixture.run {
      $0.web.pollSeconds = 0
    } _: { web in
      let an = try await web.person("an")
      let url = try await Self.courier(web, an)
      var token = an.token
      // Uses the session every day, so that it does not expire.
      func useSession(days: Int) async throws {
        for _ in 0..<days {
          web.clock.advance(86_400_000)
          let reply = try await web.send("GET", web.path(.zonesList, token))
          try #require(reply.status == 200)
          token = try #require(reply.header("X-Apple-CloudKit-Web-Auth-Token"))
        }
      }
      try await useSession(days: 29)
      #expect(try await web.send("GET", url).status == 200)
      try await useSession(days: 30)
      #expect(try await web.send("GET", url).status == 404)
    }
  }
}
