public import Words

/// Says what went wrong where there is no form to say it in.
public struct ErrorPage: Sendable {
  public enum Cause: Hashable, Sendable {
    case signIn(SignInFailure)
    case registration(RegistrationFailure)
    case notFound
    /// Seconds to wait.
    case throttled(retryAfter: Double)
    /// What it was belongs in the log.
    case failed
  }

  public var cause: Cause
  public var language: Language

  public init(_ cause: Cause, language: Language) {
    self.cause = cause
    self.language = language
  }

  public var page: Page {
    let words = PageWords(language)
    let (status, title, sentence, wait): (Int, String, String, Double?) =
      switch cause {
      case .signIn(let failure):
        (failure.status, words.cannotSignIn, words.sentence(failure), failure.retryAfter)
      case .registration(let failure):
        (failure.status, words.cannotRegister, words.sentence(failure), failure.retryAfter)
      case .notFound: (404, words.notFoundTitle, words.notFound, nil)
      case .throttled(let wait): (429, words.cannotSignIn, words.tooManyAttempts(wait), wait)
      case .failed: (500, words.failedTitle, words.unavailable, nil)
      }
    return Page(
      status: status, words: words, title: title, retryAfter: wait, .paragraph(sentence))
  }
}
