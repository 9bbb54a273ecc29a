public import Text

/// Says what went wrong where there is no form to say it in.
public struct ErrorPage: Sendable {
  public enum Cause: Hashable, Sendable {
    case signIn(SignInFailure)
    case registration(RegistrationFailure)
    /// Seconds to wait.
    case throttled(retryAfter: Double)
  }

  public var cause: Cause
  public var language: Language

  public init(_ cause: Cause, language: Language) {
    self.cause = cause
    self.language = language
  }

  public var page: Page {
    let messages = PageMessages(language)
    let (status, title, sentence, wait): (Int, String, String, Double?) =
      switch cause {
      case .signIn(let failure):
        (failure.status, messages.cannotSignIn, messages.sentence(failure), failure.retryAfter)
      case .registration(let failure):
        (failure.status, messages.cannotRegister, messages.sentence(failure), failure.retryAfter)
      case .throttled(let wait): (429, messages.cannotSignIn, messages.tooManyAttempts(wait), wait)
      }
    return Page(
      status: status, messages: messages, title: title, retryAfter: wait, .paragraph(sentence))
  }
}
