/// Why a sign-in brought no token.
public enum SignInProblem: Error, Hashable, Sendable {
  /// No port of this machine could be listened on.
  case cannotListen
  /// Nobody came back in time.
  case timedOut
  case cancelled
  /// It is over: a callback is good for one sign-in.
  case closed
}
