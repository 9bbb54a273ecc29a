import CloudRecords
import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

/// Requests beyond the limits.
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

  /// Work that is known only afterwards delays the next request.
  @Test func rowsAndFanOutAreChargedAfterTheRequest() async throws {
    try await Self.run { web, an in
      for first in stride(from: 0, to: 1200, by: 200) {
        try await web.modify(
          (first..<first + 200).map {
            Operation(.create, note("p\($0)", ["text": .string("x")], type: "Post"))
          }, as: an, .production, .public)
      }
      let filters = (0..<100).map { number in
        Filter("text", .notEquals, .string(number == 99 ? "x" : "\(number)"))
      }
      let expensive = RecordsQuery.Request(Query("Post", filters: filters))
      // The burst of an anonymous client is 400 operations.
      let answer = try await web.post(RecordsQuery.self, expensive, as: nil, .production, .public)
      #expect(answer.continuationMarker != nil)
      let next = try await web.reply(RecordsQuery.self, expensive, as: nil, .production, .public)
      #expect(next.status == 429)
      // The burst of a user is 20,000 operations.
      let subscriptions = (0..<100).map {
        SubscriptionsModify.Operation(
          .create, Subscription("s\($0)", .query, query: Query("Note"), firesOn: [.create]))
      }
      _ = try await web.post(
        SubscriptionsModify.self, .init(operations: subscriptions), as: an)
      for _ in 0..<2 {
        let other = try await web.person("an")
        for _ in 0..<PushChannel.perSession {
          _ = try await web.post(TokensCreate.self, .init(apnsEnvironment: .production), as: other)
        }
      }
      var saved = 0
      while saved < 1000 {
        let operations = [Operation(.create, note("n\(saved)"))]
        let reply = try await web.reply(RecordsModify.self, .init(operations: operations), as: an)
        guard reply.status == 200 else {
          #expect(reply.status == 429)
          break
        }
        saved += 1
      }
      // Each save is charged as 2,100 / 20 operations.
      #expect((100...200).contains(saved))
    }
  }

  @Test func desiredKeysAndTypesAreLimited() async throws {
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

  /// The zones of a request together get one page, even if a zone is requested several times.
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
      // The next request gets the records that were left out.
      let next = ChangesZone.Request(
        zones: [.init(.default, syncToken: pages[2].syncToken)])
      let whole = try await web.post(ChangesZone.self, next, as: an).zones.first?.value
      #expect(whole?.records.count == 200)
      #expect(whole?.moreComing == false)
    }
  }

  @Test func inferredTypesAndFieldsAreLimited() async throws {
    try await Self.run { web, an in
      func save(_ number: Int) -> Operation {
        Operation(
          .create, note("t\(number)", ["f": .string("x")], type: "Type\(number)"))
      }
      var count = try await web.service.schema(of: web.container, .development).recordTypes.count
      let room = Limits.inferredTypes - count
      let results = try await web.modify(
        (0..<room + 2).map(save), as: an, in: nil, .development)
      #expect(results.prefix(room).allSatisfy { $0.record != nil })
      #expect(results.suffix(2).allSatisfy { $0.error?.code == .limitExceeded })
      count = try await web.service.schema(of: web.container, .development).recordTypes.count
      #expect(count == Limits.inferredTypes)
      let wide = Operation(
        .create,
        note(
          "wide",
          Dictionary(
            uniqueKeysWithValues: (0...Limits.inferredFields).map { ("f\($0)", .string("x")) }),
          type: "Type0"))
      #expect(
        try await web.modify([wide], as: an, in: nil, .development).first?.error?.code
          == .limitExceeded)
    }
  }

  @Test func bodiesBeyondTheBudgetAreRefused() throws {
    let budget = BodyBudget()
    func claim(_ account: Int64, _ bytes: Int) throws -> BodyBudget.Claim {
      let claim = budget.claim(for: .user(account))
      try claim.grow(by: bytes)
      return claim
    }
    // One account alone cannot use the whole budget.
    var claims = try (0..<2).map { _ in try claim(1, Limits.requestBytes) }
    #expect(throws: ServiceError.self) { try claim(1, 1) }
    claims += try (2...3).map { try claim($0, Limits.requestBytes) }
    #expect(throws: ServiceError.self) { try claim(4, 1) }
    // A refused claim takes no room, and a claim that is over releases its room.
    claims.removeLast()
    let half = try claim(4, Limits.requestBytes / 2)
    #expect(throws: ServiceError.self) { try half.grow(by: Limits.requestBytes) }
    try half.grow(by: Limits.requestBytes / 2)
    #expect(throws: ServiceError.self) { try claim(5, 1) }
  }

  /// Anonymous clients cannot use the room of signed-in users.
  @Test func anonymousBodiesLeaveRoomForSignedInUsers() throws {
    let budget = BodyBudget()
    var claims: [BodyBudget.Claim] = []
    func fill(_ requester: RateLimits.Requester) -> Int {
      var count = 0
      while count < 100 {
        let claim = budget.claim(for: requester)
        guard (try? claim.grow(by: Limits.requestBytes)) != nil else { return count }
        claims.append(claim)
        count += 1
      }
      return count
    }
    #expect(fill(.anonymous(ClientAddress("192.0.2.1"))) == 1)
    #expect(fill(.anonymous(ClientAddress("192.0.2.2"))) == 0)
    #expect(fill(.user(1)) == 2)
    #expect(fill(.user(2)) == 1)
    claims = []
    #expect(fill(.anonymous(ClientAddress("192.0.2.2"))) == 1)
  }

  /// The response to a change was made anyway, so it counts even if there is no room for it.
  @Test func responsesToChangesAreCountedWithoutRoom() throws {
    let budget = BodyBudget(bytes: 100, cause: .tooManyLargeResponses)
    let error = ServiceError(.tryAgainLater, cause: .tooManyLargeResponses, retryAfter: 1)
    var claim: BodyBudget.Claim? = budget.claim(for: .user(1))
    try claim?.requireRoom(for: 50)
    claim?.add(60)
    for user in [RateLimits.Requester.user(1), .user(2)] {
      #expect(throws: error) { try budget.claim(for: user).requireRoom(for: 41) }
    }
    try budget.claim(for: .user(2)).requireRoom(for: 40)
    claim = nil
    try budget.claim(for: .user(1)).requireRoom(for: 50)
  }

  /// Clients that leave their responses unread cannot take the room of others.
  @Test func responsesGiveWayToClientsWithLess() throws {
    let budget = BodyBudget(bytes: 100, cause: .tooManyLargeResponses)
    let givenUp = NIOLockedValueBox<[String]>([])
    var claims: [BodyBudget.Claim] = []
    func add(_ name: String, _ requester: RateLimits.Requester, _ bytes: Int) throws {
      let claim = budget.claim(for: requester)
      try claim.grow(by: bytes)
      claim.allowGivingUp { givenUp.withLockedValue { $0.append(name) } }
      claims.append(claim)
    }
    try add("a1", .user(1), 20)
    try add("a2", .user(1), 30)
    try add("b1", .user(2), 15)
    try add("b2", .user(2), 30)
    // The requester's own share is no reason to give up others.
    #expect(throws: ServiceError.self) { try add("a3", .user(1), 1) }
    #expect(givenUp.withLockedValue { $0 }.isEmpty)
    // The oldest response of the client with the most.
    try add("c1", .user(3), 10)
    #expect(givenUp.withLockedValue { $0 } == ["a1"])
    // Then the other one has more. A claim that is over takes no room twice.
    claims.removeFirst()
    try add("c2", .user(3), 16)
    #expect(givenUp.withLockedValue { $0 } == ["a1", "b1"])
    // No client has more than this one would have.
    try budget.claim(for: .user(4)).requireRoom(for: 14)
    #expect(throws: ServiceError.self) { try add("d", .user(4), 32) }
    #expect(givenUp.withLockedValue { $0 } == ["a1", "b1"])
  }

  /// Nothing is given up for a request that is refused.
  @Test func noResponseGivesWayInVain() throws {
    let budget = BodyBudget(bytes: 100, cause: .tooManyLargeResponses)
    let isGivenUp = NIOLockedValueBox(false)
    var claims: [BodyBudget.Claim] = []
    for (user, bytes) in [(1, 17), (1, 17), (2, 33), (3, 33)] {
      let claim = budget.claim(for: .user(Int64(user)))
      try claim.grow(by: bytes)
      claim.allowGivingUp { isGivenUp.withLockedValue { $0 = true } }
      claims.append(claim)
    }
    // After the first response of user 1, nobody has more than this request.
    #expect(throws: ServiceError.self) { try budget.claim(for: .user(4)).grow(by: 33) }
    #expect(!isGivenUp.withLockedValue { $0 })
    withExtendedLifetime(claims) {}
  }

  /// Anonymous clients do not take the room of signed-in users.
  @Test func anonymousResponsesGiveWayFirst() throws {
    let budget = BodyBudget(bytes: 100, cause: .tooManyLargeResponses)
    let givenUp = NIOLockedValueBox<[String]>([])
    func add(
      _ name: String, _ requester: RateLimits.Requester, _ bytes: Int
    ) throws -> BodyBudget.Claim {
      let claim = budget.claim(for: requester)
      try claim.grow(by: bytes)
      claim.allowGivingUp { givenUp.withLockedValue { $0.append(name) } }
      return claim
    }
    let user = try add("user", .user(1), 50)
    let anonymous = try add("anonymous", .anonymous(ClientAddress("192.0.2.1")), 25)
    let other = try add("other", .anonymous(ClientAddress("192.0.2.2")), 10)
    #expect(givenUp.withLockedValue { $0 } == ["anonymous"])
    let full = try add("full", .user(2), 40)
    #expect(throws: ServiceError.self) { try add("late", .anonymous(ClientAddress("::1")), 15) }
    #expect(givenUp.withLockedValue { $0 } == ["anonymous"])
    withExtendedLifetime((user, anonymous, other, full)) {}
  }

  /// A client that does not read its response.
  private struct SlowClient {
    private let channel: any Channel

    /// Completes a promise when the first bytes arrive.
    private final class Beginning: ChannelInboundHandler {
      typealias InboundIn = ByteBuffer
      private let promise: EventLoopPromise<Void>
      init(_ promise: EventLoopPromise<Void>) { self.promise = promise }
      func channelRead(context: ChannelHandlerContext, data: NIOAny) { promise.succeed() }
      func channelInactive(context: ChannelHandlerContext) {
        promise.fail(ChannelError.alreadyClosed)
      }
    }

    /// Sends a request, and reads only the first bytes of its response.
    init(_ web: WebFixture, _ path: String, _ body: Data) async throws {
      let loop = MultiThreadedEventLoopGroup.singleton.next()
      let promise = loop.makePromise(of: Void.self)
      channel = try await ClientBootstrap(group: loop)
        .channelOption(.socketOption(.so_rcvbuf), value: 4096)
        .channelOption(.autoRead, value: false)
        .channelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(Beginning(promise))
          }
        }
        .connect(host: "127.0.0.1", port: web.port).get()
      var request = ByteBuffer(
        string: "POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.count)\r\n\r\n")
      request.writeBytes(body)
      try await channel.writeAndFlush(request)
      channel.read()
      try await promise.futureResult.get()
    }

    func readOn() async throws { try await channel.setOption(.autoRead, value: true).get() }
    func close() async throws { try await channel.close() }
    func closed() async throws { try await channel.closeFuture.get() }
  }

  /// Creates notes with 3 MB for each person, and returns their names.
  private func createLargeNotes(
    of people: [WebFixture.Person], _ web: WebFixture
  ) async throws -> [String] {
    let names = (0..<4).map { "n\($0)" }
    for person in people {
      for name in names {
        let text = String(repeating: "x", count: 750_000)
        try await web.modify(
          [Operation(.create, note(name, ["plain": .string(text)]))], as: person)
      }
    }
    return names
  }

  /// Two clients use the whole budget and do not read. A third one gets its response.
  @Test func responsesThatAreNotReadGiveWay() async throws {
    try await WebFixture.run {
      $0.schema = ServiceFixture.schema
      $0.web.responseBytes = 12_500_000
    } _: { web in
      let people = [
        try await web.person("an"), try await web.person("binh"), try await web.person("cuong"),
      ]
      let names = try await createLargeNotes(of: people, web)
      let page = RecordsLookup.Request(records: names.map { .init($0) })
      let body = try Wire.encode(page)
      var clients: [SlowClient] = []
      for person in people.prefix(2) {
        let path = web.path(.recordsLookup, person.token)
        for _ in 0..<2 { clients.append(try await SlowClient(web, path, body)) }
      }
      #expect(try await web.reply(RecordsLookup.self, page, as: people[2]).status == 200)
      // The first one's oldest connection is closed.
      try await clients[0].readOn()
      try await clients[0].closed()
      for client in clients.dropFirst() { try await client.close() }
    }
  }

  enum End: CaseIterable { case reading, closing }

  /// Responses that clients do not read take memory. Those of a client have a limit, until they are
  /// read or the connections are closed.
  @Test(arguments: End.allCases)
  func responsesThatAreNotReadHaveALimit(_ end: End) async throws {
    try await WebFixture.run {
      $0.schema = ServiceFixture.schema
      $0.web.responseBytes = 16 << 20
    } _: { web in
      let (an, binh) = (try await web.person("an"), try await web.person("binh"))
      let names = try await createLargeNotes(of: [an, binh], web)
      let page = RecordsLookup.Request(records: names.map { .init($0) })
      func replyToPage(_ person: WebFixture.Person) async throws -> WebFixture.Reply {
        try await web.reply(RecordsLookup.self, page, as: person)
      }
      // The share of a client is 8 MB, and a page has 3 MB.
      let path = web.path(.recordsLookup, an.token)
      let body = try Wire.encode(page)
      let clients = [
        try await SlowClient(web, path, body), try await SlowClient(web, path, body),
      ]
      let refused = try await replyToPage(an)
      #expect(refused.status == 503 && refused.header("Retry-After") == "1")
      #expect(refused.error?.code == .tryAgainLater)
      #expect(refused.error?.reason == "too many large responses are not received yet")
      // Small responses need no room, and other clients have room of their own.
      let small = RecordsLookup.Request(records: page.records, desiredKeys: [])
      let before = try await web.post(RecordsLookup.self, small, as: an)
      #expect(try await replyToPage(binh).status == 200)
      // A change whose response has no room is not carried out; one with a small response is.
      let changes = names.map {
        Operation(.forceUpdate, note($0, ["rank": .int64(2)]))
      }
      let change = RecordsModify.Request(operations: changes)
      #expect(try await web.reply(RecordsModify.self, change, as: an).status == 503)
      #expect(try await web.post(RecordsLookup.self, small, as: an).records == before.records)
      try await web.modify([Operation(.create, note("small"))], as: an)
      for client in clients {
        switch end {
        case .reading: try await client.readOn()
        case .closing: try await client.close()
        }
      }
      while try await replyToPage(an).status != 200 { await Task.yield() }
    }
  }

  @Test func anonymousBodiesHaveALowerLimit() async throws {
    try await Self.run { web, _ in
      let body = Data(repeating: UInt8(ascii: " "), count: 300_000)
      let large = try await web.send(
        "POST", web.path(.recordsQuery, nil, .production, .public), body: body)
      #expect(large.error?.code == .limitExceeded)
      // A request that needs a sign-in is refused for this reason, whatever the size of its body.
      for database in [DatabaseScope.public, .private] {
        let refused = try await web.send(
          "POST", web.path(.recordsModify, nil, .production, database), body: body)
        #expect(refused.error?.code == .authenticationRequired)
      }
    }
  }

  /// A request that was on its way when its account was removed.
  @Test func requestsOfARemovedAccountAreRefused() async throws {
    try await Self.run { web, an in
      try await web.modify([Operation(.create, note("n"))], as: an)
      let caller = Caller(account: an.account.id, userRecordName: an.user, session: "s")
      try #require(try await web.accountService.remove(an.account))
      for database in [DatabaseScope.private, .public] {
        let address = DatabaseAddress(web.container, .production, database)
        let saving = await serviceError {
          try await web.service.modify(
            .init(operations: [Operation(.create, note("late"))]), at: address, by: caller)
        }
        #expect(saving?.code == .authenticationRequired)
      }
      let address = DatabaseAddress(web.container, .production, .private)
      let making = try await web.service.zonesModify(
        .init(operations: [.init(.create, ServiceFixture.zone)]), at: address, by: caller)
      #expect(making.zones.first?.error?.code == .authenticationRequired)
      #expect(try await web.service.usage(of: an.account.id) == Usage())
      let owners = try await web.database.read(within: nil) { connection in
        try connection.row("SELECT count(*) FROM owner WHERE account <> 0") { try $0[0] as Int }
      }
      #expect(owners == 0)
    }
  }
}
