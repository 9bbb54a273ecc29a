import CloudRecords
import RecordServer

/// Why a command did not do what it was asked: sentences for people, and a status for scripts.
struct CommandFailure: Error {
  enum Status: Int32 {
    /// What was named is not there, or must not be done.
    case refused = 1
    case usage = 2
    case badData = 3
  }

  let status: Status
  /// A line for each.
  let sentences: String

  init(_ status: Status, _ sentences: String) {
    self.status = status
    self.sentences = sentences
  }

  /// Any error as what a command ends with.
  init(_ error: any Error) {
    switch error {
    case let failure as CommandFailure: self = failure
    case let error as ServiceError where error.code == .internalError:
      self.init(.badData, "The storage failed; run `record-service doctor`.")
    case let error as ServiceError:
      self.init(.refused, "This was refused: \(error.reason ?? error.code.rawValue).")
    case let failure as StorageFailure:
      let isBad = if case .failed = failure { true } else { false }
      self.init(isBad ? .badData : .refused, failure.sentence)
    case let failure as RegistrationFailure: self.init(.refused, failure.sentence)
    case let failure as SignInFailure: self.init(.refused, failure.sentence)
    case let failure as ServerKeyFailure: self.init(.badData, failure.sentence)
    case let problem as APITokenProblem: self.init(.usage, problem.sentence)
    case let problem as QueryExpressionProblem: self.init(.usage, problem.sentence)
    default: self.init(.badData, "Something unexpected happened: \(type(of: error)).")
    }
  }
}
