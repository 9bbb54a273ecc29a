import CloudRecords
import NIOHTTP1
import Testing

@testable import RecordClient
@testable import RecordServiceSupport

/// The output of `dump`.
func dumped(_ value: Any) -> String {
  var text = ""
  dump(value, to: &text)
  return text
}

/// Descriptions and errors do not contain tokens.
struct SecretsTests {
  private static let secrets = ["SECRET-API", "SECRET-WEB", "SECRET-NEXT"]

  private func expectNoSecret(_ value: Any, location: SourceLocation = #_sourceLocation) {
    for shown in ["\(value)", String(reflecting: value), dumped(value)] {
      for secret in Self.secrets {
        #expect(!shown.contains(secret), sourceLocation: location)
      }
    }
  }

  @Test func credentialsAreNotPrinted() {
    let credentials = Credentials(apiToken: "SECRET-API", webAuthToken: "SECRET-WEB")
    expectNoSecret(credentials)
    expectNoSecret([credentials])
    expectNoSecret(["a": Optional(credentials) as Any])
  }

  @Test func aClientAndItsFailuresPrintNoSecrets() async throws {
    let replies: [FakeService.Reply] = [
      .hangUp, .json("{}"), .raw("junk\r\n\r\n"), .answer(status: 302, headers: [:], body: ""),
      .answer(status: 500, headers: [:], body: "SECRET-WEB"), .json(#"{"zones":"SECRET-WEB"}"#),
      .cut(promised: 20, body: "SECRET-WEB"), .token("SECRET-NEXT", "SECRET-NEXT"),
    ]
    let store = MemoryCredentialStore("SECRET-WEB", apiToken: "SECRET-API")
    try await withClient(.answering { replies[$0.index] }, store: store) { client, service in
      for _ in replies {
        if let failure = await failure(of: client) { expectNoSecret(failure) }
        expectNoSecret(client)
      }
      #expect(service.requests.count == replies.count)
      #expect(
        "\(client)"
          == "RecordClient(\(service.origin), iCloud.org.example, development)")
    }
  }

  @Test func anUntrustedURLIsNotPrinted() async throws {
    try await withClient(.answering { _ in .json("{}") }) { client, _ in
      let failure = await failure { () async throws(CallFailure) in
        _ = try await client.notification(at: "http://example.org/SECRET-WEB?t=SECRET-API")
      }
      expectNoSecret(try #require(failure))
    }
  }

  @Test func everyFailureHasAShortDescription() {
    let failures: [(CallFailure, String)] = [
      (.service(ServiceError(.throttled, reason: "slowly")), "THROTTLED: slowly"),
      (.unreachable(.connectionRefused), "cannot be reached: connectionRefused"),
      (.responseLost(.timedOut), "no response: tooSlow"),
      (
        .unexpectedResponse(UnexpectedResponse(status: 200, .unreadable, contentType: "text/html")),
        "unexpected response: 200, unreadable, text/html"
      ),
      (
        .unexpectedResponse(UnexpectedResponse(status: 0, .notHTTP)), "unexpected response: notHTTP"
      ),
      (.untrustedURL(.scheme), "untrusted URL: scheme"),
      (.credentials(.unreadable), "credentials: unreadable"), (.cancelled, "cancelled"),
    ]
    for (failure, text) in failures { #expect("\(failure)" == text) }
  }
}
