import CloudRecords
import NIOHTTP1
import Testing

@testable import RecordClient
@testable import RecordServiceSupport

/// The requests that the client sends.
struct RequestTests {
  @Test func tokensArePercentEncoded() async throws {
    let store = MemoryCredentialStore("106__54__ab+/=", apiToken: "0a1b")
    try await withClient(.answering { _ in .json(#"{"records":[]}"#) }, store: store) {
      client, service in
      _ = try await client.call(RecordsLookup.self, .init(records: [.init("r")]))
      let request = try #require(service.requests.first)
      #expect(
        request.target
          == "/database/1/iCloud.org.example/development/private/records/lookup"
          + "?ckAPIToken=0a1b&ckWebAuthToken=106__54__ab%2B%2F%3D")
      #expect(request.method == "POST")
      #expect(request.headers["content-type"] == ["application/json"])
      #expect(request.headers["host"] == ["127.0.0.1:\(service.port)"])
      #expect(request.headers["user-agent"] == ["quran-vi"])
      #expect(request.headers["accept-encoding"].first?.contains("gzip") == true)
      #expect(request.body == #"{"records":[{"recordName":"r"}]}"#)
    }
  }

  @Test func aListingIsAGetWithoutABody() async throws {
    try await withClient(.answering { _ in .json(#"{"zones":[]}"#) }) { client, service in
      _ = try await client.call(ZonesList.self, EmptyBody())
      let request = try #require(service.requests.first)
      #expect(request.method == "GET")
      #expect(request.body.isEmpty)
      #expect(request.headers["content-type"].isEmpty)
      #expect(request.path == "/database/1/iCloud.org.example/development/private/zones/list")
    }
  }

  @Test func tokenRequestsHaveNoDatabaseInTheirPath() async throws {
    let body = #"{"apnsEnvironment":"development","apnsToken":"t","webcourierURL":"https://c"}"#
    try await withClient(.answering { _ in .json(body) }) { client, service in
      _ = try await client.call(TokensCreate.self, .init(apnsEnvironment: .development))
      #expect(
        service.requests.first?.path == "/device/1/iCloud.org.example/development/tokens/create")
    }
  }

  @Test(arguments: [nil, ""])
  func absentOrEmptyTokensAreNotSent(_ token: String?) async throws {
    let store = MemoryCredentialStore(token, apiToken: "A")
    try await withClient(.answering { _ in .json("{}") }, store: store) { client, service in
      _ = try await client.call(ZonesList.self, EmptyBody())
      #expect(service.requests.first?.target.hasSuffix("/zones/list?ckAPIToken=A") == true)
    }
    let emptyStore = MemoryCredentialStore(token, apiToken: "")
    try await withClient(.answering { _ in .json("{}") }, store: emptyStore) { client, service in
      _ = try await client.call(ZonesList.self, EmptyBody())
      #expect(service.requests.first?.target.hasSuffix("/zones/list") == true)
    }
  }

  @Test func responsesWithoutContentMayBeEmpty() async throws {
    try await withClient(.answering { _ in .answer(status: 200, headers: [:], body: "") }) {
      client, _ in
      let request = TokensRegister.Request(apnsEnvironment: .production, apnsToken: "t")
      let answer = try await client.call(TokensRegister.self, request)
      #expect(answer == EmptyBody())
      #expect(
        await failure(of: client)
          == .unexpectedResponse(UnexpectedResponse(status: 200, .unreadable)))
    }
  }

  @Test func aNumberThatIsNotFiniteIsABadRequest() async throws {
    try await withClient(.answering { _ in .json("{}") }) { client, service in
      let draft = RecordInput("r", type: "T", fields: ["d": Field(.double(.infinity))])
      let failure = await failure { () async throws(CallFailure) in
        _ = try await client.call(
          RecordsModify.self, .init(operations: [.init(.create, draft)]))
      }
      #expect(failure == .service(ServiceError(.badRequest, reason: "a number is not finite")))
      #expect(failure?.shouldSplitBatch == true)
      #expect(service.requests.isEmpty)
    }
  }
}
