import CloudRecords
import Foundation
import Logging
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

/// Signs in with the requests that a browser would send.
struct SignInHTTPTests {
  private static let callback = "http://127.0.0.1:9/0123456789abcdef0123456789abcdef"

  /// The action of the form on a page, and a body with its hidden fields and the given fields.
  private static func form(
    _ page: WebFixture.Reply, _ fields: KeyValuePairs<String, String>
  ) throws -> (action: String, body: Data) {
    let action = try #require(page.text.firstMatch(of: #/action="([^"]*)"/#)).1
    var pairs: [(String, String)] = page.text.matches(
      of: #/type="hidden" name="([^"]*)" value="([^"]*)"/#
    ).map { (String($0.1), String($0.2)) }
    pairs += fields.map { ($0.key, $0.value) }
    let body = pairs.map { "\($0)=\(PercentEncoding.encode($1).replacing("%20", with: "+"))" }
      .joined(separator: "&")
    return (String(action).replacing("&amp;", with: "&"), Data(body.utf8))
  }

  private static func page(
    _ web: WebFixture, _ query: String = "", path: String = "/sign-in"
  ) async throws -> WebFixture.Reply {
    try await web.send("GET", "\(path)?ckAPIToken=\(web.apiToken)\(query)")
  }

  private static func submit(
    _ web: WebFixture, _ page: WebFixture.Reply, _ fields: KeyValuePairs<String, String>,
    headers: [(String, String)] = []
  ) async throws -> WebFixture.Reply {
    let (action, body) = try form(page, fields)
    return try await web.send(
      "POST", action, body: body,
      headers: [("Content-Type", "application/x-www-form-urlencoded")] + headers)
  }

  @Test func aLoopbackCallbackGetsAWorkingToken() async throws {
    try await WebFixture.run { web in
      _ = try await web.person("an nguyễn")
      let encoded = PercentEncoding.encode(Self.callback)
      let page = try await Self.page(web, "&callback=\(encoded)&lang=vi")
      #expect(page.status == 200)
      #expect(page.header("Set-Cookie") == nil)
      #expect(page.header("Content-Language") == "vi")
      let reply = try await Self.submit(
        web, page, ["name": " An  Nguyễn", "password": AccountFixture.password, "keep": "1"])
      #expect(reply.status == 303)
      #expect(reply.header("Cache-Control") == "no-store")
      #expect(reply.header("Referrer-Policy") == "no-referrer")
      #expect(reply.header("Set-Cookie") == nil)
      let location = try #require(reply.header("Location"))
      #expect(location.hasPrefix(Self.callback + "?ckWebAuthToken="))
      let token = String(location.dropFirst((Self.callback + "?ckWebAuthToken=").count))
      let caller = try await web.send(
        "GET", web.path(.usersCaller, token, .production, .public))
      let name = try caller.object["nameComponents"] as? [String: String]
      #expect(name?["givenName"] == "an nguyễn")
    }
  }

  @Test func aCodeIsShownToBeCopied() async throws {
    try await WebFixture.run { web in
      _ = try await web.person("an")
      let page = try await Self.page(web, "&way=code&lang=en")
      let reply = try await Self.submit(
        web, page, ["name": "an", "password": AccountFixture.password])
      #expect(reply.status == 200)
      let code = try #require(reply.text.firstMatch(of: #/<code id="code">([0-9a-f]+)</#)).1
      let caller = try await web.send("GET", web.path(.usersCaller, String(code)))
      #expect(caller.status == 200)
      #expect(reply.header("Cache-Control") == "no-store")
    }
  }

