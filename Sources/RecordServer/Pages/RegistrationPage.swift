public import Text

/// Asks who wants an account for a name, a password and an invitation.
public struct RegistrationPage: Sendable {
  public var request: RegistrationRequest
  public var language: Language
  /// Where the form goes.
  public var action: String
  /// Whether an invitation is asked for.
  public var needsInvitation: Bool
  /// The code of the link one followed, or as it was typed.
  public var invitation = ""
  /// Where one signs in who has an account; nil where that is not known.
  public var signIn: String?
  /// The URL of this page in the other language.
  public var otherLanguage: String?
  /// Why it is shown again.
  public var failure: RegistrationFailure?
  /// As it was typed.
  public var name = ""
  public var keepsSignedIn = false

  public init(
    request: RegistrationRequest, language: Language, action: String, needsInvitation: Bool
  ) {
    self.request = request
    self.language = language
    self.action = action
    self.needsInvitation = needsInvitation
  }

  public var page: Page {
    let messages = PageMessages(language)
    return Page(
      status: failure?.status ?? 200, messages: messages, title: messages.register,
      formTargets: request.signIn?.way.formTargets ?? ["'self'"],
      retryAfter: failure?.retryAfter, otherLanguage: otherLanguage,
      .failure(failure.map(messages.sentence)),
      request.signIn.map { HTML.asking($0, messages) } ?? .nothing,
      .tag(
        "form", ["method": "post", "action": action],
        .hidden(FormField.request, request.sealed),
        .hidden(FormField.language, language.rawValue),
        needsInvitation
          ? .field(
            FormField.invitation, label: messages.invitation, value: invitation,
            autocomplete: "off", hint: messages.invitationHint,
            isWrong: failure?.field == FormField.invitation) : .nothing,
        .field(
          FormField.name, label: messages.name, value: name, autocomplete: "username",
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

/// Says that there is an account now, to who goes on with no app.
public struct RegisteredPage: Sendable {
  public var account: Account
  public var language: Language

  public init(account: Account, language: Language) {
    self.account = account
    self.language = language
  }

  public var page: Page {
    let messages = PageMessages(language)
    return Page(
      status: 201, messages: messages, title: messages.registered,
      .tag("p", [:], .text(messages.yourAccount), " ", .tag("strong", [:], .name(account.name))),
      .paragraph(messages.goBackToApp))
  }
}
