import CloudRecords
import Foundation
import HTTPTypes
import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import NIOPosix
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

/// The behaviour over HTTP that all endpoints share.
struct WebBehaviourTests {
  @Test func pathsAreUniqueAndRefuseOtherMethods() async throws {
    let places = ServedPath.all.map { "\($0.method) \($0.template)" }
    #expect(Set(places).count == places.count)
    try await WebFixture.run { web in
      for path in ServedPath.all where path.purpose != .pushChannel {
        let other = path.method == .get ? "DELETE" : "PUT"
        let reply = try await web.send(other, path.template.replacing(":", with: ""))
        #expect(reply.status == 405, "\(path.template)")
        #expect(reply.header("Allow") != nil)
        #expect(reply.error?.code == .badRequest)
      }
    }
  }

  @Test func listingsAreServedByGetAndPost() async throws {
    try await WebFixture.run { web in
      let an = try await web.person("an")
      for route in [Route.zonesList, .subscriptionsList] {
        let replies = [
          try await web.send("GET", web.path(route, an.token)),
          try await web.send("POST", web.path(route, an.token)),
          try await web.post(route, "{}", as: an),
        ]
        #expect(Set(replies.map(\.status)) == [200])
        #expect(Set(replies.map(\.body)).count == 1)
      }
    }
  }

