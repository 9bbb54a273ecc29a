import CloudRecords
public import Logging

/// The messages of the log.
public enum LogMessage {
  /// A request was answered.
  static let request: Logger.Message = "request"
  /// A request failed with an error that no client can have caused.
  static let requestFailed: Logger.Message = "request failed"
  /// A sign-in or registration was refused. The fail2ban filter in Resources/record-service looks
  /// for these words.
  static let signInFailed: Logger.Message = "sign-in failed"
  /// The files of the TLS certificates have changed and cannot be used.
  static let certificatesNotReloaded: Logger.Message = "certificates not reloaded"
  /// A task of the housekeeping failed.
  static let housekeepingFailed: Logger.Message = "housekeeping failed"
  /// An operation of the storage failed.
  public static let storageFailed: Logger.Message = "storage failed"

  /// Describes an error in words. An unknown error can contain anything, so only its type is
  /// named.
  static func sentence(_ error: any Error) -> String {
    switch error {
    case let failure as StorageFailure: failure.sentence
    case let error as ServiceError: "\(error.code.rawValue): \(error.sentence)"
    default: "\(type(of: error))"
    }
  }
}

extension SignInFailure {
  /// The reason in the log; nil if the failure is not a sign of guessing.
  var logReason: String? {
    switch self {
    case .wrongNameOrPassword: "password"
    case .tooManyAttempts: "attempts"
    default: nil
    }
  }
}

extension RegistrationFailure {
  /// The reason in the log; nil if the failure is not a sign of guessing.
  var logReason: String? {
    switch self {
    case .invitationUnusable: "invitation"
    case .tooManyAttempts: "attempts"
    default: nil
    }
  }
}

/// The tasks of the housekeeping, with their names in the log.
enum HousekeepingTask: String {
  case resume
  case removeExpired = "remove expired"
  case deleteTombstones = "delete tombstones"
  case deleteMarks = "delete marks"
  case deleteAssets = "delete unused assets"
}
