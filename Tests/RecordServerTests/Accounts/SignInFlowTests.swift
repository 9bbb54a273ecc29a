import CloudRecords
import Foundation
import TestSupport
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

struct SignInFlowTests {
  func begin(
    _ fixture: AccountFixture, _ secret: String, _ delivery: TokenDelivery?
  ) async -> SignInFailure? {
    await thrownError {
      try await fixture.accountService.beginSignIn(apiToken: secret, delivery: delivery)
    } as? SignInFailure
  }

  @Test func aSignInRequestIsReadFromItsSignedState() async throws {
    let fixture = try await AccountFixture()
    let app = try await fixture.app(label: "Đọc Kinh", environment: .development)
    let request = try await fixture.accountService.beginSignIn(
      apiToken: app.secret, delivery: .code)
    #expect(request.app == "Đọc Kinh")
    #expect(request.container == AccountFixture.quran)
    #expect(request.environment == .development)
    #expect(request.delivery == .code)
    #expect(
      try await fixture.accountService.signInRequest(signedState: request.signedState) == request)
    #expect(!request.signedState.contains(app.secret))
  }

  @Test func signInWithAnUnknownAppIsRefused() async throws {
    let fixture = try await AccountFixture()
    for secret in ["", "x", String(repeating: "0", count: 64)] {
      #expect(await begin(fixture, secret, nil) == .unknownApp)
    }
  }

  // MARK: Callbacks

  @Test(arguments: [
    "http://127.0.0.1", "http://127.0.0.1/", "http://127.0.0.1:1/", "http://127.0.0.1:65535/a/b",
    "http://127.0.0.1:8080/0123456789abcdef?x=y", "http://[::1]:8080/x", "http://[::1]",
    "http://127.0.0.1?x",
  ])
  func loopbackCallbacksNeedNoRegistration(_ callback: String) async throws {
    let fixture = try await AccountFixture()
    let app = try await fixture.app()
    let request = try await fixture.accountService.beginSignIn(
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
  func otherCallbacksMustBeRegisteredExactly(_ callback: String) async throws {
    let fixture = try await AccountFixture()
    let app = try await fixture.app(callbacks: ["https://example.org/back"])
    #expect(await begin(fixture, app.secret, .callback(callback)) == .callbackRefused)
    #expect(await begin(fixture, app.secret, .callback("https://example.org/back")) == nil)
  }

  @Test func theHostOfARegisteredCallbackHasAnyCase() async throws {
    let fixture = try await AccountFixture()
    let app = try await fixture.app(callbacks: ["https://App.Example.org/Kept?x=Y"])
    for callback in ["https://App.Example.org/Kept?x=Y", "https://app.EXAMPLE.org/Kept?x=Y"] {
      let request = try await fixture.accountService.beginSignIn(
        apiToken: app.secret, delivery: .callback(callback))
      #expect(request.delivery == .callback(callback))
    }
    for callback in [
      "https://app.example.org/kept?x=Y", "https://app.example.org/Kept?x=y",
      "HTTPS://app.example.org/Kept?x=Y", "https://app.example.org/\u{212A}ept?x=Y",
    ] {
      #expect(
        await begin(fixture, app.secret, .callback(callback)) == .callbackRefused, "\(callback)")
    }
  }

  @Test func anAppHasOnlyItsOwnCallbacks() async throws {
    let fixture = try await AccountFixture()
    _ = try await fixture.app(callbacks: ["https://example.org/back"])
    let other = try await fixture.app()
    #expect(
      await begin(fixture, other.secret, .callback("https://example.org/back")) == .callbackRefused)
  }

  @Test func theDefaultDeliveryIsTheFirstCallbackOrACode() async throws {
    let fixture = try await AccountFixture()
    let without = try await fixture.app()
    let with = try await fixture.app(callbacks: ["https://a.example/", "https://b.example/"])
    #expect(
      try await fixture.accountService.beginSignIn(apiToken: without.secret, delivery: nil)
        .delivery
        == .code)
    #expect(
      try await fixture.accountService.beginSignIn(apiToken: with.secret, delivery: nil)
        .delivery
        == .callback("https://a.example/"))
    #expect(
      try await fixture.accountService.beginSignIn(apiToken: with.secret, delivery: .code).delivery
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
    let fixture = try await AccountFixture()
    let an = try await fixture.account()
    let app = try await fixture.app(callbacks: ["https://example.org/back"])
    let request = try await fixture.accountService.beginSignIn(
      apiToken: app.secret, delivery: .callback(callback))
    let outcome = try await fixture.accountService.completeSignIn(request, as: an, for: .short)
    guard case .redirect(let url) = outcome else { throw AccountFixture.Unexpected() }
    #expect(url.hasPrefix(start))
    let token = String(url.dropFirst(start.count))
    #expect(token.wholeMatch(of: /[A-Za-z0-9_]{128,}/) != nil)
    #expect(try await fixture.authenticate(token).account == an)
  }

  @Test func tokensArePercentEncoded() {
    #expect(
      Callback.url("http://127.0.0.1/", token: "1__a+/=&?#é ")
        == "http://127.0.0.1/?ckWebAuthToken=1__a%2B%2F%3D%26%3F%23%C3%A9%20")
  }

  @Test func theCodeIsTheWebAuthToken() async throws {
    let fixture = try await AccountFixture()
    let an = try await fixture.account()
    let app = try await fixture.app()
    let code = try await fixture.signIn(an, app: app.secret)
    #expect(try await fixture.authenticate(code).account == an)
  }

  // MARK: Forms

  @Test func aFormIsGoodForTwentyMinutes() async throws {
    let fixture = try await AccountFixture()
    let app = try await fixture.app()
    let request = try await fixture.accountService.beginSignIn(
      apiToken: app.secret, delivery: .code)
    fixture.clock.advance(20 * 60_000 - 1)
    _ = try await fixture.accountService.signInRequest(signedState: request.signedState)
    fixture.clock.advance(1)
    let error = await thrownError {
      try await fixture.accountService.signInRequest(signedState: request.signedState)
    }
    #expect(error as? SignInFailure == .requestExpired)
  }

  @Test func aForgedOrChangedSignedStateIsRefused() async throws {
    let fixture = try await AccountFixture()
    let app = try await fixture.app()
    let signedState = try await fixture.accountService.beginSignIn(
      apiToken: app.secret, delivery: .code
    ).signedState
    let otherServer = fixture.another(key: ServerKey(bytes: Array(1..<33)))
    let foreign = try await otherServer.beginSignIn(apiToken: app.secret, delivery: .code)
      .signedState
    let parts = signedState.split(separator: ".").map(String.init)
    let content = Data(#"{"apiTokenID":1,"expiresAt":9999999999999}"#.utf8).base64EncodedString()
    for wrong in [
      "", ".", "..", signedState + "A", String(signedState.dropLast(2)), parts[0], parts[0] + ".",
      "." + parts[1], signedState + "." + parts[1], foreign, parts[1] + "." + parts[0],
      content + "." + parts[1], signedState + "=", signedState.uppercased(),
      String(repeating: "A", count: 1_000_000) + "." + parts[1],
    ] {
      let error = await thrownError {
        try await fixture.accountService.signInRequest(signedState: wrong)
      }
      #expect(error as? SignInFailure == .requestExpired, "\(wrong.prefix(200))")
    }
    // Each character is changed once.
    for index in signedState.indices where signedState[index] != "." {
      var changed = signedState
      changed.replaceSubrange(index...index, with: signedState[index] == "A" ? "B" : "A")
      // The last character of base 64 may have unused bits.
      let isLast =
        signedState.index(after: index) == signedState.endIndex
        || signedState[signedState.index(after: index)] == "."
      if isLast { continue }
      let error = await thrownError {
        try await fixture.accountService.signInRequest(signedState: changed)
      }
      #expect(error as? SignInFailure == .requestExpired, "\(changed)")
    }
  }

  @Test func signedStateOfAnotherFormIsRefused() async throws {
    let fixture = try await AccountFixture()
    let app = try await fixture.app()
    let signIn = try await fixture.accountService.beginSignIn(apiToken: app.secret, delivery: .code)
    let registration = try fixture.accountService.registrationRequest()
    let asSignIn = await thrownError {
      try await fixture.accountService.signInRequest(signedState: registration.signedState)
    }
    #expect(asSignIn as? SignInFailure == .requestExpired)
    let asRegistration = await thrownError {
      try await fixture.accountService.registrationRequest(signedState: signIn.signedState)
    }
    #expect(asRegistration as? RegistrationFailure == .requestExpired)
  }

  @Test func aRevokedAppCannotCompleteASignIn() async throws {
    let fixture = try await AccountFixture()
    let an = try await fixture.account()
    let app = try await fixture.app()
    let request = try await fixture.accountService.beginSignIn(
      apiToken: app.secret, delivery: .code)
    #expect(try await fixture.accountService.revoke(apiToken: app.token.id))
    let form = await thrownError {
      try await fixture.accountService.signInRequest(signedState: request.signedState)
    }
    #expect(form as? SignInFailure == .unknownApp)
    let completion = await thrownError {
      try await fixture.accountService.completeSignIn(request, as: an, for: .long)
    }
    #expect(completion as? SignInFailure == .unknownApp)
  }

  @Test func registrationContinuesTheSignIn() async throws {
    let fixture = try await AccountFixture()
    let app = try await fixture.app()
    let signIn = try await fixture.accountService.beginSignIn(apiToken: app.secret, delivery: .code)
    let request = try fixture.accountService.registrationRequest(signIn: signIn)
    let found = try await fixture.accountService.registrationRequest(
      signedState: request.signedState)
    #expect(found == request)
    let an = try await fixture.accountService.register(
      name: "an", password: AccountFixture.password, invitation: nil,
      address: AccountFixture.clientAddress)
    let continued = try #require(found.signIn)
    guard
      case .code(let token) = try await fixture.accountService.completeSignIn(
        continued, as: an, for: .long)
    else { throw AccountFixture.Unexpected() }
    #expect(try await fixture.authenticate(token).account == an)
    // An account can be registered even if the app was revoked in the meantime.
    #expect(try await fixture.accountService.revoke(apiToken: app.token.id))
    #expect(
      try await fixture.accountService.registrationRequest(signedState: request.signedState).signIn
        == nil)
    fixture.clock.advance(20 * 60_000)
    let late = await thrownError {
      try await fixture.accountService.registrationRequest(signedState: request.signedState)
    }
    #expect(late as? RegistrationFailure == .requestExpired)
  }
}
