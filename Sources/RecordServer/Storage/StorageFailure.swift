public import CloudRecords

/// The reason why a storage operation failed. Nothing was changed.
public enum StorageFailure: Error, Hashable, Sendable {
  /// Another connection is using the database; the operation can be tried again.
  case busy
  /// The disk or the database is full.
  case full
  /// The task was cancelled.
  case cancelled
  /// Any other error.
  ///
  /// - Parameter detail: a description for the log, without record names.
  case failed(String)
}

extension StorageFailure: CustomStringConvertible {
  /// A description for the log, without record names.
  public var description: String {
    switch self {
    case .busy: "the storage is busy"
    case .full: "the storage is full"
    case .cancelled: "cancelled"
    case .failed(let detail): detail
    }
  }
}

extension StorageFailure {
  /// The error that a client gets: TRY_AGAIN_LATER if repeating the request can help, otherwise
  /// INTERNAL_ERROR.
  public var serviceError: ServiceError {
    switch self {
    case .busy, .cancelled:
      ServiceError(.tryAgainLater, reason: Reason.storageBusy, retryAfter: 1)
    case .full: ServiceError(.tryAgainLater, reason: Reason.storageFull, retryAfter: 60)
    case .failed: ServiceError(.internalError, reason: Reason.storageFailed)
    }
  }
}