  @Test func tokensCreateIsServedUnderDeviceAndDatabase() async throws {
    try await WebFixture.run { web in
      let an = try await web.person("an")
      let query = "?ckAPIToken=\(web.apiToken)&ckWebAuthToken=\(an.token)"
      for module in ["device", "database"] {
        let path = "/\(module)/1/\(web.container)/production/tokens/create" + query
        let reply = try await web.send(
          "POST", path, body: Data(#"{"apnsEnvironment":"development","clientId":"x"}"#.utf8))
        let answer = try Wire.decode(TokensCreate.Response.self, from: reply.body, as: .response)
        #expect(answer.apnsEnvironment == .development)
        #expect(answer.webcourierURL.hasPrefix(web.url + "/courier/"))
      }
    }
  }

  @Test func anyContentTypeAndUnknownParametersAreAccepted() async throws {
    try await WebFixture.run { web in
      let an = try await web.person("an")
      for type in ["text/plain", "application/json", "nonsense"] {
        let reply = try await web.send(
          "POST",
          web.path(.recordsLookup, an.token)
            + "&ckjsVersion=2.6.4&clientId=x&remapEnums=true&getCurrentSyncToken=true",
          body: Data(
            #"{"records":[{"recordName":"n","pluginFields":{}}],"numbersAsStrings":false}"#.utf8),
          headers: [("Content-Type", type)])
        #expect(reply.status == 200)
      }
    }
  }

  @Test func answersCarryTheSessionsNewestToken() async throws {
    let name = "X-Apple-CloudKit-Web-Auth-Token"
    try await WebFixture.run { web in
      let an = try await web.person("an")
      let first = try await web.reply(ZonesList.self, EmptyBody(), as: an)
      #expect(first.header(name) == an.token)
      #expect(first.header("X-Apple-CloudKit-Version") == "1.0")
      #expect(first.header("X-Apple-Request-UUID") != nil)
      web.clock.advance(TokenRotation.interval)
      // Errors carry the newest token, too.
      let failed = try await web.post(.recordsLookup, "{", as: an)
      #expect(failed.status == 400)
      let next = try #require(failed.header(name))
      #expect(next != an.token)
      // The previous token is valid until the next one is used, and for one more minute.
      let newer = WebFixture.Person(account: an.account, token: next, user: an.user)
      #expect(try await web.reply(ZonesList.self, EmptyBody(), as: an).header(name) == next)
      #expect(try await web.reply(ZonesList.self, EmptyBody(), as: newer).header(name) == next)
      web.clock.advance(TokenRotation.grace - 1)
      #expect(try await web.reply(ZonesList.self, EmptyBody(), as: an).status == 200)
      web.clock.advance(1)
      let late = try await web.reply(ZonesList.self, EmptyBody(), as: an)
      #expect(late.error?.code == .authenticationRequired)
      #expect(late.header(name) == nil)
      #expect(try await web.reply(ZonesList.self, EmptyBody(), as: newer).status == 200)
    }
  }

  private final class Newest: Sendable {
    let token: NIOLockedValueBox<String>

    init(_ token: String) { self.token = NIOLockedValueBox(token) }
  }

  /// Fifty requests at once, each with the newest token that the client has, over many rotations.
  @Test func rotationUnderManyRequestsLocksNobodyOut() async throws {
    try await WebFixture.run { web in
      let an = try await web.person("an")
      let newest = Newest(an.token)
      var seen: Set<String> = []
      for _ in 0..<8 {
        let replies = try await withThrowingTaskGroup(of: WebFixture.Reply.self) { group in
          for _ in 0..<50 {
            group.addTask {
              let token = newest.token.withLockedValue { $0 }
              let reply = try await web.send("GET", web.path(.zonesList, token))
              if let next = reply.header("X-Apple-CloudKit-Web-Auth-Token") {
                newest.token.withLockedValue { $0 = next }
              }
              return reply
            }
          }
          return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(replies.allSatisfy { $0.status == 200 })
        seen.insert(newest.token.withLockedValue { $0 })
        web.clock.advance(TokenRotation.interval / 2)
      }
      #expect(seen.count == 4)
      // Revoking the session makes its newest token invalid.
      #expect(try await web.accountService.revokeSessions(of: an.account) == 1)
      let reply = try await web.send(
        "GET", web.path(.zonesList, newest.token.withLockedValue { $0 }))
      #expect(reply.error?.code == .authenticationRequired)
    }
  }

  @Test func crossOriginRequestsToTheAPIAreAllowed() async throws {
    try await WebFixture.run { web in
      let an = try await web.person("an")
      let origin = [("Origin", "https://app.example.org")]
      let preflight = try await web.send(
        "OPTIONS", web.path(.recordsQuery, nil),
        headers: origin + [("Access-Control-Request-Method", "POST")])
      #expect(preflight.status == 204)
      #expect(preflight.header("Access-Control-Allow-Origin") == "*")
      #expect(
        preflight.header("Access-Control-Allow-Headers") == "Content-Type, Record-Service-Witness")
      let reply = try await web.send(
        "GET", web.path(.zonesList, an.token), headers: origin)
      #expect(reply.header("Access-Control-Allow-Origin") == "*")
      #expect(
        reply.header("Access-Control-Expose-Headers")?.contains("X-Apple-CloudKit-Web-Auth-Token")
          == true)
      #expect(
        reply.header("Access-Control-Expose-Headers")?.contains("Record-Service-History") == true)
      #expect(reply.header("Access-Control-Allow-Credentials") == nil)
      // The router ignores empty parts of a path.
      let doubled = try await web.send(
        "GET", "/" + web.path(.zonesList, an.token), headers: origin)
      #expect(doubled.status == 200)
      #expect(doubled.header("Access-Control-Allow-Origin") == "*")
      let own = try await web.send("GET", web.path(.zonesList, an.token))
      #expect(own.header("Access-Control-Allow-Origin") == nil)
      // HTML pages, and paths that only this machine may read, do not allow it.
      for path in ["/sign-in?ckAPIToken=\(web.apiToken)", "/register", "/metrics", "/healthz", "/"]
      {
        let page = try await web.send("GET", path, headers: origin)
        #expect(page.header("Access-Control-Allow-Origin") == nil, "\(path)")
      }
    }
  }

  @Test func aWrongMethodIsAnsweredWithTheAllowedOnes() async throws {
    try await WebFixture.run { web in
      let an = try await web.person("an")
      let wrong = try await web.send("DELETE", web.path(.zonesList, an.token))
      #expect(wrong.status == 405)
      #expect(wrong.header("Allow") == "GET, POST")
    }
  }

  /// The log has the path and the status of a request, but no token.
  @Test func requestsAreLoggedWithoutSecrets() async throws {
    let log = KeptLog()
    try await WebFixture.run {
      $0.logger = Logger(label: "test") { _ in log }
    } _: { web in
      let an = try await web.person("an")
      _ = try await web.reply(ZonesList.self, EmptyBody(), as: an)
      let lines = log.lines
      #expect(
        lines.contains {
          $0.contains("request") && $0.contains("{database}/zones/list") && $0.contains("200")
        }, "\(lines)")
      #expect(!lines.contains { $0.contains(an.token) || $0.contains(web.apiToken) })
    }
  }

