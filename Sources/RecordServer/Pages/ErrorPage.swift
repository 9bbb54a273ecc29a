public import Text

/// The page that reports an error which cannot be shown in a form.
public struct ErrorPage: Sendable {
  /// The error that the page reports.
  public enum Cause: Hashable, Sendable {
    /// The sign-in failed.
    case signIn(SignInFailure)
    /// The registration failed.
    case registration(RegistrationFailure)
  }

  /// The reported error.
  public var cause: Cause
  /// The language of the page.
  public var language: Language

  public init(_ cause: Cause, language: Language) {
    self.cause = cause
    self.language = language
  }

  /// The page as HTML with its headers.
  public var page: Page {
    let messages = PageMessages(language)
    let (status, title, sentence, wait): (Int, String, String, Double?) =
      switch cause {
      case .signIn(let failure):
        (failure.status, messages.cannotSignIn, messages.sentence(failure), failure.retryAfter)
      case .registration(let failure):
        (failure.status, messages.cannotRegister, messages.sentence(failure), failure.retryAfter)
      }
    return Page(
      status: status, messages: messages, title: title, retryAfter: wait, .paragraph(sentence))
  }
}
