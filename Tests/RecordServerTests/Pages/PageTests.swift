import CloudRecords
import Crypto
import Foundation
import HTTPTypes
import TestSupport
import Testing
import Text

@testable import RecordServer
@testable import RecordServiceSupport

/// Makes all pages in a language.
struct AllPages {
  var request: SignInRequest
  var registration: RegistrationRequest
  var account: Account
  /// The API token in the URL of the page.
  var apiToken = ""

  /// - Parameter app: the name of the app.
  init(app: String = "Quran", callback: String? = nil, name: String = "an") throws {
    request = SignInRequest(
      app: app, container: AccountFixture.quran, environment: .development,
      delivery: callback.map(TokenDelivery.callback) ?? .code, signedState: "sealed.value",
      apiTokenID: 1)
    registration = RegistrationRequest(signedState: "other.value", signIn: request)
    account = Account(id: 1, name: name, createdAt: 5, seed: [], passwordVersion: 1)
  }

  func signIn(
    _ language: Language, failure: SignInFailure? = nil, name: String = ""
  ) -> Page {
    .signIn(
      request, parameters(language), canRegister: true,
      form: failure.map { _ in SignInHandler.Form(signedState: "", name: name) }, failure: failure)
  }

  func register(
    _ language: Language, failure: RegistrationFailure? = nil, name: String = ""
  ) -> Page {
    .registration(
      registration, parameters(language, invitation: "7H2K"), needsInvitation: true,
      form: failure.map { _ in SignInHandler.Form(signedState: "", name: name) }, failure: failure)
  }

  func parameters(_ language: Language, invitation: String? = nil) -> SignInParameters {
    SignInParameters(
      apiToken: apiToken, callback: nil, wantsCode: false, invitation: invitation,
      language: language, hasLanguageParameter: false)
  }

  static let signInFailures: [SignInFailure] = [
    .unknownApp, .callbackRefused, .requestExpired, .wrongNameOrPassword,
    .tooManyAttempts(retryAfter: 1.2), .busy(retryAfter: 2), .unavailable(.busy),
    .unavailable(.full),
    .unavailable(.failed(.sqlite(code: 1, message: "secret of the log"))),
  ]
  static let registrationFailures: [RegistrationFailure] = [
    .closed, .invitationNeeded, .invitationUnusable, .name(.empty), .name(.tooLong(limit: 64)),
    .name(.unusable), .nameTaken, .password(.tooShort(characters: 10)),
    .password(.tooLong(bytes: 1024)), .requestExpired, .tooManyAttempts(retryAfter: 900),
    .busy(retryAfter: 2), .unavailable(.busy), .unavailable(.full),
    .unavailable(.failed(.sqlite(code: 1, message: "secret of the log"))),
  ]

  func all(_ language: Language) -> [Page] {
    var pages = [
      signIn(language), register(language),
      .code("0123456789abcdef", for: request, language),
      .registered(account, language),
      .failure(SignInFailure.tooManyAttempts(retryAfter: 3), language),
    ]
    for failure in Self.signInFailures {
      pages.append(signIn(language, failure: failure, name: account.name))
      pages.append(.failure(failure, language))
    }
    for failure in Self.registrationFailures {
      pages.append(register(language, failure: failure, name: account.name))
      pages.append(.failure(failure, language))
    }
    return pages
  }
}

struct PageTests {
  @Test(arguments: Language.allCases) func everyPageIsWellFormedAndSaysItsLanguage(
    _ language: Language
  ) throws {
    for page in try AllPages().all(language) {
      let markup = try Markup(page.html)
      #expect(markup.all("html").map { $0.attributes["lang"] } == [language.rawValue])
      #expect(page.header("Content-Language") == language.rawValue)
      #expect(page.header("Content-Type") == "text/html; charset=utf-8")
      #expect(markup.all("meta").contains { $0.attributes["charset"] == "utf-8" })
      #expect(markup.all("h1").count == 1)
      #expect(markup.all("main").count == 1)
      #expect(markup.all("title").map(\.text) == markup.all("h1").map(\.text))
      let ids = markup.elements.compactMap { $0.attributes["id"] }
      #expect(Set(ids).count == ids.count)
    }
  }

