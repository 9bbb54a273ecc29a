/// Why a sign-in brought no token.
public enum SignInProblem: Error, Hashable, Sendable {
  /// No port of this machine could be listened on.
  case cannotListen
  /// Nobody came back in time.
  case timedOut
  case cancelled
  /// The callback was used already (it is good for one sign-in), or was closed while waiting.
  case closed
}