  /// The session is revoked after the head of the request was received, and before its body.
  @Test func aSessionRevokedDuringALongBodyIsRefused() async throws {
    try await WebFixture.run { web in
      let an = try await web.person("an")
      let before = try await web.accountService.sessions(of: an.account)
      web.clock.advance(2 * 86_400_000)
      let (parts, body) = AsyncStream.makeStream(of: ByteBuffer.self)
      body.yield(ByteBuffer(string: #"{"reco"#))
      let rest = #"rds":[]}"# + String(repeating: " ", count: 20_000)
      async let answer = HTTPExchange.send(
        .POST, web.url + web.path(.recordsLookup, an.token), bodyLength: 6 + rest.utf8.count,
        parts: parts)
      // A use of the session shows that the head was received.
      while try await web.accountService.sessions(of: an.account) == before { await Task.yield() }
      #expect(try await web.accountService.revokeSessions(of: an.account) == 1)
      body.yield(ByteBuffer(string: rest))
      body.finish()
      #expect(try await answer.response.status.code == 421)
    }
  }

  /// A request with a short body does not use its session until all of the body is there.
  @Test func aSessionRevokedDuringAShortBodyIsRefused() async throws {
    try await WebFixture.run { web in
      let (an, binh) = (try await web.person("an"), try await web.person("binh"))
      let before = try await web.accountService.sessions(of: an.account)
      web.clock.advance(2 * 86_400_000)
      let (parts, body) = AsyncStream.makeStream(of: ByteBuffer.self)
      body.yield(ByteBuffer(string: #"{"reco"#))
      async let answer = HTTPExchange.send(
        .POST, web.url + web.path(.recordsLookup, an.token), bodyLength: 14, parts: parts)
      // Meanwhile the server receives the head.
      for _ in 0..<50 {
        #expect(try await web.reply(ZonesList.self, EmptyBody(), as: binh).status == 200)
      }
      #expect(try await web.accountService.sessions(of: an.account) == before)
      #expect(try await web.accountService.revokeSessions(of: an.account) == 1)
      body.yield(ByteBuffer(string: #"rds":[]}"#))
      body.finish()
      #expect(try await answer.response.status.code == 421)
    }
  }

  /// A client may send its request and then close its sending side.
  @Test func aClientThatSendsNothingMoreGetsItsResponse() async throws {
    try await WebFixture.run {
      $0.schema = ServiceFixture.schema
    } _: { web in
      let an = try await web.person("an")
      // The response is larger than what the systems of both sides buffer at first.
      let text = String(repeating: "x", count: 1_000_000)
      for name in ["a", "b", "c"] {
        try await web.modify([Operation(.create, note(name, ["plain": .string(text)]))], as: an)
      }
      let body = try Wire.encode(
        RecordsLookup.Request(records: ["a", "b", "c"].map { .init($0) }))
      for _ in 0..<3 {
        let connection = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
          .channelOption(.allowRemoteHalfClosure, value: true)
          .connect(host: "127.0.0.1", port: web.port) { channel in
            channel.eventLoop.makeCompletedFuture {
              try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                wrappingChannelSynchronously: channel,
                configuration: .init(isOutboundHalfClosureEnabled: true))
            }
          }
        try await connection.executeThenClose { inbound, outbound in
          var request = ByteBuffer(
            string: "POST \(web.path(.recordsLookup, an.token)) HTTP/1.1\r\n"
              + "Host: localhost\r\nContent-Length: \(body.count)\r\n\r\n")
          request.writeBytes(body)
          try await outbound.write(request)
          outbound.finish()
          var response = ByteBuffer()
          for try await part in inbound { response.writeImmutableBuffer(part) }
          #expect(response.readString(length: 15) == "HTTP/1.1 200 OK")
          #expect(response.readableBytes > 3_000_000)
          #expect(response.getString(at: response.writerIndex - 2, length: 2) == "]}")
        }
      }
    }
  }

  @Test func anAPITokenIsRefusedFromOtherOrigins() async throws {
    try await WebFixture.run { web in
      let app = try await web.accountService.createAPIToken(
        APITokenTerms(
          label: "web", container: web.container, origins: ["https://app.example.org"]))
      let path = web.path(.usersCaller, nil, .production, .public, apiToken: app.secret)
      let origins = ["https://app.example.org", "https://evil.example.org"]
      var codes: [ErrorCode?] = []
      for origin in origins {
        codes.append(
          try await web.send("GET", path, headers: [("Origin", origin)]).error?.code)
      }
      #expect(codes == [.authenticationRequired, .authenticationFailed])
    }
  }

  @Test func numbersAreReturnedAsStringsIfRequested() async throws {
    try await WebFixture.run {
      $0.schema = ServiceFixture.schema
    } _: { web in
      let an = try await web.person("an")
      let reply = try await web.post(
        .recordsModify,
        #"""
        {"numbersAsStrings":true,"operations":[{"operationType":"create","record":{
        "recordName":"n","recordType":"Note",
        "fields":{"rank":{"value":9007199254740993},"weight":{"value":0.5}}}}]}
        """#, as: an)
      let records = try #require(try reply.object["records"] as? [[String: Any]])
      let fields = try #require(records.first?["fields"] as? [String: [String: Any]])
      #expect(fields["rank"]?["value"] as? String == "9007199254740993")
      #expect(fields["weight"]?["value"] as? String == "0.5")
    }
  }

  /// The client sends the length of the body, and no part of it.
  @Test func largeBodiesAreRefusedBeforeTheyAreRead() async throws {
    try await WebFixture.run { web in
      let an = try await web.person("an")
      let answer = try await HTTPExchange.send(
        .POST, web.url + web.path(.recordsQuery, an.token), bodyLength: Limits.requestBytes + 1,
        parts: AsyncStream { _ in })
      #expect(answer.response.status.code == 413)
      let error = try Wire.decode(
        ServiceError.self, from: Data(answer.body.readableBytesView), as: .response)
      #expect(error.code == .limitExceeded)
    }
  }

  @Test func healthzAndMetricsReportTheServiceState() async throws {
    try await WebFixture.run { web in
      #expect(try await web.send("GET", "/healthz").text == "ok\n")
      _ = try await web.send("GET", "/database/nothing/here")
      let an = try await web.person("an")
      _ = try await web.reply(ZonesList.self, EmptyBody(), as: an)
      let metrics = try await web.send("GET", "/metrics")
      #expect(metrics.status == 200)
      let line =
        "record_service_requests_total{method=\"GET\",path=\"/database/1/{container}/"
        + "{environment}/{database}/zones/list\",status=\"200\"} 1\n"
      #expect(metrics.text.contains(line), "\(metrics.text)")
      #expect(metrics.text.contains(#"path="none",status="404"} 1"#))
      #expect(metrics.text.contains("record_service_polls 0\n"))
      #expect(metrics.text.contains("# TYPE record_service_forks_total counter\n"))
      #expect(metrics.text.contains("record_service_forks_total 0\n"))
      #expect(!metrics.text.contains(web.apiToken))
      // The metrics are not served through a proxy.
      let proxied = try await web.send(
        "GET", "/metrics", headers: [("X-Forwarded-For", "127.0.0.1")])
      #expect(proxied.status == 404)
      web.storage.fail(.busy)
      #expect(try await web.send("GET", "/healthz").status == 503)
    }
  }

  @Test func plainTextIsServedOnlyToThisMachine() async throws {
    var options = WebOptions()
    options.address = "0.0.0.0"
    #expect(options.problem == .plainText("0.0.0.0"))
    options.isBehindProxy = true
    #expect(options.problem == .noURL)
    options.url = WebOrigin("http://records.example.org")
    #expect(options.problem == options.url.map(WebOptionsProblem.plainURL))
    options.url = WebOrigin("https://records.example.org")
    #expect(options.problem == nil)
    #expect(!options.isForThisMachine)
    // The same rules apply to TLS of the server itself, even on this machine.
    for address in ["0.0.0.0", "127.0.0.1"] {
      var options = WebOptions()
      options.address = address
      options.tls = WebOptions.TLSFiles(certificates: "c", key: "k")
      #expect(options.problem == .noURL)
      options.url = WebOrigin("http://127.0.0.1")
      #expect(options.problem == options.url.map(WebOptionsProblem.plainURL))
      options.url = WebOrigin("https://127.0.0.1")
      #expect(options.problem == nil)
    }
    for address in ["127.0.0.1", "127.1.2.3", "::1", "localhost"] {
      var options = WebOptions()
      options.address = address
      #expect(options.problem == nil)
      #expect(options.isForThisMachine)
      // A client that reaches the proxy reaches the service.
      options.isBehindProxy = true
      #expect(!options.isForThisMachine)
    }
    for address in [
      "127.evil.example", "127.0.0.1.evil.example", "127.0.0.1%.evil.example", "127.1",
      "localhost.evil.example", "::1.evil.example", "192.0.2.1", "::2", "",
    ] {
      var options = WebOptions()
      options.address = address
      #expect(options.problem == .plainText(address))
      #expect(!options.isForThisMachine)
    }
  }

  /// The pages of a host whose name resolves to this machine (DNS rebinding) must not register
  /// accounts or read the metrics.
  @Test func requestsForAnotherHostAreRefused() async throws {
    try await WebFixture.run { web in
      let paths = ["/register", "/metrics", "/healthz", "/", web.path(.zonesList, nil), "/nothing"]
      for host in [
        "evil.example.org", "127.0.0.1.evil.example.org", "127.evil.example", "localhost.evil",
        "[::2]", "a b", "192.0.2.1", "evil.example.org:8787", "127.0.0.1@evil.example.org",
      ] {
        for path in paths {
          let reply = try await web.send("GET", path, headers: [("Host", host)])
          #expect(reply.status == 400, "\(host) \(path)")
          #expect(reply.error?.code == .badRequest)
        }
        let form = try await web.send(
          "POST", "/register", body: Data("request=x".utf8), headers: [("Host", host)])
        #expect(form.error?.reason == "the Host header does not name this service")
      }
      // Several names are refused even if all of them are the service's (RFC 9112, 3.2).
      for hosts in [["localhost", "evil.example.org"], ["localhost", "localhost"], ["", ""]] {
        let reply = try await web.send("GET", "/healthz", headers: hosts.map { ("Host", $0) })
        #expect(reply.status == 400 && reply.error?.code == .badRequest, "\(hosts)")
      }
      for host in ["127.0.0.1", "localhost", "LOCALHOST:1", "[::1]:8787", "127.1.2.3:80"] {
        #expect(try await web.send("GET", "/healthz", headers: [("Host", host)]).status == 200)
      }
    }
  }

  @Test(arguments: [
    ("fd00::5", "[fd00::5]:8787"), ("FD00::5", "[fd00::5]"), ("192.0.2.1", "192.0.2.1:8787"),
  ])
  func requestsForTheListeningAddressAreServed(_ address: String, _ host: String) {
    var options = WebOptions()
    options.address = address
    let origin = RequestOrigin(options: options)
    #expect(origin.isAddressed(host))
    #expect(!origin.isAddressed("[fd00::6]:8787"))
  }

  @Test func requestsForThePublicURLAreServed() async throws {
    try await WebFixture.run {
      $0.web.url = WebOrigin("https://records.example.org")
    } _: { web in
      let local = "http://127.0.0.1:\(web.port)"
      for (host, status) in [
        ("records.example.org", 200), ("Records.Example.org:8443", 200), ("127.0.0.1", 200),
        ("example.org", 400), ("records.example.org.evil", 400),
      ] {
        let reply = try await web.send("GET", local + "/healthz", headers: [("Host", host)])
        #expect(reply.status == status, "\(host)")
        // The header only comes with TLS.
        #expect(reply.header("Strict-Transport-Security") == nil)
      }
    }
  }

  @Test func aProxyWithTLSAnnouncesStrictTransportSecurity() async throws {
    try await WebFixture.run {
      $0.web.isBehindProxy = true
      $0.web.url = WebOrigin("https://records.example.org")
    } _: { web in
      for path in ["/healthz", "/sign-in", "/nothing"] {
        let reply = try await web.send("GET", "http://127.0.0.1:\(web.port)" + path)
        #expect(reply.header("Strict-Transport-Security") == "max-age=31536000")
      }
    }
  }

  private static func ask(_ web: WebFixture, from: String) async throws -> Int {
    try await web.send(
      "GET", "/database/1/x/production/public/users/caller",
      headers: [("X-Forwarded-For", from)]
    ).status
  }

  /// Anonymous requests are limited by client address. The address in `X-Forwarded-For` counts only
  /// if a trusted proxy has sent it.
  @Test(arguments: [true, false]) func forwardedAddressesAreUsedFromTrustedProxies(
    _ isTrusted: Bool
  ) async throws {
    try await WebFixture.run {
      $0.web.trustedProxies = Set(isTrusted ? [HostAddress("127.0.0.1")].compactMap(\.self) : [])
    } _: { web in
      // The addresses that a client claims precede the one that the proxy adds.
      for number in 0..<400 {
        let reply = try await Self.ask(web, from: "10.0.0.\(number % 250), 192.0.2.1")
        #expect(reply == 400)
      }
      let further = try await Self.ask(web, from: "10.0.0.9, 192.0.2.1")
      #expect(further == 429)
      let other = try await Self.ask(web, from: "192.0.2.1, 192.0.2.2")
      #expect(other == (isTrusted ? 400 : 429))
    }
  }
}