  @Test func thePagesOfTheTwoLanguagesDifferInEverySentence() throws {
    let pages = try AllPages()
    for (vietnamese, english) in zip(pages.all(.vietnamese), pages.all(.english)) {
      let lines = [vietnamese, english].map { page in
        Set((try? Markup(page.html).text.split(separator: "\n").map(String.init)) ?? [])
      }
      #expect(!lines[0].isEmpty)
      // A code is the same in both languages.
      #expect(lines[0].intersection(lines[1]).subtracting(["0123456789abcdef"]) == [])
      #expect(vietnamese.status == english.status)
    }
  }

  @Test func pagesLoadNoResourcesAndRunNoScripts() throws {
    for page in try AllPages().all(.english) {
      let markup = try Markup(page.html)
      for element in markup.elements {
        #expect(element.attributes["src"] == nil)
        #expect(element.attributes["style"] == nil)
        #expect(!element.attributes.keys.contains { $0.hasPrefix("on") })
        if let href = element.attributes["href"] { #expect(href.hasPrefix("/")) }
      }
      #expect(!StyleSheet.text.contains("url("))
      #expect(!StyleSheet.text.contains("@import"))
      #expect(!StyleSheet.text.contains("<"))
    }
  }

  @Test func thePolicyAllowsThePagesOwnStyleAndFormOnly() throws {
    let page = try AllPages().signIn(.english)
    let style = try #require(try Markup(page.html).all("style").first)
    let hash = Data(SHA256.hash(data: Data(style.text.utf8))).base64EncodedString()
    #expect(
      page.header("Content-Security-Policy")
        == "default-src 'none'; style-src 'sha256-\(hash)'; form-action 'self'; "
        + "base-uri 'none'; frame-ancestors 'none'")
    let error = Page.failure(SignInFailure.tooManyAttempts(retryAfter: 3), .english)
    #expect(
      error.header("Content-Security-Policy")?.contains("form-action 'none';") == true)
  }

  /// Browsers apply the policy also to the redirect that answers a form.
  @Test(arguments: [
    ("http://127.0.0.1:5000/abc", "'self' http://127.0.0.1:5000;"),
    ("http://127.0.0.1", "'self' http://127.0.0.1;"),
    ("http://127.0.0.1?x=/", "'self' http://127.0.0.1;"),
    ("http://[::1]:5000/abc", "'self' http:;"),
    ("https://example.org/back?x", "'self' https://example.org;"),
  ])
  func thePolicyAllowsTheRedirectToTheCallback(_ callback: String, _ targets: String) throws {
    let pages = try AllPages(callback: callback)
    for page in [pages.signIn(.english), pages.register(.english)] {
      let policy = try #require(page.header("Content-Security-Policy"))
      #expect(policy.contains("; form-action \(targets) base-uri"), "\(policy)")
    }
  }

  @Test func pagesForbidCachingFramingAndReferrers() throws {
    for page in try AllPages().all(.vietnamese) {
      #expect(page.header("Cache-Control") == "no-store")
      #expect(page.header("Referrer-Policy") == "no-referrer")
      #expect(page.header("X-Content-Type-Options") == "nosniff")
      #expect(page.header("X-Frame-Options") == "DENY")
      for header in page.headers {
        #expect(header.value.utf8.allSatisfy { 0x20...0x7E ~= $0 }, "\(header)")
      }
    }
  }

  // MARK: Hostile names

  @Test(arguments: [
    "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onfocus='x", "&lt;b&gt;",
    "</title></style><h1>", "<!--", "]]>", "a\u{0}b", "\u{1B}[31m", "javascript:alert(1)",
    "&#39;&quot;", "<bdi>", "{{7*7}}", "\u{85}\u{9B}x",
  ])
  func hostileNamesAreEscaped(_ name: String) throws {
    let pages = try AllPages(app: name, name: name)
    let plain = try AllPages()
    for (hostile, usual) in zip(pages.all(.english), plain.all(.english)) {
      let markup = try Markup(hostile.html)
      let expected = try Markup(usual.html)
      // The elements and their attributes are the same, except the typed value.
      #expect(markup.elements.map(\.name) == expected.elements.map(\.name))
      for (one, other) in zip(markup.elements, expected.elements) {
        #expect(Set(one.attributes.keys) == Set(other.attributes.keys))
        let isTyped = one.attributes["name"] == FormField.name
        if !isTyped { #expect(one.attributes == other.attributes) }
      }
      #expect(hostile.headers == usual.headers)
      #expect(
        hostile.html.unicodeScalars.allSatisfy {
          $0 == "\n" || $0.properties.generalCategory != .control
        })
    }
    let controls = name.unicodeScalars.contains { $0.properties.generalCategory == .control }
    if !controls {
      let strong = try Markup(pages.signIn(.english).html).all("strong")
      #expect(strong.map(\.text) == [name])
    }
  }

  @Test func bidirectionalControlsAreRemovedFromNames() throws {
    let page = try AllPages(app: "evil\u{202E}txet\u{2066}x").signIn(.english)
    #expect(!page.html.unicodeScalars.contains { $0.value == 0x202E || $0.value == 0x2066 })
    let markup = try Markup(page.html)
    #expect(markup.all("bdi").map(\.text) == ["eviltxetx", AccountFixture.quran.name])
  }

  @Test func theFormKeepsTypedTextExceptThePassword() throws {
    let page = try AllPages().signIn(
      .english, failure: .wrongNameOrPassword, name: "\"an\" & <b>")
    let markup = try Markup(page.html)
    #expect(markup.field(FormField.name)?.attributes["value"] == "\"an\" & <b>")
    #expect(markup.field(FormField.password)?.attributes["value"] == nil)
    #expect(markup.field(FormField.keep)?.attributes["checked"] == nil)
  }

  @Test(arguments: [true, false]) func theRegistrationKeepsTheTypedInvitationAndItsBox(
    _ isKept: Bool
  ) throws {
    let pages = try AllPages()
    let form = SignInHandler.Form(
      signedState: "", password: "secret", keep: isKept ? "on" : nil, invitation: "typed")
    let sent = [
      Page.registration(
        pages.registration, pages.parameters(.english, invitation: "7H2K"), needsInvitation: true,
        form: form, failure: .nameTaken),
      Page.signIn(
        pages.request, pages.parameters(.english), canRegister: true, form: form,
        failure: .wrongNameOrPassword),
    ]
    let registration = try Markup(sent[0].html)
    #expect(registration.field(FormField.invitation)?.attributes["value"] == "typed")
    for page in sent {
      let markup = try Markup(page.html)
      #expect((markup.field(FormField.keep)?.attributes["checked"] != nil) == isKept)
      #expect(!page.html.contains("secret"))
    }
  }

  // MARK: Signing in

  @Test(arguments: [
    (Language.vietnamese, "Đăng nhập", "Ứng dụng đang xin truy cập: Quran"),
    (.english, "Sign in", "App that requests access: Quran"),
  ])
  func signInNamesTheAppAndAsksForNameAndPassword(
    _ language: Language, _ title: String, _ asking: String
  ) throws {
    let markup = try Markup(try AllPages().signIn(language).html)
    #expect(markup.all("h1").map(\.text) == [title])
    #expect(markup.text.contains(asking))
    #expect(markup.text.contains("iCloud.donald.kvietnamisht (development)"))
    let form = try #require(markup.all("form").first)
    #expect(form.attributes == ["method": "post", "action": "/sign-in"])
    #expect(markup.field(FormField.request)?.attributes["value"] == "sealed.value")
    #expect(markup.field(FormField.language)?.attributes["value"] == language.rawValue)
    #expect(markup.field(FormField.password)?.attributes["type"] == "password")
    #expect(
      markup.field(FormField.password)?.attributes["autocomplete"] == "current-password")
    #expect(markup.field(FormField.keep)?.attributes["type"] == "checkbox")
    #expect(markup.field(FormField.keep)?.attributes["checked"] == nil)
  }

  @Test(
    arguments: [
      (nil, "you get a code to copy"),
      ("http://127.0.0.1:5000/secretpath", "the program on this computer (127.0.0.1:5000)."),
      ("http://[::1]:5000/secretpath", "the program on this computer ([::1]:5000)."),
      ("https://example.org/back", "the browser is sent to example.org."),
    ] as [(String?, String)])
  func signInSaysWhereTheTokenIsSent(_ callback: String?, _ sentence: String) throws {
    let markup = try Markup(try AllPages(callback: callback).signIn(.english).html)
    #expect(markup.text.contains(sentence))
    #expect(!markup.text.contains("secretpath"))
  }

  @Test(arguments: Language.allCases) func everyFieldHasALabelAndItsDescription(
    _ language: Language
  ) throws {
    for page in try AllPages().all(language) {
      let markup = try Markup(page.html)
      let ids = Set(markup.elements.compactMap { $0.attributes["id"] })
      let labels = Dictionary(
        grouping: markup.all("label"), by: { $0.attributes["for"] ?? "" })
      for input in markup.all("input") where input.attributes["type"] != "hidden" {
        let id = try #require(input.attributes["id"])
        #expect(labels[id]?.count == 1)
        #expect(labels[id]?.first?.text.isEmpty == false)
        let described = input.attributes["aria-describedby"]?.split(separator: " ") ?? []
        for other in described { #expect(ids.contains(String(other))) }
      }
      for form in markup.all("form") {
        #expect(form.attributes["method"] == "post")
        #expect(markup.all("button").count == 1)
      }
    }
  }

  @Test func aFailureIsAnAlertAndMarksItsFields() throws {
    let markup = try Markup(
      try AllPages().signIn(.english, failure: .wrongNameOrPassword).html)
    let alert = try #require(markup.elements.first { $0.attributes["role"] == "alert" })
    #expect(alert.text == "The account name or the password is wrong.")
    #expect(markup.field(FormField.name)?.attributes["aria-invalid"] == "true")
    let register = try Markup(try AllPages().register(.english, failure: .nameTaken).html)
    #expect(register.field(FormField.name)?.attributes["aria-invalid"] == "true")
    #expect(
      register.field(FormField.name)?.attributes["aria-describedby"] == "name-hint failure")
    #expect(register.field(FormField.password)?.attributes["aria-invalid"] == nil)
    let fine = try Markup(try AllPages().signIn(.english).html)
    #expect(!fine.elements.contains { $0.attributes["role"] == "alert" })
  }

  // MARK: The other pages

  @Test func registrationAsksForAnInvitationWhereOneIsNeeded() throws {
    let pages = try AllPages()
    let markup = try Markup(pages.register(.vietnamese).html)
    #expect(markup.field(FormField.invitation)?.attributes["value"] == "7H2K")
    #expect(markup.field(FormField.password)?.attributes["autocomplete"] == "new-password")
    #expect(markup.field(FormField.request)?.attributes["value"] == "other.value")
    #expect(markup.field(FormField.keep) != nil)
    #expect(markup.text.contains("Ứng dụng đang xin truy cập: Quran"))

    let alone = Page.registration(
      RegistrationRequest(signedState: "a.b", signIn: nil), pages.parameters(.english),
      needsInvitation: false)
    let open = try Markup(alone.html)
    #expect(open.field(FormField.invitation) == nil)
    #expect(open.field(FormField.keep) == nil)
    #expect(!open.text.contains("App that requests access"))
  }

  @Test func theCodeIsTheWholeTextOfItsElement() throws {
    let code = String(repeating: "0123456789abcdef", count: 8)
    let page = Page.code(code, for: try AllPages().request, .english)
    #expect(try Markup(page.html).all("code").map(\.text) == [code])
    #expect(page.html.contains(">\(code)<"))
  }

  @Test func linksLeadToTheOtherLanguageAndToRegistration() throws {
    var pages = try AllPages()
    pages.apiToken = "b"
    let markup = try Markup(pages.signIn(.english).html)
    let links = markup.all("a").map { [$0.attributes["href"], $0.attributes["lang"], $0.text] }
    #expect(
      links == [
        ["/register?ckAPIToken=b", nil, "No account yet? Register"],
        ["/sign-in?ckAPIToken=b&lang=vi", "vi", "Tiếng Việt"],
      ])
    var parameters = pages.parameters(.english)
    parameters.hasLanguageParameter = true
    let chosen = try Markup(Page.signIn(pages.request, parameters, canRegister: true).html)
    #expect(chosen.all("a").first?.attributes["href"] == "/register?ckAPIToken=b&lang=en")
  }

  @Test func failuresHaveTheirStatusAndRevealNoLogDetails() throws {
    #expect(
      AllPages.signInFailures.map(\.status) == [400, 400, 400, 403, 429, 503, 503, 503, 500])
    #expect(
      AllPages.registrationFailures.map(\.status) == [
        403, 403, 403, 400, 400, 400, 409, 400, 400, 400, 429, 503, 503, 503, 500,
      ])
    let pages = try AllPages()
    #expect(
      pages.signIn(.english, failure: .tooManyAttempts(retryAfter: 1.2)).header("Retry-After")
        == "2")
    #expect(pages.signIn(.english).header("Retry-After") == nil)
    #expect(
      Page.failure(SignInFailure.tooManyAttempts(retryAfter: 0.001), .english)
        .header("Retry-After") == "1")
    for language in Language.allCases {
      for page in pages.all(language) { #expect(!page.html.contains("secret of the log")) }
    }
  }

  @Test(arguments: [
    (0.4, "1 giây", "1 second"), (61, "61 giây", "61 seconds"), (121, "3 phút", "3 minutes"),
    (900, "15 phút", "15 minutes"),
  ])
  func waitsAreWrittenInSecondsOrMinutes(_ wait: Double, _ vietnamese: String, _ english: String)
    throws
  {
    let failure = SignInFailure.tooManyAttempts(retryAfter: wait)
    #expect(PageMessages(.vietnamese).sentence(failure).contains("đợi \(vietnamese) rồi"))
    #expect(PageMessages(.english).sentence(failure).contains("wait \(english) and"))
  }
}

