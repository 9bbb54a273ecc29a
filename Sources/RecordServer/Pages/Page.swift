public import Text

/// A page as it is sent: a status, headers and HTML that needs no script and nothing from
/// elsewhere.
public struct Page: Hashable, Sendable {
  public let status: Int
  public let language: Language
  public let html: String
  /// All that the answer needs; no other may weaken them.
  public let headers: [Header]

  public struct Header: Hashable, Sendable {
    public let name: String
    public let value: String
  }

  /// - Parameters:
  ///   - formTargets: where its form leads, as a Content-Security-Policy names that; empty
  ///     where it has none.
  ///   - retryAfter: seconds.
  ///   - otherLanguage: the URL of the same page in the other language.
  init(
    status: Int = 200, messages: PageMessages, title: String, formTargets: [String] = [],
    retryAfter: Double? = nil, otherLanguage: String? = nil, _ content: HTML...
  ) {
    self.status = status
    language = messages.language
    let other =
      otherLanguage.map { url in
        HTML.tag(
          "nav", [:],
          .tag(
            "p", [:],
            .tag(
              "a", ["href": url, "lang": messages.other.language.rawValue],
              .text(messages.other.languageName))))
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
    headers =
      [
        Header(name: "Content-Type", value: "text/html; charset=utf-8"),
        Header(name: "Content-Language", value: messages.language.rawValue),
        Header(name: "Content-Security-Policy", value: Self.policy(formTargets)),
        // It names the app, and may hold a token.
        Header(name: "Cache-Control", value: "no-store"),
        Header(name: "Referrer-Policy", value: "no-referrer"),
        Header(name: "X-Content-Type-Options", value: "nosniff"),
        // For browsers older than `frame-ancestors`.
        Header(name: "X-Frame-Options", value: "DENY"),
        Header(name: "Vary", value: "Accept-Language"),
      ] + (retryAfter.map { [Header(name: "Retry-After", value: "\(Self.seconds($0))")] } ?? [])
  }

  /// Whole seconds, rounded up: at least one.
  static func seconds(_ wait: Double) -> Int {
    Int(max(1, min(wait, 86_400).rounded(.up)))
  }

  /// Nothing is loaded, run, framed or sent but the page's own style and form.
  private static func policy(_ formTargets: [String]) -> String {
    let targets = formTargets.isEmpty ? "'none'" : formTargets.joined(separator: " ")
    return "default-src 'none'; style-src \(StyleSheet.source); form-action \(targets); "
      + "base-uri 'none'; frame-ancestors 'none'"
  }
}

/// The names of the fields of forms.
public enum FormField {
  /// What `People.signInRequest(sealed:)` or `People.registrationRequest(sealed:)` takes back.
  public static let request = "request"
  public static let name = "name"
  public static let password = "password"
  /// There, with any value, to stay signed in.
  public static let keep = "keep"
  public static let invitation = "invitation"
  /// Also in the query of a URL: `vi` or `en`.
  public static let language = "lang"
}
