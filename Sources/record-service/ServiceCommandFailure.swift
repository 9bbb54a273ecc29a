import CloudRecords
import CoreDataModels
import RecordServer

/// The failure of a command: sentences for the user, and an exit status for scripts.
struct ServiceCommandFailure: Error {
  /// The exit status of the program.
  enum Status: Int32 {
    /// The command could not be carried out: the named thing does not exist, the command is not
    /// allowed, the input cannot be read, or the storage is busy or full.
    case refused = 1
    /// The arguments are invalid.
    case usage = 2
    /// The input, the key or the database is invalid, the output cannot be written, or an
    /// unexpected error occurred.
    case badData = 3
  }

  let status: Status
  /// The sentences, separated by line feeds if there are several.
  let sentences: String

  init(_ status: Status, _ sentences: String) {
    self.status = status
    self.sentences = sentences
  }

  /// Converts any error to the failure that the program reports.
  init(_ error: any Error) {
    switch error {
    case let failure as ServiceCommandFailure: self = failure
    case let error as ServiceError where error.code == .internalError:
      self.init(.badData, CommandMessages.storageFailed)
    case let error as ServiceError:
      self.init(.refused, CommandMessages.requestRefused(error))
    case let failure as StorageFailure where failure.isInvalidAddress:
      self.init(.usage, failure.sentence)
    case StorageFailure.failed(.noTables):
      self.init(.refused, CommandMessages.noServiceInDatabase)
    case let failure as StorageFailure:
      let isFault = if case .failed = failure { true } else { false }
      self.init(isFault ? .badData : .refused, failure.sentence)
    case let failure as MoveFailure:
      let isFault = if case .differs = failure { true } else { false }
      self.init(isFault ? .badData : .refused, failure.sentence)
    case let refusal as SchemaRefusal:
      self.init(.refused, CommandMessages.refusedAndUnchanged(refusal.changes))
    case let failure as RegistrationFailure: self.init(.refused, failure.sentence)
    case let failure as SignInFailure: self.init(.refused, failure.sentence)
    case let failure as WebServerFailure: self.init(.refused, failure.sentence)
    case let failure as ServerKeyFailure: self.init(.badData, failure.sentence)
    case let error as ModelError:
      let isUnreadable = if case .unreadable = error.problem { true } else { false }
      self.init(isUnreadable ? .refused : .badData, error.sentence)
    case let problem as APITokenProblem: self.init(.usage, problem.sentence)
    case let problem as ServerToServerKeyProblem: self.init(.usage, problem.sentence)
    case let problem as QueryExpressionProblem: self.init(.usage, problem.sentence)
    default: self.init(.badData, CommandMessages.unexpectedError(type: "\(type(of: error))"))
    }
  }
}
