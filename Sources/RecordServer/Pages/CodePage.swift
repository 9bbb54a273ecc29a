public import Text

/// The page that shows a web auth token. The user copies it into an app to which the browser cannot
/// be redirected.
public struct CodePage: Sendable {
  /// The web auth token, from `SignInOutcome.code`.
  public var code: String
  /// The sign-in that is now complete.
  public var request: SignInRequest
  /// The language of the page.
  public var language: Language

  public init(code: String, request: SignInRequest, language: Language) {
    self.code = code
    self.request = request
    self.language = language
  }

  /// The page as HTML with its headers.
  public var page: Page {
    let messages = PageMessages(language)
    return Page(
      messages: messages, title: messages.codeTitle,
      .tag("p", [:], .text(messages.copyCodeInto), " ", .tag("strong", [:], .name(request.app))),
      // The code must not be copied with line breaks, which a terminal would treat as the Enter
      // key.
      .tag("p", ["class": "code"], .tag("code", ["id": "code"], .text(code))),
      .paragraph(messages.codeIsSecret))
  }
}
