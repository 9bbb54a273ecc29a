import HTTPTypes
import Text

/// An HTML page with its status and headers. It needs no scripts and loads nothing from other URLs.
struct Page: Hashable, Sendable {
  /// The HTTP status.
  let status: Int
  /// The HTML document.
  let html: String
  /// All headers of the response. They include the security headers, which must not be replaced.
  let headers: HTTPFields

  /// Creates a page from its title, which is also its heading, and its content.
  ///
  /// - Parameters:
  ///   - formTargets: the sources of the `form-action` directive of the Content-Security-Policy;
  ///     empty if the page has no form.
  ///   - retryAfter: the value of the `Retry-After` header in seconds.
  ///   - otherLanguage: the URL of the same page in the other language.
  init(
    status: Int = 200, messages: PageMessages, title: String, formTargets: [String] = [],
    retryAfter: Double? = nil, otherLanguage: String? = nil, _ content: HTML...
  ) {
    self.status = status
    let other =
      otherLanguage.map { url in
        HTML.tag(
          "nav", [:],
          .tag(
            "p", [:],
            .tag(
              "a", ["href": url, "lang": messages.inOtherLanguage.language.rawValue],
              .text(messages.inOtherLanguage.languageName))))
      } ?? .nothing
    html =
      "<!doctype html>\n"
      + HTML.tag(
        "html", ["lang": messages.language.rawValue],
        .tag(
          "head", [:], .tag("meta", ["charset": "utf-8"]),
          .tag(
            "meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"]),
          .tag("meta", ["name": "robots", "content": "noindex"]),
          .tag("title", [:], .text(title)), .style),
        .tag(
          "body", [:],
          .tag("main", [:], .tag("h1", [:], .text(title)), .several(content)), other)
      ).rendered + "\n"
    var headers: HTTPFields = [
      .contentType: "text/html; charset=utf-8",
      .contentLanguage: messages.language.rawValue,
      .contentSecurityPolicy: Self.policy(formTargets),
      // The page contains the app's name, and possibly a token.
      .cacheControl: "no-store",
      .referrerPolicy: "no-referrer",
      .xContentTypeOptions: "nosniff",
      // For browsers that do not implement `frame-ancestors`.
      .frameOptions: "DENY",
      .vary: "Accept-Language",
    ]
    if let retryAfter { headers[.retryAfter] = "\(Self.seconds(retryAfter))" }
    self.headers = headers
  }

  /// Rounds seconds up to a whole number from 1 to 86,400.
  static func seconds(_ wait: Double) -> Int {
    Int(max(1, min(wait, 86_400).rounded(.up)))
  }

  /// Returns a Content-Security-Policy that allows only the page's own style sheet and the targets
  /// of its form.
  private static func policy(_ formTargets: [String]) -> String {
    let targets = formTargets.isEmpty ? "'none'" : formTargets.joined(separator: " ")
    return "default-src 'none'; style-src \(StyleSheet.source); form-action \(targets); "
      + "base-uri 'none'; frame-ancestors 'none'"
  }
}

/// The names of the form fields.
enum FormField {
  /// The signed state of the form, which `AccountService.signInRequest(signedState:)` or
  /// `AccountService.registrationRequest(signedState:)` reads.
  static let request = "request"
  /// The account name.
  static let name = "name"
  /// The password.
  static let password = "password"
  /// Present with any value if the user wants to stay signed in.
  static let keep = "keep"
  /// The invitation code; also a parameter of the page's URL.
  static let invitation = "invitation"
  /// The language, `vi` or `en`; also a parameter of the page's URL.
  static let language = "lang"
}
