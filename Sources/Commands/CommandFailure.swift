public import Editions
public import Messages

/// What a command ends with.
public enum ExitStatus: Int32, Sendable {
  case done = 0
  case notFound = 1
  case usage = 2
  case badData = 3
  case service = 4
  case notSignedIn = 5
}

/// Why a command did not do what it was asked: one line for people, and a
/// status for scripts.
public struct CommandFailure: Error, Hashable, Sendable {
  public let status: ExitStatus
  public let message: String

  public init(_ status: ExitStatus, _ message: String) {
    self.status = status
    self.message = message
  }

  /// An argument that names no place. One that is not understood at all may be a
  /// command misspelt.
  public init(_ failure: Reference.Failure, messages: Messages) {
    let reason = messages.explain(failure)
    if case .unknown = failure {
      self.init(.usage, "\(reason) \(messages.seeHelp)")
    } else {
      self.init(.usage, reason)
    }
  }
}
