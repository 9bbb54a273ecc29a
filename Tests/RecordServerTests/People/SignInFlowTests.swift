import CloudRecords
import Foundation
import TestSupport
import Testing

@testable import RecordServer

struct SignInFlowTests {
  func begin(
    _ town: Town, _ secret: String, _ returning: SignInReturn
  ) async -> SignInFailure? {
    await refusal {
      try await town.people.begin(apiToken: secret, returning: returning)
    } as? SignInFailure
  }

  @Test func aSignInNamesTheAppAndComesBackThroughItsForm() async throws {
    let town = try Town()
    let app = try await town.app(label: "Đọc Kinh", environment: .development)
    let request = try await town.people.begin(apiToken: app.secret, returning: .code)
    #expect(request.app == "Đọc Kinh")
    #expect(request.container == Town.quran)
    #expect(request.environment == .development)
    #expect(request.way == .code)
    #expect(request.expiresAt == town.clock.now + 20 * 60_000)
    #expect(try await town.people.signInRequest(sealed: request.sealed) == request)
    #expect(!request.sealed.contains(app.secret))
  }

  @Test func withoutAnAppThereIsNoSignIn() async throws {
    let town = try Town()
    for secret in ["", "x", String(repeating: "0", count: 64)] {
      #expect(await begin(town, secret, .usual) == .unknownApp)
    }
  }

  // MARK: Callbacks

  @Test(arguments: [
    "http://127.0.0.1", "http://127.0.0.1/", "http://127.0.0.1:1/", "http://127.0.0.1:65535/a/b",
    "http://127.0.0.1:8080/0123456789abcdef?x=y", "http://[::1]:8080/x", "http://[::1]",
    "http://127.0.0.1?x",
  ])
  func thisVeryMachineNeedsNoRegistration(_ callback: String) async throws {
    let town = try Town()
    let app = try await town.app()
    let request = try await town.people.begin(
      apiToken: app.secret, returning: .callback(callback))
    #expect(request.way == .callback(callback))
  }

  @Test(arguments: [
    "", "https://evil.example/", "http://localhost:8080/", "https://127.0.0.1/",
    "http://127.0.0.1@evil.example/", "http://127.0.0.1:80@evil.example/",
    "http://127.0.0.1.evil.example/", "http://127.0.0.1:8080.evil.example/",
    "http://127.0.0.1\\@evil.example/", "http://127.0.0.1\\.evil.example/",
    "http://127.0.0.1:\\evil.example/", "http://127.0.0.1#@evil.example/",
    "http://127.0.0.1:0/", "http://127.0.0.1:65536/", "http://127.0.0.1:/", "http://127.0.0.2/",
    "http://127.1/", "http://2130706433/", "http://0x7f000001/", "http://[::ffff:127.0.0.1]/",
    "http://[::1]evil.example/", "http://[::1", "http://[::]/", "//127.0.0.1/", "127.0.0.1",
    "HTTP://127.0.0.1/", "http://127.0.0.1/\r\nSet-Cookie: a=b", "http://127.0.0.1/ x",
    "http://127.0.0.1/\u{0}", "javascript:alert(1)//http://127.0.0.1/", " http://127.0.0.1/",
    "http://127.0.0.1/#x", "http://127.0.0.1/?ckWebAuthToken=mine",
    "https://example.org/back/", "https://example.org/back?x", "https://example.org/Back",
    "https://example.org/bac", "HTTPS://example.org/back",
  ])
  func allElseIsRefusedUnlessItIsRegisteredExactly(_ callback: String) async throws {
    let town = try Town()
    let app = try await town.app(callbacks: ["https://example.org/back"])
    #expect(await begin(town, app.secret, .callback(callback)) == .callbackRefused)
    #expect(await begin(town, app.secret, .callback("https://example.org/back")) == nil)
  }

