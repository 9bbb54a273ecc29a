import CloudRecords
import TestSupport
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

struct APITokenTests {
  func check(
    _ fixture: AccountFixture, _ secret: String, _ container: ContainerID = AccountFixture.quran,
    _ environment: ContainerEnvironment = .production, origin: String? = nil
  ) async -> ServiceError? {
    await thrownError {
      try await fixture.accountService.check(
        apiToken: secret, container: container, environment: environment, origin: origin)
    } as? ServiceError
  }

  let unknownToken = ServiceError(
    .authenticationFailed, cause: .unknownAPIToken)
  let disallowedOrigin = ServiceError(
    .authenticationFailed, cause: .originNotAllowed)

  @Test(arguments: Place.allCases)
  func aTokenIsMadeListedCheckedAndRevoked(_ place: Place) async throws {
    let fixture = try await AccountFixture(place)
    let terms = try APITokenTerms(
      label: "Quran <b>", container: AccountFixture.quran, environment: .production,
      origins: ["https://Example.org:443"], callbacks: ["https://example.org/back?a=b"])
    let (token, secret) = try await fixture.accountService.createAPIToken(terms)
    #expect(secret.wholeMatch(of: /[0-9a-f]{64}/) != nil)
    #expect(token.terms == terms)
    #expect(token.createdAt == fixture.clock.now)
    let other = try await fixture.app(label: "Other").token
    #expect(try await fixture.accountService.apiTokens() == [token, other])
    #expect(
      try await fixture.accountService.check(
        apiToken: secret, container: AccountFixture.quran, environment: .production,
        origin: "https://example.org") == token)
    #expect(try await fixture.accountService.revoke(apiToken: token.id))
    #expect(try await fixture.accountService.revoke(apiToken: token.id) == false)
    #expect(await check(fixture, secret) == unknownToken)
    #expect(try await fixture.accountService.apiTokens() == [other])
  }

  @Test func invalidTokensAreRefused() async throws {
    let fixture = try await AccountFixture()
    let secret = try await fixture.app().secret
    for wrong in [
      "", "x", String(repeating: "0", count: 64), secret.uppercased(), secret + "0",
      String(secret.dropLast()), secret + "\u{0}", " " + secret,
    ] {
      #expect(await check(fixture, wrong) == unknownToken, "\(wrong)")
    }
    #expect(await check(fixture, secret) == nil)
  }

  @Test func aTokenIsForOneContainer() async throws {
    let fixture = try await AccountFixture()
    let secret = try await fixture.app().secret
    #expect(await check(fixture, secret, AccountFixture.other) == unknownToken)
  }

  @Test func aTokenCanBeLimitedToOneEnvironment() async throws {
    let fixture = try await AccountFixture()
    let both = try await fixture.app().secret
    let development = try await fixture.app(environment: .development).secret
    #expect(await check(fixture, both, AccountFixture.quran, .development) == nil)
    #expect(await check(fixture, both, AccountFixture.quran, .production) == nil)
    #expect(await check(fixture, development, AccountFixture.quran, .development) == nil)
    #expect(await check(fixture, development, AccountFixture.quran, .production) == unknownToken)
  }

  @Test func aTokenCanBeLimitedToOrigins() async throws {
    let fixture = try await AccountFixture()
    let anywhere = try await fixture.app().secret
    #expect(await check(fixture, anywhere, origin: "https://evil.example") == nil)
    let secret = try await fixture.app(
      origins: ["https://example.org", "http://localhost:8080", "http://[::1]:80"]
    ).secret
    for origin in [
      nil, "https://example.org", "https://EXAMPLE.org:443", "http://localhost:8080",
      "http://[::1]",
    ] {
      #expect(await check(fixture, secret, origin: origin) == nil, "\(origin ?? "")")
    }
    for origin in [
      "null", "", "http://example.org", "https://example.org.evil.example",
      "https://example.org:444", "https://sub.example.org", "http://localhost",
      "https://example.org/", "https://evil.example@example.org",
    ] {
      #expect(await check(fixture, secret, origin: origin) == disallowedOrigin, "\(origin)")
    }
  }

  @Test(arguments: [
    "", "example.org", "ftp://example.org", "https://", "https://example.org/path",
    "https://a b", "https://example.org:0", "https://example.org:65536", "https://example.org:",
    "https://user@example.org", "https://[::1", "https://[]", "https://ex;ample", "javascript:x",
    "https://-a", "https://[::1]x", "https://example.org:+1",
  ])
  func unusableOriginsAreRefused(_ origin: String) {
    #expect(throws: APITokenProblem.origin(origin)) {
      try APITokenTerms(label: "a", container: AccountFixture.quran, origins: [origin])
    }
  }

  @Test(arguments: [
    "", "example.org", "http://example.org/", "javascript:alert(1)", "data:text/html,x",
    "app://callback", "https://", "https://user@example.org/", "https://example.org/#part",
    "https://example.org/?ckWebAuthToken=x", "https://example.org\\@evil.example/",
    "https://example.org/a b", "https://example.org/\n", "https://example.org/é",
    "http://localhost.evil.example/", "http://127.0.0.1.evil.example/", "HTTPS://example.org/",
    "https://ex;ample/", "https://example.org/" + String(repeating: "a", count: 2048),
  ])
  func unusableCallbacksAreRefused(_ callback: String) {
    #expect(throws: APITokenProblem.callback(callback)) {
      try APITokenTerms(label: "a", container: AccountFixture.quran, callbacks: [callback])
    }
  }

  @Test(arguments: [
    "https://example.org", "https://example.org:8443/a/b?c=d", "http://localhost:3000/",
    "http://127.0.0.1/", "http://[::1]:5/x", "https://App.Example.org/cb", "http://LocalHost?x",
  ])
  func validCallbacksAreAccepted(_ callback: String) throws {
    let terms = try APITokenTerms(
      label: "a", container: AccountFixture.quran, callbacks: [callback])
    #expect(terms.callbacks == [callback])
  }

  @Test(arguments: ["", "  \n", String(repeating: "a", count: 101)])
  func unusableLabelsAreRefused(_ label: String) {
    #expect(throws: APITokenProblem.label(limit: 100)) {
      try APITokenTerms(label: label, container: AccountFixture.quran)
    }
  }
}
