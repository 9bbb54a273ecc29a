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

extension SignInProblem: CustomStringConvertible {
  public var description: String {
    switch self {
    case .cannotListen: "no port of this machine can be listened on"
    case .timedOut: "the sign-in took too long"
    case .cancelled: "the sign-in was cancelled"
    case .closed: "the sign-in is over"
    }
  }
}
