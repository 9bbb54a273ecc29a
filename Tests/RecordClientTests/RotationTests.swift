import CloudRecords
import NIOHTTP1
import Synchronization
import Testing

@testable import RecordClient

/// New tokens in responses.
struct RotationTests {
  private static let header = "X-Apple-CloudKit-Web-Auth-Token"
  private static let session = "X-Apple-CloudKit-Session"

  @Test func aNewTokenIsKeptBeforeTheNextRequest() async throws {
    // One that takes its time: everybody else may go on meanwhile.
    let keeper = MemoryCredentialStore("T0") { event, _ in
      if event != .read { for _ in 0..<1000 { await Task.yield() } }
    }
    try await withClient(.answering { .token("T\($0.index + 1)") }, keeper: keeper) {
      client, service in
      for _ in 0..<3 { _ = try await client.call(ZonesList.self, EmptyBody()) }
      #expect(
        keeper.events
          == [.read, .kept("T1"), .read, .kept("T2"), .read, .kept("T3")])
      #expect(service.requests.map { $0.parameter("ckWebAuthToken") } == ["T0", "T1", "T2"])
    }
  }

  @Test func theSameTokenIsNotKeptAgain() async throws {
    let keeper = MemoryCredentialStore("T0")
    try await withClient(.answering { _ in .token("T0") }, keeper: keeper) { client, _ in
      for _ in 0..<2 { _ = try await client.call(ZonesList.self, EmptyBody()) }
      #expect(keeper.kept.isEmpty)
    }
  }

  @Test(arguments: [400, 404, 421, 429, 500, 503])
  func anErrorHandsATokenOverToo(_ status: Int) async throws {
    let keeper = MemoryCredentialStore("T0")
    try await withClient(
      .answering { request in
        request.index == 0
          ? .answer(status: status, headers: [Self.header: "T1"], body: "") : .json("{}")
      }, keeper: keeper
    ) { client, service in
      #expect(await failure(of: client) != nil)
      #expect(keeper.kept == ["T1"])
      _ = try await client.call(ZonesList.self, EmptyBody())
      #expect(service.requests.last?.parameter("ckWebAuthToken") == "T1")
    }
  }

  @Test func aRedirectHandsNoTokenOver() async throws {
    let keeper = MemoryCredentialStore("T0")
    let redirect = FakeService.Reply.answer(
      status: 302, headers: [Self.header: "T1", "Location": "/"], body: "")
    try await withClient(.answering { _ in redirect }, keeper: keeper) { client, _ in
      #expect(await failure(of: client) != nil)
      #expect(keeper.kept.isEmpty)
    }
  }

  @Test func aTokenThatGoesOnInTheNextLineIsNone() async throws {
    let keeper = MemoryCredentialStore("T0")
    let folded = FakeService.Reply.raw(
      "HTTP/1.1 200 OK\r\n\(Self.header): abc\r\n def\r\nContent-Length: 2\r\n\r\n{}")
    try await withClient(.answering { _ in folded }, keeper: keeper) { client, _ in
      _ = await failure(of: client)
      #expect(keeper.kept.isEmpty)
    }
  }

  @Test(arguments: [
    ([(session, "S")], ["S"]), ([(session, "S"), (header, "T")], ["T"]),
    ([(header, "")], []), ([(header, "T\u{1}")], []), ([(header, "a b")], []),
    ([(header, String(repeating: "a", count: 4097))], []), ([], []),
    ([(header.lowercased(), "T+/=")], ["T+/="]),
  ])
  func theFirstHeaderCountsAndNothingThatIsNoToken(
    _ headers: [(String, String)], _ kept: [String]
  ) async throws {
    let keeper = MemoryCredentialStore("T0")
    let text = headers.map { "\($0): \($1)\r\n" }.joined()
    try await withClient(
      .answering { _ in .raw("HTTP/1.1 200 OK\r\n\(text)Content-Length: 2\r\n\r\n{}") },
      keeper: keeper
    ) { client, _ in
      _ = await failure(of: client)
      #expect(keeper.kept == kept)
    }
  }

  @Test func callsGoOneAfterTheOtherEachWithTheNewestToken() async throws {
    let keeper = MemoryCredentialStore("T0")
    try await withClient(.answering { .token("T\($0.index + 1)") }, keeper: keeper) {
      client, service in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<20 {
          group.addTask { _ = try await client.call(ZonesList.self, EmptyBody()) }
        }
        try await group.waitForAll()
      }
      #expect(service.busiest == 1)
      #expect(
        service.requests.map { $0.parameter("ckWebAuthToken") } == (0..<20).map { "T\($0)" })
      #expect(keeper.token == "T20")
    }
  }

  @Test func aTokenIsKeptWhenItsAnswerBreaksOff() async throws {
    let keeper = MemoryCredentialStore("T0")
    try await withClient(
      .answering { _ in .raw("HTTP/1.1 200 OK\r\n\(Self.header): T1\r\nContent-Length: 9\r\n\r\n{")
      },
      keeper: keeper
    ) { client, _ in
      #expect(await failure(of: client) == .responseLost(.connectionClosed))
      #expect(keeper.kept == ["T1"])
    }
  }

  @Test func aTokenIsKeptWhenItsCallIsCancelled() async throws {
    let keeping = Gate()
    let cancelled = Gate()
    let keeper = MemoryCredentialStore("T0") { event, _ in
      guard event == .kept("T1") else { return }
      keeping.open()
      await cancelled.wait()
    }
    try await withClient(.answering { _ in .onlyHead([Self.header: "T1"]) }, keeper: keeper) {
      client, _ in
      let task = Task { await failure(of: client) }
      await keeping.wait()
      task.cancel()
      cancelled.open()
      #expect(await task.value == .cancelled)
      #expect(keeper.token == "T1")
    }
  }

  // MARK: What the keeper cannot do

  @Test func aTokenThatCannotBeKeptCostsNoAnswerAndIsTriedAgain() async throws {
    let keeper = MemoryCredentialStore("T0")
    try await withClient(.answering { .token("T\($0.index + 1)") }, keeper: keeper) {
      client, service in
      keeper.fail(keeps: 2)
      _ = try await client.call(ZonesList.self, EmptyBody())
      #expect(await failure(of: client) == .credentials(.notStored))
      #expect(service.requests.count == 1)
      _ = try await client.call(ZonesList.self, EmptyBody())
      #expect(service.requests.map { $0.parameter("ckWebAuthToken") } == ["T0", "T1"])
      #expect(keeper.kept == ["T1", "T2"])
    }
  }

  @Test func aTokenThatCouldNotBeKeptGivesWayToASignIn() async throws {
    let keeper = MemoryCredentialStore("T0")
    try await withClient(.answering { $0.index == 0 ? .token("T1") : .json("{}") }, keeper: keeper)
    {
      client, service in
      keeper.fail(keeps: 1)
      _ = try await client.call(ZonesList.self, EmptyBody())
      keeper.token = "NEW"
      _ = try await client.call(ZonesList.self, EmptyBody())
      #expect(service.requests.map { $0.parameter("ckWebAuthToken") } == ["T0", "NEW"])
      #expect(keeper.kept.isEmpty)
    }
  }

  @Test func whoCannotReadCredentialsSendsNothing() async throws {
    let keeper = MemoryCredentialStore()
    keeper.fail(reads: 1)
    try await withClient(.answering { _ in .json("{}") }, keeper: keeper) { client, service in
      #expect(await failure(of: client) == .credentials(.unreadable))
      #expect(service.requests.isEmpty)
      #expect(await failure(of: client) == nil)
    }
  }

  // MARK: 421

  private static let refusal =
    #"{"uuid":"u","serverErrorCode":"AUTHENTICATION_REQUIRED","reason":"request needs "#
    + #"authorization","redirectURL":"https://example.org/sign-in"}"#

  @Test func a421IsTriedAgainOnceWithATokenOfAnotherProcess() async throws {
    let keeper = MemoryCredentialStore("OLD")
    try await withClient(
      .answering { request in
        guard request.parameter("ckWebAuthToken") == "NEW" else {
          keeper.token = "NEW"
          return .json(Self.refusal, status: 421)
        }
        return .json("{}")
      }, keeper: keeper
    ) { client, service in
      _ = try await client.call(ZonesList.self, EmptyBody())
      #expect(service.requests.map { $0.parameter("ckWebAuthToken") } == ["OLD", "NEW"])
      #expect(keeper.events == [.read, .read])
    }
  }

  @Test func a421IsTriedAgainOnlyOnce() async throws {
    let keeper = MemoryCredentialStore("T0")
    try await withClient(
      .answering { request in
        keeper.token = "T\(request.index + 1)"
        return .json(Self.refusal, status: 421)
      }, keeper: keeper
    ) { client, service in
      let failure = await failure(of: client)
      #expect(
        failure
          == .service(
            ServiceError(
              .authenticationRequired, reason: "request needs authorization",
              redirectURL: "https://example.org/sign-in", uuid: "u")))
      #expect(service.requests.count == 2)
    }
  }

  @Test(arguments: ["T0", nil, ""])
  func a421IsNotTriedAgainWithoutAnotherToken(_ token: String?) async throws {
    let keeper = MemoryCredentialStore("T0")
    try await withClient(
      .answering { _ in
        keeper.token = token
        return .json(Self.refusal, status: 421)
      }, keeper: keeper
    ) { client, service in
      guard case .service(let error) = await failure(of: client) else {
        return #expect(Bool(false))
      }
      #expect(error.code == .authenticationRequired)
      #expect(service.requests.count == 1)
      #expect(keeper.events == [.read, .read])
    }
  }
}