  @Test func anAppHasOnlyItsOwnCallbacks() async throws {
    let town = try Town()
    _ = try await town.app(callbacks: ["https://example.org/back"])
    let other = try await town.app()
    #expect(
      await begin(town, other.secret, .callback("https://example.org/back")) == .callbackRefused)
  }

  @Test func theUsualWayIsTheFirstCallbackOrACode() async throws {
    let town = try Town()
    let without = try await town.app()
    let with = try await town.app(callbacks: ["https://a.example/", "https://b.example/"])
    #expect(
      try await town.people.begin(apiToken: without.secret, returning: .usual).way
        == .code)
    #expect(
      try await town.people.begin(apiToken: with.secret, returning: .usual).way
        == .callback("https://a.example/"))
    #expect(
      try await town.people.begin(apiToken: with.secret, returning: .code).way == .code)
  }

  // MARK: Completing

  @Test(arguments: [
    ("http://127.0.0.1:5000/abc", "http://127.0.0.1:5000/abc?ckWebAuthToken="),
    ("http://127.0.0.1:5000", "http://127.0.0.1:5000?ckWebAuthToken="),
    ("http://[::1]:5000/abc?x=y", "http://[::1]:5000/abc?x=y&ckWebAuthToken="),
    ("https://example.org/back", "https://example.org/back?ckWebAuthToken="),
  ])
  func theBrowserIsSentBackWithTheToken(_ callback: String, _ start: String) async throws {
    let town = try Town()
    let an = try await town.account()
    let app = try await town.app(callbacks: ["https://example.org/back"])
    let request = try await town.people.begin(
      apiToken: app.secret, returning: .callback(callback))
    let outcome = try await town.people.complete(request, as: an, for: .short)
    guard case .redirect(let url) = outcome else { throw Town.Unexpected() }
    #expect(url.hasPrefix(start))
    let token = String(url.dropFirst(start.count))
    #expect(token.wholeMatch(of: /[A-Za-z0-9_]{128,}/) != nil)
    #expect(try await town.authenticate(token).account == an)
  }

  @Test func tokensArePercentEncoded() {
    #expect(
      Callback.url("http://127.0.0.1/", token: "1__a+/=&?#é ")
        == "http://127.0.0.1/?ckWebAuthToken=1__a%2B%2F%3D%26%3F%23%C3%A9%20")
  }

  @Test func aCodeIsTheToken() async throws {
    let town = try Town()
    let an = try await town.account()
    let app = try await town.app()
    let code = try await town.signIn(an, app: app.secret)
    #expect(try await town.authenticate(code).account == an)
  }

  // MARK: Forms

  @Test func aFormIsGoodForTwentyMinutes() async throws {
    let town = try Town()
    let app = try await town.app()
    let request = try await town.people.begin(apiToken: app.secret, returning: .code)
    town.clock.advance(20 * 60_000 - 1)
    _ = try await town.people.signInRequest(sealed: request.sealed)
    town.clock.advance(1)
    let error = await refusal { try await town.people.signInRequest(sealed: request.sealed) }
    #expect(error as? SignInFailure == .requestExpired)
  }

  @Test func aFormFromElsewhereIsRefused() async throws {
    let town = try Town()
    let app = try await town.app()
    let sealed = try await town.people.begin(apiToken: app.secret, returning: .code).sealed
    let stranger = town.another(key: ServerKey(bytes: Array(1..<33)))
    let foreign = try await stranger.begin(apiToken: app.secret, returning: .code).sealed
    let parts = sealed.split(separator: ".").map(String.init)
    let content = Data(#"{"apiTokenID":1,"expiresAt":9999999999999}"#.utf8).base64EncodedString()
    for wrong in [
      "", ".", "..", sealed + "A", String(sealed.dropLast(2)), parts[0], parts[0] + ".",
      "." + parts[1], sealed + "." + parts[1], foreign, parts[1] + "." + parts[0],
      content + "." + parts[1], sealed + "=", sealed.uppercased(),
      String(repeating: "A", count: 1_000_000) + "." + parts[1],
    ] {
      let error = await refusal { try await town.people.signInRequest(sealed: wrong) }
      #expect(error as? SignInFailure == .requestExpired, "\(wrong.prefix(200))")
    }
    // Any character that is another.
    for index in sealed.indices where sealed[index] != "." {
      var changed = sealed
      changed.replaceSubrange(index...index, with: sealed[index] == "A" ? "B" : "A")
      // The last character of base 64 may have bits that say nothing.
      let isLast =
        sealed.index(after: index) == sealed.endIndex
        || sealed[sealed.index(after: index)] == "."
      if isLast { continue }
      let error = await refusal { try await town.people.signInRequest(sealed: changed) }
      #expect(error as? SignInFailure == .requestExpired, "\(changed)")
    }
  }

  @Test func aFormIsForItsOwnPurposeOnly() async throws {
    let town = try Town()
    let app = try await town.app()
    let signIn = try await town.people.begin(apiToken: app.secret, returning: .code)
    let registration = try town.people.registrationRequest()
    let asSignIn = await refusal {
      try await town.people.signInRequest(sealed: registration.sealed)
    }
    #expect(asSignIn as? SignInFailure == .requestExpired)
    let asRegistration = await refusal {
      try await town.people.registrationRequest(sealed: signIn.sealed)
    }
    #expect(asRegistration as? RegistrationFailure == .requestExpired)
  }

  @Test func anAppThatWasRevokedMeanwhileGetsNobody() async throws {
    let town = try Town()
    let an = try await town.account()
    let app = try await town.app()
    let request = try await town.people.begin(apiToken: app.secret, returning: .code)
    #expect(try await town.people.revoke(apiToken: app.token.id))
    let form = await refusal { try await town.people.signInRequest(sealed: request.sealed) }
    #expect(form as? SignInFailure == .unknownApp)
    let completion = await refusal {
      try await town.people.complete(request, as: an, for: .long)
    }
    #expect(completion as? SignInFailure == .unknownApp)
  }

  @Test func registrationGoesOnWithTheSignIn() async throws {
    let town = try Town()
    let app = try await town.app()
    let signIn = try await town.people.begin(apiToken: app.secret, returning: .code)
    let request = try town.people.registrationRequest(signIn: signIn)
    let found = try await town.people.registrationRequest(sealed: request.sealed)
    #expect(found == request)
    let an = try await town.people.register(
      name: "an", password: Town.password, invitation: nil, address: Town.home)
    let continued = try #require(found.signIn)
    guard case .code(let token) = try await town.people.complete(continued, as: an, for: .long)
    else { throw Town.Unexpected() }
    #expect(try await town.authenticate(token).account == an)
    // Without the app the account can be made all the same.
    #expect(try await town.people.revoke(apiToken: app.token.id))
    #expect(try await town.people.registrationRequest(sealed: request.sealed).signIn == nil)
    town.clock.advance(20 * 60_000)
    let late = await refusal {
      try await town.people.registrationRequest(sealed: request.sealed)
    }
    #expect(late as? RegistrationFailure == .requestExpired)
  }
}