struct NegotiationTests {
  @Test(
    arguments: [
      (nil, nil, Language.vietnamese), ("en", nil, .english), ("EN", "vi", .english),
      ("vi", "en", .vietnamese), ("fr", "en", .english), ("", "en", .english),
      (nil, "", .vietnamese), (nil, "en", .english), (nil, "en-GB,en;q=0.9", .english),
      (nil, "vi-VN,vi;q=0.9,en;q=0.8", .vietnamese),
      (nil, "fr-FR, en;q=0.3, vi;q=0.7", .vietnamese),
      (nil, "en;q=0.3,vi;q=0.3", .english), (nil, "fr", .english), (nil, "*", .vietnamese),
      (nil, "vi;q=0, *;q=0.1", .english), (nil, "vi;q=0,en;q=0.1", .english),
      (nil, "*, en;q=0.5", .vietnamese), (nil, "en;q=nonsense", .vietnamese),
      (nil, ";;;,,,q=", .english),
      (nil, "EN-us ; Q=0.5", .english),
    ] as [(String?, String?, Language)])
  func theLanguageFollowsParameterAndHeader(
    _ lang: String?, _ header: String?, _ language: Language
  ) {
    #expect(Language(lang: lang, acceptLanguage: header) == language)
  }

  @Test func aVeryLongHeaderIsAccepted() {
    let header = String(repeating: "fr;q=0.1,", count: 100_000) + "vi"
    #expect(Language(lang: nil, acceptLanguage: header) == .english)
  }
}
