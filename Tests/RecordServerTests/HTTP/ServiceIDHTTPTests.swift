import CloudRecords
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

/// How a device recognizes a service at a new address.
@Suite struct ServiceIDHTTPTests {
  @Test func usersCallerAnswersHaveTheServiceID() async throws {
    try await WebFixture.run { web in
      let an = try await web.person("an")
      let id = try await web.service.id()
      #expect(id.wholeMatch(of: /[0-9a-f]{32}/) != nil)
      for route in [Route.usersCaller, .usersCurrent] {
        for token in [an.token, nil] {
          let reply = try await web.send(
            "GET", web.path(route, token, .production, .public),
            headers: [("Origin", "https://example.org")])
          #expect(reply.status == (token == nil ? 421 : 200))
          #expect(reply.header("Record-Service-ID") == id)
          let exposed = try #require(reply.header("Access-Control-Expose-Headers"))
          #expect(exposed.split(separator: ", ").contains("Record-Service-ID"))
        }
      }
      let other = try await web.reply(ZonesList.self, EmptyBody(), as: an)
      #expect(other.header("Record-Service-ID") == nil)
    }
  }
}
