/// The reason why a sign-in ended without a token.
public enum SignInProblem: Error, Hashable, Sendable {
  /// The local server could not be started.
  case cannotListen
  /// The browser did not send a token in time.
  case timedOut
  /// The waiting task was cancelled.
  case cancelled
  /// The callback was closed, or had already been used. It can be used for one sign-in.
  case closed
}
