import Text

extension Page {
  /// The page with the sign-in form. It names the app that asks for access.
  ///
  /// - Parameters:
  ///   - request: the sign-in that the app began.
  ///   - parameters: the parameters of the page's URL, which its links keep.
  ///   - canRegister: whether the page leads to the registration.
  ///   - form: the form as the user sent it; nil if it is shown for the first time.
  ///   - failure: the reason why the form is shown again.
  static func signIn(
    _ request: SignInRequest, _ parameters: SignInParameters, canRegister: Bool,
    form: SignInHandler.Form? = nil, failure: SignInFailure? = nil
  ) -> Page {
    let messages = PageMessages(parameters.language)
    let isWrong = failure == .wrongNameOrPassword
    return Page(
      status: failure?.status ?? 200, messages: messages, title: messages.signIn,
      formTargets: request.delivery.formTargets, retryAfter: failure?.retryAfter,
      otherLanguage: parameters.inOtherLanguage.url(SignInHandler.signInPath),
      .failure(failure.map(messages.sentence)), .asking(request, messages),
      .tag(
        "form", ["method": "post", "action": parameters.url(SignInHandler.signInPath)],
        .hidden(FormField.request, request.signedState),
        .hidden(FormField.language, parameters.language.rawValue),
        .field(
          FormField.name, label: messages.accountName, value: form?.name ?? "",
          autocomplete: "username", isWrong: isWrong),
        // The typed password is never sent back to the browser.
        .field(
          FormField.password, label: messages.password, type: "password",
          autocomplete: "current-password", isWrong: isWrong),
        .checkbox(FormField.keep, label: messages.keepSignedIn, isChecked: form?.keep != nil),
        .button(messages.signIn)),
      .link(canRegister ? parameters.url(SignInHandler.registerPath) : nil, messages.noAccountYet))
  }
}
