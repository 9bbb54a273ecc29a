import CloudRecords
import NIOHTTP1
import Synchronization
import Testing

@testable import RecordClient
@testable import RecordServiceSupport

/// Tokens in responses are stored and used.
struct RotationTests {
  private static let header = "X-Apple-CloudKit-Web-Auth-Token"
  private static let session = "X-Apple-CloudKit-Session"

  @Test func aNewTokenIsStoredBeforeTheNextRequest() async throws {
    // Storing is slow here, so that other tasks run in between.
    let store = MemoryCredentialStore("T0") { event, _ in
      if event != .read { for _ in 0..<1000 { await Task.yield() } }
    }
    try await withClient(.answering { .token("T\($0.index + 1)") }, store: store) {
      client, service in
      for _ in 0..<3 { _ = try await client.call(ZonesList.self, EmptyBody()) }
      #expect(
        store.events
          == [.read, .stored("T1"), .read, .stored("T2"), .read, .stored("T3")])
      #expect(service.requests.map { $0.parameter("ckWebAuthToken") } == ["T0", "T1", "T2"])
    }
  }

  @Test func theSameTokenIsNotStoredAgain() async throws {
    let store = MemoryCredentialStore("T0")
    try await withClient(.answering { _ in .token("T0") }, store: store) { client, _ in
      for _ in 0..<2 { _ = try await client.call(ZonesList.self, EmptyBody()) }
      #expect(store.stored.isEmpty)
    }
  }

  @Test(arguments: [400, 404, 421, 429, 500, 503])
  func aNewTokenInAnErrorResponseIsStored(_ status: Int) async throws {
    let store = MemoryCredentialStore("T0")
    try await withClient(
      .answering { request in
        request.index == 0
          ? .answer(status: status, headers: [Self.header: "T1"], body: "") : .json("{}")
      }, store: store
    ) { client, service in
      #expect(await failure(of: client) != nil)
      #expect(store.stored == ["T1"])
      _ = try await client.call(ZonesList.self, EmptyBody())
      #expect(service.requests.last?.parameter("ckWebAuthToken") == "T1")
    }
  }

  @Test func tokensOfRedirectsAreIgnored() async throws {
    let store = MemoryCredentialStore("T0")
    let redirect = FakeService.Reply.answer(
      status: 302, headers: [Self.header: "T1", "Location": "/"], body: "")
    try await withClient(.answering { _ in redirect }, store: store) { client, _ in
      #expect(await failure(of: client) != nil)
      #expect(store.stored.isEmpty)
    }
  }

  @Test func aTokenOnAFoldedLineIsIgnored() async throws {
    let store = MemoryCredentialStore("T0")
    let folded = FakeService.Reply.raw(
      "HTTP/1.1 200 OK\r\n\(Self.header): abc\r\n def\r\nContent-Length: 2\r\n\r\n{}")
    try await withClient(.answering { _ in folded }, store: store) { client, _ in
      _ = await failure(of: client)
      #expect(store.stored.isEmpty)
    }
  }

  @Test(arguments: [
    ([(session, "S")], ["S"]), ([(session, "S"), (header, "T")], ["T"]),
    ([(header, "")], []), ([(header, "T\u{1}")], []), ([(header, "a b")], []),
    ([(header, String(repeating: "a", count: 4097))], []), ([], []),
    ([(header.lowercased(), "T+/=")], ["T+/="]),
  ])
  func theTokenHeaderIsPreferredAndInvalidOnesIgnored(
    _ headers: [(String, String)], _ stored: [String]
  ) async throws {
    let store = MemoryCredentialStore("T0")
    let text = headers.map { "\($0): \($1)\r\n" }.joined()
    try await withClient(
      .answering { _ in .raw("HTTP/1.1 200 OK\r\n\(text)Content-Length: 2\r\n\r\n{}") },
      store: store
    ) { client, _ in
      _ = await failure(of: client)
      #expect(store.stored == stored)
    }
  }

  @Test func callsAreSerializedWithTheNewestToken() async throws {
    let store = MemoryCredentialStore("T0")
    try await withClient(.answering { .token("T\($0.index + 1)") }, store: store) {
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
      #expect(store.token == "T20")
    }
  }

  @Test func aTokenIsStoredWhenItsResponseIsTruncated() async throws {
    let store = MemoryCredentialStore("T0")
    try await withClient(
      .answering { _ in .raw("HTTP/1.1 200 OK\r\n\(Self.header): T1\r\nContent-Length: 9\r\n\r\n{")
      },
      store: store
    ) { client, _ in
      #expect(await failure(of: client) == .responseLost(.connectionClosed))
      #expect(store.stored == ["T1"])
    }
  }

  @Test func aTokenIsStoredWhenItsCallIsCancelled() async throws {
    let storing = Gate()
    let cancelled = Gate()
    let store = MemoryCredentialStore("T0") { event, _ in
      guard event == .stored("T1") else { return }
      storing.open()
      await cancelled.wait()
    }
    try await withClient(.answering { _ in .onlyHead([Self.header: "T1"]) }, store: store) {
      client, _ in
      let task = Task { await failure(of: client) }
      await storing.wait()
      task.cancel()
      cancelled.open()
      #expect(await task.value == .cancelled)
      #expect(store.token == "T1")
    }
  }

  // MARK: Failures of the credential store

  @Test func storingATokenIsRetriedAfterAFailure() async throws {
    let store = MemoryCredentialStore("T0")
    try await withClient(.answering { .token("T\($0.index + 1)") }, store: store) {
      client, service in
      store.fail(stores: 2)
      _ = try await client.call(ZonesList.self, EmptyBody())
      #expect(await failure(of: client) == .credentials(.notStored))
      #expect(service.requests.count == 1)
      _ = try await client.call(ZonesList.self, EmptyBody())
      #expect(service.requests.map { $0.parameter("ckWebAuthToken") } == ["T0", "T1"])
      #expect(store.stored == ["T1", "T2"])
    }
  }

  @Test func aSignInReplacesATokenThatWasNotStored() async throws {
    let store = MemoryCredentialStore("T0")
    try await withClient(.answering { $0.index == 0 ? .token("T1") : .json("{}") }, store: store) {
      client, service in
      store.fail(stores: 1)
      _ = try await client.call(ZonesList.self, EmptyBody())
      store.token = "NEW"
      _ = try await client.call(ZonesList.self, EmptyBody())
      #expect(service.requests.map { $0.parameter("ckWebAuthToken") } == ["T0", "NEW"])
      #expect(store.stored.isEmpty)
    }
  }

  @Test func nothingIsSentIfCredentialsAreUnreadable() async throws {
    let store = MemoryCredentialStore()
    store.fail(reads: 1)
    try await withClient(.answering { _ in .json("{}") }, store: store) { client, service in
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
    let store = MemoryCredentialStore("OLD")
    try await withClient(
      .answering { request in
        guard request.parameter("ckWebAuthToken") == "NEW" else {
          store.token = "NEW"
          return .json(Self.refusal, status: 421)
        }
        return .json("{}")
      }, store: store
    ) { client, service in
      _ = try await client.call(ZonesList.self, EmptyBody())
      #expect(service.requests.map { $0.parameter("ckWebAuthToken") } == ["OLD", "NEW"])
      #expect(store.events == [.read, .read])
    }
  }

  @Test func a421IsTriedAgainOnlyOnce() async throws {
    let store = MemoryCredentialStore("T0")
    try await withClient(
      .answering { request in
        store.token = "T\(request.index + 1)"
        return .json(Self.refusal, status: 421)
      }, store: store
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
    let store = MemoryCredentialStore("T0")
    try await withClient(
      .answering { _ in
        store.token = token
        return .json(Self.refusal, status: 421)
      }, store: store
    ) { client, service in
      guard case .service(let error) = await failure(of: client) else {
        Issue.record("the call did not fail with an error of the service")
        return
      }
      #expect(error.code == .authenticationRequired)
      #expect(service.requests.count == 1)
      #expect(store.events == [.read, .read])
    }
  }
}
