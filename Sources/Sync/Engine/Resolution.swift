import CloudRecords
import RecordClient

/// How a refused operation is handled.
enum Resolution {
  /// The service already has the requested state, so the operation counts as successful.
  case succeeded
  /// The service has another version of the record, which must be merged.
  case conflict
  /// The record was deleted on the service.
  case deleted
  /// The service did not create the record, because something that it needs was not found. The
  /// operation is sent again after a wait; after several attempts the change is parked.
  case notCreated
  /// The operation is sent again after a wait; the round ends.
  case retry
  /// The account's storage is full. The operation is sent again after `quotaPause`.
  case waitForQuota
  /// The user or the operator of the service must act; the round ends.
  case stop
  /// The change is parked: it is not sent again until the user asks for it or edits the thing.
  case park
}

extension ServiceError {
  /// Returns how the refusal of an operation is handled. Only the error code decides, not the HTTP
  /// status.
  func resolution(of operation: RecordsModify.OperationType) -> Resolution {
    switch code {
    case .conflict, .exists, .serverRecordChanged: .conflict
    case .notFound, .unknownItem:
      switch operation {
      case .delete: .succeeded
      case .create: .notCreated
      default: .deleted
      }
    case .quotaExceeded: operation == .delete ? .retry : .waitForQuota
    case .authenticationRequired, .authenticationFailed, .accessDenied, .zoneNotFound: .stop
    case _ where code.isTransient: .retry
    default: .park
    }
  }
}

extension CallFailure {
  /// The error if it concerns the records that were sent or the storage of the account; nil for
  /// errors of the connection, of the service's state and of the credentials.
  var ofRecords: ServiceError? {
    switch self {
    case .service(let error):
      switch error.resolution(of: .update) {
      case .park, .waitForQuota: error
      default: nil
      }
    case .unexpectedResponse(let answer) where answer.status == 413: ServiceError(.limitExceeded)
    default: nil
    }
  }
}
