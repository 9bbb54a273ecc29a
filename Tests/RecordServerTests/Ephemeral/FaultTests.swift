import CloudRecords
import Foundation
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

/// The faults of an ephemeral service.
struct FaultTests {
  @Test(arguments: ErrorCode.allCases)
  func anyErrorOfTheProtocolCanBeInduced(_ code: ErrorCode) async throws {
    try await EphemeralFixture.run { cloud in
      let body = #"{"error":"\#(code.rawValue)","retryAfter":2.5,"endpoint":"records/modify"}"#
      #expect(try await cloud.control("POST", "faults", body).status == 200)
      let request = EphemeralFixture.modification(["a"])
      let reply = try await cloud.reply(RecordsModify.self, request)
      #expect(reply.status == code.httpStatus)
      #expect(reply.error?.code == code)
      #expect(reply.error?.retryAfter == 2.5)
      #expect(reply.header("Retry-After") == "3")
      #expect((reply.error?.redirectURL != nil) == (code == .authenticationRequired))
      #expect(try await cloud.existing("a").isEmpty)
      try await cloud.save("a")
      #expect(try await cloud.existing("a") == ["a"])
    }
  }

  @Test func theItemsOfARequestCanFail() async throws {
    try await EphemeralFixture.run { cloud in
      func fail(_ endpoint: Route) throws {
        try cloud.ephemeral.faults.add(
          Fault(.itemErrors(.quotaExceeded, retryAfter: 60), endpoint: endpoint))
      }
      func check(_ errors: [ServiceError?], _ endpoint: Route) {
        #expect(errors.map(\.?.code) == [.quotaExceeded], "\(endpoint)")
        #expect(errors.map(\.?.retryAfter) == [60], "\(endpoint)")
      }
      for endpoint in Route.withItems {
        try fail(endpoint)
        switch endpoint {
        case .recordsModify:
          let answer = try await cloud.call(
            RecordsModify.self, EphemeralFixture.modification(["a"]))
          check(answer.records.map(\.error), endpoint)
          #expect(answer.records[0].recordName == "a")
        case .recordsLookup:
          let answer = try await cloud.call(RecordsLookup.self, .init(records: [.init("a")]))
          check(answer.records.map(\.error), endpoint)
          #expect(answer.records[0].recordName == "a")
        case .changesZone:
          let answer = try await cloud.call(ChangesZone.self, .init(zones: [.init(ZoneID("Z"))]))
          check(answer.zones.map(\.error), endpoint)
          #expect(answer.zones[0].error?.zoneID == ZoneID("Z"))
        case .zonesModify:
          let answer = try await cloud.call(
            ZonesModify.self, .init(operations: [.init(.create, ZoneID("Z"))]))
          check(answer.zones.map(\.error), endpoint)
        case .zonesLookup:
          let answer = try await cloud.call(ZonesLookup.self, .init(zones: [ZoneID("Z")]))
          check(answer.zones.map(\.error), endpoint)
        case .subscriptionsModify:
          let answer = try await cloud.call(
            SubscriptionsModify.self,
            .init(operations: [.init(.create, Subscription("s", .zone, zoneID: ZoneID("Z")))]))
          check(answer.subscriptions.map(\.error), endpoint)
          #expect(answer.subscriptions[0].error?.subscriptionID == "s")
        case .subscriptionsLookup:
          let answer = try await cloud.call(
            SubscriptionsLookup.self, .init(subscriptions: [.init("s")]))
          check(answer.subscriptions.map(\.error), endpoint)
        default: Issue.record("\(endpoint) has no items here")
        }
      }
      #expect(cloud.ephemeral.faults.pending.isEmpty)
      #expect(try await cloud.existing("a").isEmpty)
    }
  }

  @Test func aRequestCanBeDelayed() async throws {
    try await EphemeralFixture.run { cloud in
      #expect(try await cloud.control("POST", "faults", #"{"delay":1.5}"#).status == 200)
      try await cloud.save("a")
      #expect(cloud.sleeps.durations == [.seconds(1.5)])
      #expect(try await cloud.existing("a") == ["a"])
      #expect(cloud.sleeps.durations.count == 1)
      try cloud.ephemeral.faults.add(Fault(.error(.tryAgainLater), delay: .seconds(600)))
      #expect(try await cloud.reply(ZonesList.self, EmptyBody()).error?.code == .tryAgainLater)
      #expect(cloud.sleeps.durations.last == .seconds(600))
    }
  }

