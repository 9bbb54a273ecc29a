import CloudRecords
import Foundation
import NIOHTTP1
import Testing

@testable import RecordClient
@testable import RecordServiceSupport

/// Long polls.
struct NotificationTests {
  private static let body =
    #"{"ck":{"nid":"n","cid":"iCloud.org.example","fet":{"zid":"Q","zoid":"_a","sid":"s"}}}"#

  @Test func aPollSendsNoTokenAndKeepsItsURL() async throws {
    let store = MemoryCredentialStore("T0")
    try await withClient(.answering { _ in .json(Self.body) }, store: store) { client, service in
      let url = service.origin + "/webcourier?wid=a%2Fb&x=1"
      let notification = try await client.notification(at: url)
      #expect(notification?.ck?.zone?.subscriptionID == "s")
      let request = try #require(service.requests.first)
      #expect(request.target == "/webcourier?wid=a%2Fb&x=1")
      #expect(request.method == "GET")
      #expect(!request.headers.contains { $0.value.contains("T0") })
      #expect(request.headers["cookie"].isEmpty && request.headers["authorization"].isEmpty)
      #expect(store.events.isEmpty)
    }
  }

  @Test func aTokenInAPollResponseIsIgnored() async throws {
    let store = MemoryCredentialStore("T0")
    try await withClient(.answering { _ in .token("EVIL", "") }, store: store) {
      client, service in
      let notification = try await client.notification(at: service.origin + "/p")
      #expect(notification == nil)
      #expect(store.token == "T0")
    }
  }

  @Test func emptyPollResponsesAreNil() async throws {
    try await withClient(
      .answering { request in
        .answer(status: request.index == 0 ? 200 : 204, headers: [:], body: "")
      }
    ) { client, service in
      for _ in 0..<2 {
        let notification = try await client.notification(at: service.origin + "/p")
        #expect(notification == nil)
      }
    }
  }

  @Test func aPollThatTimesOutIsNil() async throws {
    let clock = ManualClock()
    try await withClient(.answering { _ in .silence }, .with { $0.clock = clock }) {
      client, service in
      let task = Task { try await client.notification(at: service.origin + "/p") }
      _ = await service.arrival()
      await clock.waits(for: 1)
      clock.advance(by: .seconds(75))
      let notification = try await task.value
      #expect(notification == nil)
    }
  }

  @Test func callsAndAssetsAreNotBlockedByAPoll() async throws {
    let gate = Gate()
    try await withClient(
      .answering { request in
        if request.path == "/p" { await gate.wait() }
        return .json("{}")
      }
    ) { client, service in
      let poll = Task { try await client.notification(at: service.origin + "/p") }
      _ = await service.arrival()
      _ = try await client.call(ZonesList.self, EmptyBody())
      let asset = try await client.download(service.origin + "/a")
      #expect(asset == Data("{}".utf8))
      gate.open()
      let notification = try await poll.value
      #expect(notification == PushNotification())
    }
  }

  @Test func anExpiredURLIsReportedAsNotFound() async throws {
    try await withClient(
      .answering { request in
        request.index == 0
          ? .answer(status: 404, headers: [:], body: "gone")
          : .json(#"{"serverErrorCode":"NOT_FOUND","reason":"r"}"#, status: 404)
      }
    ) { client, service in
      for reason in [nil, "r"] {
        let failure = await failure { () async throws(CallFailure) in
          _ = try await client.notification(at: service.origin + "/p")
        }
        #expect(failure == .service(ServiceError(.notFound, reason: reason)))
      }
    }
  }

  @Test func aRedirectOfAPollIsNotFollowed() async throws {
    try await withClient(
      .answering { _ in
        .answer(status: 302, headers: ["Location": "/p2"], body: "")
      }
    ) { client, service in
      let failure = await failure { () async throws(CallFailure) in
        _ = try await client.notification(at: service.origin + "/p")
      }
      #expect(failure == .unexpectedResponse(UnexpectedResponse(status: 302, .redirect)))
      #expect(service.requests.count == 1)
    }
  }

  @Test(arguments: [
    ("http://push.example.org/p", AddressProblem.notSecure),
    ("http://127.0.0.1:1/p", .notSecure), ("ftp://push.example.org/p", .scheme),
    ("file:///etc/passwd", .scheme), ("//push.example.org/p", .scheme), ("", .scheme),
    ("https://user@push.example.org/p", .userInfo), ("https://a:b@push.example.org/", .userInfo),
    ("https:///p", .host), ("https://push.example.org/\r\nX: y", .characters),
    ("https://push.example.org/\u{0}", .characters),
    ("https://push.example.org\\@evil/", .characters),
    ("https://push.example.org:0/", .port), ("https://push.example.org:99999/", .port),
  ])
  func anUntrustedURLIsNotRequested(_ url: String, _ problem: AddressProblem) async throws {
    try await withClient(.answering { _ in .json("{}") }) { client, service in
      let failure = await failure { () async throws(CallFailure) in
        _ = try await client.notification(at: url)
      }
      #expect(failure == .untrustedURL(problem))
      #expect(service.requests.isEmpty)
    }
  }
}
