public import Text

/// Asks for a name and a password, and says which app wants them.
public struct SignInPage: Sendable {
  public var request: SignInRequest
  public var language: Language
  /// Where the form goes.
  public var action: String
  /// Where one registers; nil where one cannot.
  public var registration: String?
  /// The URL of this page in the other language.
  public var otherLanguage: String?
  /// Why it is shown again.
  public var failure: SignInFailure?
  /// As it was typed.
  public var name = ""
  public var keepsSignedIn = false

  public init(request: SignInRequest, language: Language, action: String) {
    self.request = request
    self.language = language
    self.action = action
  }

  public var page: Page {
    let messages = PageMessages(language)
    let isWrong = failure == .wrongNameOrPassword
    return Page(
      status: failure?.status ?? 200, messages: messages, title: messages.signIn,
      formTargets: request.way.formTargets, retryAfter: failure?.retryAfter,
      otherLanguage: otherLanguage,
      .failure(failure.map(messages.sentence)), .asking(request, messages),
      .tag(
        "form", ["method": "post", "action": action],
        .hidden(FormField.request, request.sealed),
        .hidden(FormField.language, language.rawValue),
        .field(
          FormField.name, label: messages.name, value: name, autocomplete: "username",
          isWrong: isWrong),
        // What was typed is not sent back.
        .field(
          FormField.password, label: messages.password, type: "password",
          autocomplete: "current-password", isWrong: isWrong),
        .checkbox(FormField.keep, label: messages.keepSignedIn, isChecked: keepsSignedIn),
        .button(messages.signIn)),
      .link(registration, messages.noAccountYet))
  }
}
