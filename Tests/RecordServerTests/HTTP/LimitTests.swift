import CloudRecords
import Foundation
import Testing

@testable import RecordServer

/// Requests that ask for more than anyone needs.
struct LimitTests {
  private static let names = (0...Limits.desiredNames).map { "k\($0)" }

  private static func run(
    _ body: @escaping @Sendable (WebFixture, WebFixture.Person) async throws -> Void
  ) async throws {
    try await WebFixture.run {
      $0.schema = ServiceFixture.schema
      $0.hasDefaultZoneFeed = true
    } _: { web in
      try await body(web, try await web.person("an"))
    }
  }

  private static func expectRefusal<E: Endpoint>(
    _ endpoint: E.Type, _ request: E.Request, _ web: WebFixture, _ person: WebFixture.Person,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let error = try await web.reply(endpoint, request, as: person).error
    #expect(error?.code == .badRequest, sourceLocation: sourceLocation)
    let isNamed = error?.reason?.contains("more than the maximum") == true
    #expect(isNamed, sourceLocation: sourceLocation)
  }

  @Test func noMoreNamesArePickedOutThanThereMayBe() async throws {
    try await Self.run { web, an in
      let names = Self.names
      let save = Operation(.create, note("n"), desiredKeys: names)
      try await Self.expectRefusal(RecordsModify.self, .init(operations: [save]), web, an)
      try await Self.expectRefusal(
        RecordsModify.self, .init(operations: [], desiredKeys: names), web, an)
      try await Self.expectRefusal(
        RecordsQuery.self, .init(Query("Note"), desiredKeys: names), web, an)
      try await Self.expectRefusal(
        RecordsLookup.self, .init(records: [.init("n", desiredKeys: names)]), web, an)
      try await Self.expectRefusal(
        RecordsLookup.self, .init(records: [.init("n")], desiredKeys: names), web, an)
      for request in [
        ChangesZone.Request(zones: [.init(.default, desiredKeys: names)]),
        ChangesZone.Request(zones: [.init(.default, desiredRecordTypes: names)]),
        ChangesZone.Request(zones: [.init(.default)], desiredKeys: names),
        ChangesZone.Request(zones: [.init(.default)], desiredRecordTypes: names),
      ] {
        try await Self.expectRefusal(ChangesZone.self, request, web, an)
      }
      try await Self.expectRefusal(
        RecordsChanges.self, .init(.default, desiredKeys: names), web, an)
    }
  }

  /// However many zones are asked for, and however often, an answer is one page.
  @Test func theZonesOfARequestShareAPage() async throws {
    try await Self.run { web, an in
      let drafts = (0..<200).map { Operation(.create, note("n\($0)")) }
      try await web.modify(drafts, as: an)
      let request = ChangesZone.Request(
        zones: Array(repeating: .init(.default), count: 5), resultsLimit: 150)
      let pages = try await web.post(ChangesZone.self, request, as: an).zones.compactMap(\.value)
      #expect(pages.map(\.records.count) == [150, 50, 0, 0, 0])
      let areUnfinished = pages.allSatisfy { $0.moreComing }
      #expect(areUnfinished)
      // What was left out comes with the next request.
      let next = ChangesZone.Request(
        zones: [.init(.default, syncToken: pages[2].syncToken)])
      let whole = try await web.post(ChangesZone.self, next, as: an).zones.first?.value
      #expect(whole?.records.count == 200)
      #expect(whole?.moreComing == false)
    }
  }

  @Test func aSchemaGrowsOnlySoFar() async throws {
    try await Self.run { web, an in
      func save(_ number: Int) -> Operation {
        Operation(
          .create, note("t\(number)", ["f": .string("x")], type: "Type\(number)"))
      }
      var count = try await web.service.schema(of: web.container, .development).recordTypes.count
      let room = Limits.grownTypes - count
      let results = try await web.modify(
        (0..<room + 2).map(save), as: an, in: nil, .development)
      #expect(results.prefix(room).allSatisfy { $0.record != nil })
      #expect(results.suffix(2).allSatisfy { $0.error?.code == .limitExceeded })
      count = try await web.service.schema(of: web.container, .development).recordTypes.count
      #expect(count == Limits.grownTypes)
      let wide = Operation(
        .create,
        note(
          "wide",
          Dictionary(
            uniqueKeysWithValues: (0...Limits.grownFields).map { ("f\($0)", .string("x")) }),
          type: "Type0"))
      #expect(
        try await web.modify([wide], as: an, in: nil, .development).first?.error?.code
          == .limitExceeded)
    }
  }

  @Test func largeBodiesWaitForEachOther() throws {
    let budget = BodyBudget()
    func claim(_ account: Int64, _ bytes: Int) throws -> BodyBudget.Claim {
      let claim = budget.claim(for: .user(account))
      try claim.grow(by: bytes)
      return claim
    }
    // One alone leaves room for others.
    var claims = try (0..<2).map { _ in try claim(1, Limits.requestBytes) }
    #expect(throws: ServiceError.self) { try claim(1, 1) }
    claims += try (2...3).map { try claim($0, Limits.requestBytes) }
    #expect(throws: ServiceError.self) { try claim(4, 1) }
    // What was refused takes no place, and what is over gives it back.
    claims.removeLast()
    let half = try claim(4, Limits.requestBytes / 2)
    #expect(throws: ServiceError.self) { try half.grow(by: Limits.requestBytes) }
    try half.grow(by: Limits.requestBytes / 2)
    #expect(throws: ServiceError.self) { try claim(5, 1) }
  }
}