  @Test func aWrongPasswordAndAnUnknownAccountAreAnsweredAlike() async throws {
    try await WebFixture.run { web in
      _ = try await web.person("an")
      var texts: [String] = []
      for name in ["an", "ai"] {
        let page = try await Self.page(web, "&way=code&lang=en")
        let reply = try await Self.submit(
          web, page, ["name": name, "password": "not the right one", "keep": "1"])
        #expect(reply.status == 403)
        #expect(!reply.text.contains("not the right one"))
        texts.append(
          reply.text.replacing("value=\"\(name)\"", with: "").replacing(
            #/name="request" value="[^"]*"/#, with: ""))
        // The answer has the form again, and it works.
        let again = try await Self.submit(
          web, reply, ["name": "an", "password": AccountFixture.password])
        #expect(again.status == 200)
      }
      #expect(texts[0] == texts[1])
    }
  }

  @Test func onlyRegisteredCallbacksAreAccepted() async throws {
    try await WebFixture.run { web in
      for callback in [
        "https://evil.example.org/", "http://localhost:9/", "http://127.0.0.1.example.org/",
        "http://127.0.0.1:9/#x", "javascript:alert(1)", "//evil.example.org", "",
      ] {
        let page = try await Self.page(web, "&callback=" + PercentEncoding.encode(callback))
        #expect(page.status == 400, "\(callback)")
        #expect(!page.text.contains("<form"))
      }
      let app = try await web.accountService.createAPIToken(
        APITokenTerms(
          label: "web", container: web.container,
          callbacks: ["https://app.example.org/back?x=1"]))
      _ = try await web.person("an")
      let page = try await web.send("GET", "/sign-in?ckAPIToken=\(app.secret)")
      #expect(
        page.header("Content-Security-Policy")?.contains(
          "form-action 'self' https://app.example.org;") == true)
      let reply = try await Self.submit(
        web, page, ["name": "an", "password": AccountFixture.password])
      #expect(
        reply.header("Location")?.hasPrefix("https://app.example.org/back?x=1&ckWebAuthToken=")
          == true)
    }
  }

  @Test func forgedAndExpiredFormsAreRefused() async throws {
    try await WebFixture.run { web in
      _ = try await web.person("an")
      let page = try await Self.page(web, "&way=code&lang=en")
      let (action, body) = try Self.form(page, ["name": "an", "password": AccountFixture.password])
      let text = String(decoding: body, as: UTF8.self)
      for spoiled in [
        text.replacing("request=", with: "request=A"), text.replacing("request=", with: "other="),
        "", "request", "%", "request=%ff&name=%ff", "request[]=1",
      ] {
        let reply = try await web.send("POST", action, body: Data(spoiled.utf8))
        #expect(reply.status == 400, "\(spoiled.prefix(20))")
      }
      let other = try await web.send(
        "POST", action, body: body, headers: [("Sec-Fetch-Site", "cross-site")])
      #expect(other.status == 400)
      // The form expires.
      web.clock.advance(AccountService.Options().formLifetime)
      #expect(try await web.send("POST", action, body: body).status == 400)
    }
  }

  @Test func registrationContinuesTheSignIn() async throws {
    try await WebFixture.run { web in
      let encoded = PercentEncoding.encode(Self.callback)
      let signIn = try await Self.page(web, "&callback=\(encoded)&lang=en")
      let link = try #require(signIn.text.firstMatch(of: #/href="(/register[^"]*)"/#)).1
      let page = try await web.send("GET", String(link).replacing("&amp;", with: "&"))
      #expect(page.status == 200)
      let short = try await Self.submit(web, page, ["name": "Bình", "password": "short"])
      #expect(short.status == 400)
      #expect(short.text.contains(#"value="Bình""#))
      let reply = try await Self.submit(
        web, page, ["name": "Bình", "password": AccountFixture.password, "keep": "1"])
      #expect(reply.status == 303)
      #expect(reply.header("Location")?.hasPrefix(Self.callback) == true)
      let taken = try await Self.submit(
        web, page, ["name": "bình", "password": AccountFixture.password])
      #expect(taken.status == 409)
    }
  }

  @Test func anInvitationIsGoodForOneAccount() async throws {
    try await WebFixture.run {
      $0.registration = .invitation
    } _: { web in
      let invited = try await web.accountService.invite()
      let page = try await web.send("GET", "/register?invitation=\(invited.code)&lang=en")
      #expect(page.text.contains(#"value="\#(invited.code)""#))
      let without = try await Self.submit(
        web, page, ["name": "an", "password": AccountFixture.password, "invitation": ""])
      #expect(without.status == 403)
      let reply = try await Self.submit(
        web, page,
        ["name": "an", "password": AccountFixture.password, "invitation": invited.code])
      #expect(reply.status == 201)
      let again = try await Self.submit(
        web, page,
        ["name": "bình", "password": AccountFixture.password, "invitation": invited.code])
      #expect(again.status == 403)
    }
  }

