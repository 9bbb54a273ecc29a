import Text

/// The page with the form that creates an account.
struct RegistrationPage: Sendable {
  /// The state of the form.
  var request: RegistrationRequest
  /// The language of the page.
  var language: Language
  /// The URL to which the form is sent.
  var action: String
  /// Whether the form has a field for an invitation code.
  var needsInvitation: Bool
  /// The invitation code from the URL, or as the user typed it.
  var invitation = ""
  /// The URL of the sign-in page; nil if the registration did not begin with a sign-in.
  var signIn: String?
  /// The URL of this page in the other language.
  var otherLanguage: String?
  /// The reason why the form is shown again; nil if it is shown for the first time.
  var failure: RegistrationFailure?
  /// The account name as the user typed it.
  var name = ""
  /// Whether the user wants to stay signed in.
  var keepsSignedIn = false

  /// The page as HTML with its headers.
  var page: Page {
    let messages = PageMessages(language)
    return Page(
      status: failure?.status ?? 200, messages: messages, title: messages.register,
      formTargets: request.signIn?.delivery.formTargets ?? ["'self'"],
      retryAfter: failure?.retryAfter, otherLanguage: otherLanguage,
      .failure(failure.map(messages.sentence)),
      request.signIn.map { HTML.asking($0, messages) } ?? .nothing,
      .tag(
        "form", ["method": "post", "action": action],
        .hidden(FormField.request, request.signedState),
        .hidden(FormField.language, language.rawValue),
        needsInvitation
          ? .field(
            FormField.invitation, label: messages.invitation, value: invitation,
            autocomplete: "off", hint: messages.invitationHint,
            isWrong: failure?.field == FormField.invitation) : .nothing,
        .field(
          FormField.name, label: messages.accountName, value: name, autocomplete: "username",
          hint: messages.nameHint(limit: AccountName.limit),
          isWrong: failure?.field == FormField.name),
        .field(
          FormField.password, label: messages.password, type: "password",
          autocomplete: "new-password", hint: messages.passwordHint(minimum: Password.minimum),
          isWrong: failure?.field == FormField.password),
        request.signIn == nil
          ? .nothing
          : .checkbox(FormField.keep, label: messages.keepSignedIn, isChecked: keepsSignedIn),
        .button(messages.createAccount)),
      .link(signIn, messages.haveAccount))
  }
}
