public import Editions
public import Messages

/// The exit status of a command.
public enum ExitStatus: Int32, Sendable {
  /// The command succeeded.
  case done = 0
  /// Something that an argument names does not exist, or a search had no results.
  case notFound = 1
  /// The arguments are invalid, or a required answer is missing.
  case usage = 2
  /// A file, the library or the output cannot be read, written or understood.
  case badData = 3
  /// The service or the connection to it failed, or the library could not be synced completely.
  case service = 4
  /// The user is not signed in.
  case notSignedIn = 5
}

/// The reason why a command failed: a message of one line for the user, and an exit status for
/// scripts.
public struct CommandFailure: Error, Hashable, Sendable {
  /// The exit status of the process.
  public let status: ExitStatus
  /// The message for the user, one line without a line break.
  public let message: String

  public init(_ status: ExitStatus, _ message: String) {
    self.status = status
    self.message = message
  }

  /// Returns a failure with the status of this failure and the messages of both.
  func followed(by other: CommandFailure) -> CommandFailure {
    CommandFailure(status, "\(message) \(other.message)")
  }

  /// Creates the failure for an argument that is not a valid reference. If the argument is not
  /// understood at all, it can be a misspelt command, so the message mentions the help.
  public init(_ failure: QuranReference.Failure, messages: Messages) {
    let reason = messages.explain(failure)
    if case .unknown = failure {
      self.init(.usage, "\(reason) \(messages.seeHelp)")
    } else {
      self.init(.usage, reason)
    }
  }
}
