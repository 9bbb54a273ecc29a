public import Text

/// Shows a web auth token, to be copied into an app that has no browser to come back by.
public struct CodePage: Sendable {
  /// As `SignInOutcome.code` has it.
  public var code: String
  public var request: SignInRequest
  public var language: Language

  public init(code: String, request: SignInRequest, language: Language) {
    self.code = code
    self.request = request
    self.language = language
  }

  public var page: Page {
    let messages = PageMessages(language)
    return Page(
      messages: messages, title: messages.code,
      .tag("p", [:], .text(messages.copyCode), " ", .tag("strong", [:], .name(request.app))),
      // In one piece: what is copied must have no line break, on which a terminal would act.
      .tag("p", ["class": "code"], .tag("code", ["id": "code"], .text(code))),
      .paragraph(messages.codeIsSecret))
  }
}
