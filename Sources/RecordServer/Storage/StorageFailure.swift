public import CloudRecords

/// Why storage could not do what it was asked. Nothing was changed then.
public enum StorageFailure: Error, Hashable, Sendable {
  /// Others are using it; trying again helps.
  case busy
  /// There is no room.
  case full
  /// The task was cancelled.
  case cancelled
  /// - Parameter detail: for the log; it names no record.
  case failed(String)
}

extension StorageFailure: CustomStringConvertible {
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
  /// What a client is told: TRY_AGAIN_LATER where that may help, else INTERNAL_ERROR.
  public var serviceError: ServiceError {
    switch self {
    case .busy, .cancelled:
      ServiceError(.tryAgainLater, reason: Reason.storageBusy, retryAfter: 1)
    case .full: ServiceError(.tryAgainLater, reason: Reason.storageFull, retryAfter: 60)
    case .failed: ServiceError(.internalError, reason: Reason.storageFailed)
    }
  }
}
