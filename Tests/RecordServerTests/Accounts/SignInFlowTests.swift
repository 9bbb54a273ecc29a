import CloudRecords
import Foundation
import TestSupport
import Testing

@testable import RecordServer

struct SignInFlowTests {
  func begin(
    _ town: Town, _ secret: String, _ delivery: RequestedDelivery
  ) async -> SignInFailure? {
    await refusal {
      try await town.accountService.beginSignIn(apiToken: secret, delivery: delivery)
    } as? SignInFailure
  }

  @Test func aSignInNamesTheAppAndComesBackThroughItsForm() async throws {
    let town = try Town()
    let app = try await town.app(label: "Đọc Kinh", environment: .development)
    let request = try await town.accountService.beginSignIn(apiToken: app.secret, delivery: .code)
    #expect(request.app == "Đọc Kinh")
    #expect(request.container == Town.quran)
    #expect(request.environment == .development)
    #expect(request.delivery == .code)
    #expect(request.expiresAt == town.clock.now + 20 * 60_000)
    #expect(
      try await town.accountService.signInRequest(signedState: request.signedState) == request)
    #expect(!request.signedState.contains(app.secret))
  }

  @Test func withoutAnAppThereIsNoSignIn() async throws {
    let town = try Town()
    for secret in ["", "x", String(repeating: "0", count: 64)] {
      #expect(await begin(town, secret, .default) == .unknownApp)
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
    let request = try await town.accountService.beginSignIn(
      apiToken: app.secret, delivery: .callback(callback))
    #expect(request.delivery == .callback(callback))
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
      try await town.accountService.beginSignIn(apiToken: without.secret, delivery: .default)
        .delivery
        == .code)
    #expect(
      try await town.accountService.beginSignIn(apiToken: with.secret, delivery: .default).delivery
        == .callback("https://a.example/"))
    #expect(
      try await town.accountService.beginSignIn(apiToken: with.secret, delivery: .code).delivery
        == .code)
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
    let request = try await town.accountService.beginSignIn(
      apiToken: app.secret, delivery: .callback(callback))
    let outcome = try await town.accountService.completeSignIn(request, as: an, for: .short)
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
    let request = try await town.accountService.beginSignIn(apiToken: app.secret, delivery: .code)
    town.clock.advance(20 * 60_000 - 1)
    _ = try await town.accountService.signInRequest(signedState: request.signedState)
    town.clock.advance(1)
    let error = await refusal {
      try await town.accountService.signInRequest(signedState: request.signedState)
    }
    #expect(error as? SignInFailure == .requestExpired)
  }

  @Test func aFormFromElsewhereIsRefused() async throws {
    let town = try Town()
    let app = try await town.app()
    let signedState = try await town.accountService.beginSignIn(
      apiToken: app.secret, delivery: .code
    ).signedState
    let stranger = town.another(key: ServerKey(bytes: Array(1..<33)))
    let foreign = try await stranger.beginSignIn(apiToken: app.secret, delivery: .code).signedState
    let parts = signedState.split(separator: ".").map(String.init)
    let content = Data(#"{"apiTokenID":1,"expiresAt":9999999999999}"#.utf8).base64EncodedString()
    for wrong in [
      "", ".", "..", signedState + "A", String(signedState.dropLast(2)), parts[0], parts[0] + ".",
      "." + parts[1], signedState + "." + parts[1], foreign, parts[1] + "." + parts[0],
      content + "." + parts[1], signedState + "=", signedState.uppercased(),
      String(repeating: "A", count: 1_000_000) + "." + parts[1],
    ] {
      let error = await refusal { try await town.accountService.signInRequest(signedState: wrong) }
      #expect(error as? SignInFailure == .requestExpired, "\(wrong.prefix(200))")
    }
    // Any character that is another.
    for index in signedState.indices where signedState[index] != "." {
      var changed = signedState
      changed.replaceSubrange(index...index, with: signedState[index] == "A" ? "B" : "A")
      // The last character of base 64 may have bits that say nothing.
      let isLast =
        signedState.index(after: index) == signedState.endIndex
        || signedState[signedState.index(after: index)] == "."
      if isLast { continue }
      let error = await refusal {
        try await town.accountService.signInRequest(signedState: changed)
      }
      #expect(error as? SignInFailure == .requestExpired, "\(changed)")
    }
  }

  @Test func aFormIsForItsOwnPurposeOnly() async throws {
    let town = try Town()
    let app = try await town.app()
    let signIn = try await town.accountService.beginSignIn(apiToken: app.secret, delivery: .code)
    let registration = try town.accountService.registrationRequest()
    let asSignIn = await refusal {
      try await town.accountService.signInRequest(signedState: registration.signedState)
    }
    #expect(asSignIn as? SignInFailure == .requestExpired)
    let asRegistration = await refusal {
      try await town.accountService.registrationRequest(signedState: signIn.signedState)
    }
    #expect(asRegistration as? RegistrationFailure == .requestExpired)
  }

  @Test func anAppThatWasRevokedMeanwhileGetsNobody() async throws {
    let town = try Town()
    let an = try await town.account()
    let app = try await town.app()
    let request = try await town.accountService.beginSignIn(apiToken: app.secret, delivery: .code)
    #expect(try await town.accountService.revoke(apiToken: app.token.id))
    let form = await refusal {
      try await town.accountService.signInRequest(signedState: request.signedState)
    }
    #expect(form as? SignInFailure == .unknownApp)
    let completion = await refusal {
      try await town.accountService.completeSignIn(request, as: an, for: .long)
    }
    #expect(completion as? SignInFailure == .unknownApp)
  }

  @Test func registrationGoesOnWithTheSignIn() async throws {
    let town = try Town()
    let app = try await town.app()
    let signIn = try await town.accountService.beginSignIn(apiToken: app.secret, delivery: .code)
    let request = try town.accountService.registrationRequest(signIn: signIn)
    let found = try await town.accountService.registrationRequest(signedState: request.signedState)
    #expect(found == request)
    let an = try await town.accountService.register(
      name: "an", password: Town.password, invitation: nil, address: Town.home)
    let continued = try #require(found.signIn)
    guard
      case .code(let token) = try await town.accountService.completeSignIn(
        continued, as: an, for: .long)
    else { throw Town.Unexpected() }
    #expect(try await town.authenticate(token).account == an)
    // Without the app the account can be made all the same.
    #expect(try await town.accountService.revoke(apiToken: app.token.id))
    #expect(
      try await town.accountService.registrationRequest(signedState: request.signedState).signIn
        == nil)
    town.clock.advance(20 * 60_000)
    let late = await refusal {
      try await town.accountService.registrationRequest(signedState: request.signedState)
    }
    #expect(late as? RegistrationFailure == .requestExpired)
  }
}
