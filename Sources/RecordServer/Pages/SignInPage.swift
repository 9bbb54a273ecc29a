import Text

/// The page with the sign-in form. It names the app that asks for access.
struct SignInPage: Sendable {
  /// The sign-in that the app began.
  var request: SignInRequest
  /// The language of the page.
  var language: Language
  /// The URL to which the form is sent.
  var action: String
  /// The URL of the registration page; nil if registration is closed.
  var registration: String?
  /// The URL of this page in the other language.
  var otherLanguage: String?
  /// The reason why the form is shown again; nil if it is shown for the first time.
  var failure: SignInFailure?
  /// The account name as the user typed it.
  var name = ""
  /// Whether the user wants to stay signed in.
  var keepsSignedIn = false

  /// The page as HTML with its headers.
  var page: Page {
    let messages = PageMessages(language)
    let isWrong = failure == .wrongNameOrPassword
    return Page(
      status: failure?.status ?? 200, messages: messages, title: messages.signIn,
      formTargets: request.delivery.formTargets, retryAfter: failure?.retryAfter,
      otherLanguage: otherLanguage,
      .failure(failure.map(messages.sentence)), .asking(request, messages),
      .tag(
        "form", ["method": "post", "action": action],
        .hidden(FormField.request, request.signedState),
        .hidden(FormField.language, language.rawValue),
        .field(
          FormField.name, label: messages.accountName, value: name, autocomplete: "username",
          isWrong: isWrong),
        // The typed password is never sent back to the browser.
        .field(
          FormField.password, label: messages.password, type: "password",
          autocomplete: "current-password", isWrong: isWrong),
        .checkbox(FormField.keep, label: messages.keepSignedIn, isChecked: keepsSignedIn),
        .button(messages.signIn)),
      .link(registration, messages.noAccountYet))
  }
}