  @Test func repeatedWrongPasswordsAreThrottled() async throws {
    try await WebFixture.run { web in
      _ = try await web.person("an")
      var statuses: [Int] = []
      for _ in 0..<12 {
        let page = try await Self.page(web, "&way=code&lang=en")
        let reply = try await Self.submit(web, page, ["name": "an", "password": "wrong one"])
        statuses.append(reply.status)
        if reply.status == 429 { #expect(reply.header("Retry-After") != nil) }
      }
      #expect(statuses.first == 403)
      #expect(statuses.last == 429)
      web.clock.advance(3_600_000)
      let page = try await Self.page(web, "&way=code&lang=en")
      let reply = try await Self.submit(
        web, page, ["name": "an", "password": AccountFixture.password])
      #expect(reply.status == 200)
    }
  }

  /// The log has the address, for programs that lock guessers out, and nothing that was typed.
  @Test func refusedFormsAreLoggedWithTheAddress() async throws {
    let log = KeptLog()
    try await WebFixture.run {
      $0.registration = .invitation
      $0.logger = Logger(label: "test") { _ in log }
      $0.web.trustedProxies = Set([HostAddress("127.0.0.1")].compactMap(\.self))
    } _: { web in
      _ = try await web.person("an")
      let client = [("X-Forwarded-For", "192.0.2.66, 2001:db8::7")]
      let page = try await Self.page(web, "&way=code")
      let wrong = try await Self.submit(
        web, page, ["name": "typed name", "password": "typed one"], headers: client)
      #expect(wrong.status == 403)
      let registration = try await Self.page(web, path: "/register")
      let refused = try await Self.submit(
        web, registration, ["name": "b", "password": "typed one", "invitation": "typed code"],
        headers: client)
      #expect(refused.status == 403)
      let right = try await Self.submit(
        web, page, ["name": "an", "password": AccountFixture.password], headers: client)
      #expect(right.status == 200)
      let lines = log.lines.filter { $0.contains("sign-in failed") }
      #expect(lines.count == 2)
      #expect(lines.allSatisfy { $0.hasPrefix("warning") && $0.contains("2001:db8::7") })
      #expect(lines.first?.contains("password") == true)
      #expect(lines.last?.contains("invitation") == true)
      #expect(!log.lines.contains { $0.contains("typed") || $0.contains("192.0.2.66") })
    }
  }

  /// The page that follows a form has its language, even if the browser prefers another one.
  @Test(arguments: ["vi", "en"])
  func theAnswerToAFormHasItsLanguage(_ language: String) async throws {
    try await WebFixture.run { web in
      for path in ["/sign-in", "/register"] {
        let page = try await web.send(
          "GET", "\(path)?ckAPIToken=\(web.apiToken)&way=code",
          headers: [("Accept-Language", language)])
        #expect(page.header("Content-Language") == language)
        let other = language == "vi" ? "en" : "vi"
        let reply = try await Self.submit(
          web, page, ["name": "an", "password": "short"], headers: [("Accept-Language", other)])
        #expect(reply.status >= 400)
        #expect(reply.header("Content-Language") == language)
      }
    }
  }

  @Test func pagesLinkToTheOtherLanguage() async throws {
    try await WebFixture.run { web in
      let english = try await Self.page(web, "&way=code&lang=en")
      let link = try #require(english.text.firstMatch(of: #/<a href="([^"]*)" lang="vi"/#)).1
      let vietnamese = try await web.send("GET", String(link).replacing("&amp;", with: "&"))
      #expect(vietnamese.status == 200)
      #expect(vietnamese.header("Content-Language") == "vi")
      #expect(vietnamese.text.contains("lang=en"))
    }
  }
}
