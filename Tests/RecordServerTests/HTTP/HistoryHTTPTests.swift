import CloudRecords
import Foundation
import GRDB
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

/// The headers with which a client sends its witness and the service reports on its history.
@Suite struct HistoryHTTPTests {
  private func send<E: Endpoint>(
    _: E.Type, _ request: E.Request, _ web: WebFixture, _ person: WebFixture.Person?,
    witness: String? = nil, _ database: DatabaseScope = .private
  ) async throws -> (reply: WebFixture.Reply, history: HistoryReport?) {
    let reply = try await web.send(
      E.route.method.rawValue, web.path(E.route, person?.token, .production, database),
      body: E.route.method == .get ? nil : try Wire.encode(request),
      headers: witness.map { [(HistoryReport.witnessHeader, $0)] } ?? [])
    return (reply, reply.header(HistoryReport.header).flatMap(HistoryReport.init(header:)))
  }

  private static let names = RecordsLookup.Request(records: [.init("a")])

  @Test func answersAboutOneZoneHaveTheHistoryHeader() async throws {
    try await WebFixture.run {
      $0.schema = ServiceFixture.schema
    } _: { web in
      let an = try await web.person("an")
      let empty = try #require(
        try await send(RecordsLookup.self, Self.names, web, an).history)
      #expect(empty.verdict == .current)
      let saved = try await send(
        RecordsModify.self, .init(operations: [Operation(.create, note("a"))]), web, an,
        witness: empty.newest)
      let answer = try Wire.decode(
        RecordsModify.Response.self, from: saved.reply.body, as: .response)
      let tag = try #require(answer.records.first?.record?.recordChangeTag)
      #expect(saved.reply.header("Record-Service-History") == "current \(tag)")
      for witness in [empty.newest, tag] {
        #expect(
          try await send(RecordsLookup.self, Self.names, web, an, witness: witness).history
            == HistoryReport(.current, newest: tag))
      }
      #expect(
        try await send(
          RecordsQuery.self, .init(Query("Note")), web, an, witness: "zz-0000000000000000"
        ).reply.header("Record-Service-History") == "forked \(tag)")
      // Errors of the request have the header, too.
      let refused = try await send(RecordsQuery.self, .init(Query("Nothing")), web, an)
      #expect(refused.reply.status != 200)
      #expect(refused.history == HistoryReport(.current, newest: tag))
      // Answers to anonymous requests to the public database have the header, too.
      let open = try await send(
        RecordsQuery.self, .init(Query("Post")), web, nil, witness: nil, .public)
      #expect(open.reply.status == 200, "\(open.reply.text)")
      #expect(open.history?.verdict == .current)
      // Answers about no zone or about several zones do not have the header.
      let zones = try await send(ZonesList.self, .init(), web, an, witness: tag)
      #expect(zones.reply.status == 200)
      #expect(zones.reply.header("Record-Service-History") == nil)
      let wide = try await send(
        RecordsQuery.self, .init(Query("Note"), zoneWide: true), web, an, witness: tag)
      #expect(wide.reply.status == 200)
      #expect(wide.reply.header("Record-Service-History") == nil)
    }
  }

  @Test(.onlySQLite) func forksAreReportedAndCounted() async throws {
    try await WebFixture.run { setup in
      setup.schema = ServiceFixture.schema
      setup.hasDefaultZoneFeed = true
    } _: { web in
      let an = try await web.person("an")
      try await web.modify([Operation(.create, note("a"))], as: an)
      let copy = try DatabaseQueue()
      try web.sqlite.backup(to: copy)
      try await web.modify([Operation(.create, note("b"))], as: an)
      let feed = try await send(
        ChangesZone.self, .init(zones: [.init(.default)]), web, an)
      let token = try Wire.decode(
        ChangesZone.Response.self, from: feed.reply.body, as: .response
      ).zones.first?.value?.syncToken
      let lost = try #require(feed.history?.newest)
      try copy.backup(to: web.sqlite)

      let next = try await send(
        ChangesZone.self, .init(zones: [.init(.default, syncToken: token)]), web, an, witness: lost)
      #expect(next.reply.status == 200)
      #expect(next.reply.text.contains("CHANGE_TOKEN_EXPIRED"))
      let newest = try #require(next.history?.newest)
      #expect(next.reply.header("Record-Service-History") == "forked, forked \(newest)")
      let whole = try await send(
        RecordsChanges.self, .init(.default, syncToken: token), web, an)
      #expect(whole.reply.error?.code == .changeTokenExpired)
      #expect(whole.reply.header("Record-Service-History") == "forked, current \(newest)")
      let metrics = try await web.send("GET", "/metrics")
      #expect(metrics.text.contains("record_service_forks_total 2\n"))
    }
  }
}
