import Text

extension Page {
  /// The page with the form that creates an account.
  ///
  /// - Parameters:
  ///   - request: the signed state of the form, and the sign-in that waits for the account.
  ///   - parameters: the parameters of the page's URL, which its links keep.
  ///   - needsInvitation: whether the form has a field for an invitation code.
  ///   - form: the form as the user sent it; nil if it is shown for the first time.
  ///   - failure: the reason why the form is shown again.
  static func registration(
    _ request: RegistrationRequest, _ parameters: SignInParameters, needsInvitation: Bool,
    form: SignInHandler.Form? = nil, failure: RegistrationFailure? = nil
  ) -> Page {
    let messages = PageMessages(parameters.language)
    let invitation = form == nil ? parameters.invitation : form?.invitation
    return Page(
      status: failure?.status ?? 200, messages: messages, title: messages.register,
      formTargets: request.signIn?.delivery.formTargets ?? ["'self'"],
      retryAfter: failure?.retryAfter,
      otherLanguage: parameters.inOtherLanguage.url(SignInHandler.registerPath),
      .failure(failure.map(messages.sentence)),
      request.signIn.map { HTML.asking($0, messages) } ?? .nothing,
      .tag(
        "form", ["method": "post", "action": parameters.url(SignInHandler.registerPath)],
        .hidden(FormField.request, request.signedState),
        .hidden(FormField.language, parameters.language.rawValue),
        needsInvitation
          ? .field(
            FormField.invitation, label: messages.invitation, value: invitation ?? "",
            autocomplete: "off", hint: messages.invitationHint,
            isWrong: failure?.field == FormField.invitation) : .nothing,
        .field(
          FormField.name, label: messages.accountName, value: form?.name ?? "",
          autocomplete: "username", hint: messages.nameHint(limit: AccountName.limit),
          isWrong: failure?.field == FormField.name),
        .field(
          FormField.password, label: messages.password, type: "password",
          autocomplete: "new-password", hint: messages.passwordHint(minimum: Password.minimum),
          isWrong: failure?.field == FormField.password),
        request.signIn == nil
          ? .nothing
          : .checkbox(FormField.keep, label: messages.keepSignedIn, isChecked: form?.keep != nil),
        .button(messages.createAccount)),
      .link(
        request.signIn == nil ? nil : parameters.url(SignInHandler.signInPath), messages.haveAccount
      ))
  }
}
