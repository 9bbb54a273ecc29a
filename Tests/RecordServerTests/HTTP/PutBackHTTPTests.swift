import CloudRecords
import GRDB
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

/// A device that uses a service whose files were put back to an earlier state.
@Suite(.onlySQLite) struct PutBackHTTPTests {
  private static let tokenHeader = "X-Apple-CloudKit-Web-Auth-Token"

  @Test func aDeviceStaysSignedInAndAsksForItsPushChannelAgain() async throws {
    try await WebFixture.run {
      $0.web.pollSeconds = 0
    } _: { web in
      var an = try await web.person("an")
      let copy = try DatabaseQueue()
      try web.sqlite.backup(to: copy)
      let courier = try await web.post(
        TokensCreate.self, .init(apnsEnvironment: .production), as: an
      ).webcourierURL
      #expect(try await web.send("GET", courier).status == 200)
      for _ in 0..<5 {
        web.clock.advance(TokenRotation.interval + TokenRotation.grace)
        let reply = try await web.reply(UsersCaller.self, EmptyBody(), as: an, .production, .public)
        let token = try #require(reply.header(Self.tokenHeader))
        try #require(token != an.token)
        an = WebFixture.Person(account: an.account, token: token, user: an.user)
        _ = try await web.reply(ZonesList.self, EmptyBody(), as: an)
      }
      try copy.backup(to: web.sqlite)

      let reply = try await web.reply(ZonesList.self, EmptyBody(), as: an)
      #expect(reply.status == 200)
      #expect(reply.header(Self.tokenHeader) == an.token)
      #expect(try await web.send("GET", courier).error?.code == .notFound)
      let again = try await web.post(
        TokensCreate.self, .init(apnsEnvironment: .production), as: an
      ).webcourierURL
      #expect(again != courier)
      #expect(try await web.send("GET", again).status == 200)
    }
  }
}