  @Test func aConnectionCanBeCutBeforeAndAfterTheRequestIsCarriedOut() async throws {
    try await EphemeralFixture.run { cloud in
      for (cut, name) in [("before", "a"), ("after", "b")] {
        let body = #"{"cut":"\#(cut)","endpoint":"records/modify"}"#
        let reply = try await cloud.control("POST", "faults", body)
        #expect(reply.status == 200)
        let error = await thrownError { try await cloud.save(name) }
        #expect(error != nil)
      }
      #expect(try await cloud.existing("a", "b") == ["b"])
    }
  }

  @Test func syncTokensCanExpire() async throws {
    try await EphemeralFixture.run {
      $0.hasDefaultZoneFeed = true
    } _: { cloud in
      try await cloud.save("a")
      let token = try await cloud.page(nil).syncToken
      #expect(try await cloud.page(token).records.isEmpty)
      let body = #"{"expire":"syncTokens","endpoint":"changes/zone"}"#
      #expect(try await cloud.control("POST", "faults", body).status == 200)
      let error = await serviceError { try await cloud.page(token) }
      #expect(error?.code == .changeTokenExpired)
      let again = try await cloud.page(nil)
      #expect(again.records.map(\.recordName) == ["a"])
      #expect(try await cloud.page(again.syncToken).records.isEmpty)
    }
  }

  @Test func aFaultIsForTheRequestsThatMatch() async throws {
    try await EphemeralFixture.run { cloud in
      let binh = cloud.ephemeral.users[1]
      try cloud.ephemeral.faults.add(
        Fault(
          .error(.zoneBusy), requests: 2, endpoint: .recordsModify, environment: .production,
          database: .private, user: "binh"))
      try await cloud.save("a", as: binh)
      try await cloud.ephemeral.seed(
        Seed([RecordInput("a", type: "Note", fields: ["text": Field(.string("a"))])]))
      let request = EphemeralFixture.modification(["a"])
      func code(
        _ user: EphemeralService.User?, _ environment: ContainerEnvironment,
        _ database: DatabaseScope = .private
      ) async throws -> ErrorCode? {
        try await cloud.reply(RecordsModify.self, request, as: user, environment, database)
          .error?.code
      }
      #expect(try await code(nil, .production) == nil)
      #expect(try await code(binh, .development) == nil)
      #expect(try await code(binh, .production, .public) == nil)
      #expect(try await cloud.reply(ZonesList.self, EmptyBody(), as: binh).error == nil)
      #expect(try await code(binh, .production) == .zoneBusy)
      #expect(cloud.ephemeral.faults.pending.map(\.requests) == [1])
      #expect(try await code(binh, .production) == .zoneBusy)
      #expect(try await code(binh, .production) == nil)
    }
  }

  @Test func faultsHappenInTheirOrderAndCanBeRemoved() async throws {
    try await EphemeralFixture.run { cloud in
      let bodies = [
        #"{"error":"THROTTLED","requests":2}"#, #"{"cut":"after","endpoint":"zones/list"}"#,
        #"{"error":"CONFLICT","items":true,"retryAfter":1,"endpoint":"records/modify"}"#,
        #"{"expire":"syncTokens","environment":"production"}"#,
        #"{"delay":2,"database":"public","user":"an"}"#, #"{"cut":"before"}"#,
      ]
      for body in bodies { _ = try await cloud.control("POST", "faults", body) }
      #expect(try await cloud.reply(ZonesList.self, EmptyBody()).error?.code == .throttled)
      struct List: Decodable { var faults: [FaultBody] }
      func fault(_ body: String) throws -> FaultBody {
        var fault = try Wire.decode(FaultBody.self, from: Data(body.utf8), as: .request)
        fault.requests = 1
        return fault
      }
      let list = try Wire.decode(
        List.self, from: try await cloud.control("GET", "faults").body, as: .response)
      #expect(try list.faults == bodies.map(fault))
      let removed = try await cloud.control("DELETE", "faults")
      #expect(removed.text == #"{"faults":[]}"#)
      #expect(try await cloud.reply(ZonesList.self, EmptyBody()).error == nil)
    }
  }

