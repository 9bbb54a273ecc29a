import Text

extension Page {
  /// The page that shows a web auth token. The user copies it into an app to which the browser
  /// cannot be redirected.
  ///
  /// - Parameters:
  ///   - code: the web auth token, from `SignInOutcome.code`.
  ///   - request: the sign-in that is now complete.
  static func code(_ code: String, for request: SignInRequest, _ language: Language) -> Page {
    let messages = PageMessages(language)
    return Page(
      messages: messages, title: messages.codeTitle,
      .tag("p", [:], .text(messages.copyCodeInto), " ", .tag("strong", [:], .name(request.app))),
      // The code must not be copied with line breaks, which a terminal would treat as the Enter
      // key.
      .tag("p", ["class": "code"], .tag("code", ["id": "code"], .text(code))),
      .paragraph(messages.codeIsSecret))
  }

  /// The page that confirms a registration without an app to return to.
  static func registered(_ account: Account, _ language: Language) -> Page {
    let messages = PageMessages(language)
    return Page(
      status: 201, messages: messages, title: messages.registered,
      .tag("p", [:], .text(messages.yourAccount), " ", .tag("strong", [:], .name(account.name))),
      .paragraph(messages.goBackToApp))
  }

  /// The page that reports why a sign-in failed, if no form can show it.
  static func failure(_ failure: SignInFailure, _ language: Language) -> Page {
    let messages = PageMessages(language)
    return Page(
      status: failure.status, messages: messages, title: messages.cannotSignIn,
      retryAfter: failure.retryAfter, .paragraph(messages.sentence(failure)))
  }

  /// The page that reports why a registration failed, if no form can show it.
  static func failure(_ failure: RegistrationFailure, _ language: Language) -> Page {
    let messages = PageMessages(language)
    return Page(
      status: failure.status, messages: messages, title: messages.cannotRegister,
      retryAfter: failure.retryAfter, .paragraph(messages.sentence(failure)))
  }
}