  @Test(arguments: [
    (#"{}"#, EphemeralFailure.noEffect), (#"{"requests":2}"#, .noEffect),
    (#"{"delay":0}"#, .noEffect),
    (
      #"{"cut":"after","endpoint":"tokens/create","database":"public"}"#,
      .notInDatabase(.tokensCreate, .public)
    ),
    (#"{"error":"CONFLICT","cut":"after"}"#, .severalEffects),
    (#"{"expire":"syncTokens","cut":"after"}"#, .severalEffects),
    (
      #"{"error":"CONFLICT","request":2}"#,
      .unknownKey(
        UnknownKey(
          path: "", key: "request",
          known: [
            "cut", "database", "delay", "endpoint", "environment", "error", "expire", "items",
            "requests", "retryAfter", "user",
          ]))
    ),
    (#"{"cut":"before","items":true}"#, .onlyWithError("items")),
    (#"{"delay":1,"retryAfter":1}"#, .onlyWithError("retryAfter")),
    (#"{"error":"TEAPOT"}"#, .unknownCode("TEAPOT")),
    (#"{"error":"CONFLICT","endpoint":"modify"}"#, .unknownEndpoint("modify")),
    (#"{"delay":600.5}"#, .outOfRange(.delay)), (#"{"delay":-1}"#, .outOfRange(.delay)),
    (#"{"delay":1e300}"#, .outOfRange(.delay)),
    (#"{"cut":"after","requests":0}"#, .outOfRange(.requests)),
    (#"{"cut":"after","requests":1000001}"#, .outOfRange(.requests)),
    (#"{"error":"THROTTLED","retryAfter":-1}"#, .outOfRange(.retryAfter)),
    (#"{"error":"THROTTLED","retryAfter":86401}"#, .outOfRange(.retryAfter)),
    (#"{"error":"CONFLICT","items":true}"#, .noItems(nil)),
    (#"{"error":"CONFLICT","items":true,"endpoint":"zones/list"}"#, .noItems(.zonesList)),
  ])
  func whatIsNoFaultIsRefused(_ body: String, _ failure: EphemeralFailure) async throws {
    try await EphemeralFixture.run { cloud in
      let reply = try await cloud.control("POST", "faults", body)
      #expect(reply.status == 400)
      #expect(reply.error?.code == .badRequest)
      #expect(reply.error?.reason == failure.sentence)
      #expect(cloud.ephemeral.faults.pending.isEmpty)
    }
  }

  @Test func theUserOfAFaultIsNamedAsAnAccountIs() async throws {
    try await EphemeralFixture.run { cloud in
      _ = try await cloud.control("POST", "faults", #"{"error":"CONFLICT","user":" An"}"#)
      #expect(try await cloud.reply(ZonesList.self, EmptyBody()).error?.code == .conflict)
      let unknown = try await cloud.control(
        "POST", "faults", #"{"error":"CONFLICT","user":"chi"}"#)
      #expect(unknown.error?.code == .notFound)
      #expect(cloud.ephemeral.faults.pending.isEmpty)
    }
  }

  @Test func thereIsALimitOfFaults() throws {
    let faults = FaultInjector()
    for _ in 0..<FaultInjector.limit { try faults.add(Fault(.error(.conflict))) }
    #expect(throws: EphemeralFailure.tooManyFaults(limit: FaultInjector.limit)) {
      try faults.add(Fault(.error(.conflict)))
    }
  }

  @Test(arguments: [
    #"{"cut":"now"}"#, #"{"expire":"all"}"#, #"{"error":1}"#, #"{"delay":"1"}"#, "{", "[]",
  ])
  func whatIsNotTheJSONOfAFaultIsRefused(_ body: String) async throws {
    try await EphemeralFixture.run { cloud in
      let reply = try await cloud.control("POST", "faults", body)
      #expect(reply.error?.code == .badRequest)
      #expect(cloud.ephemeral.faults.pending.isEmpty)
    }
  }
}
