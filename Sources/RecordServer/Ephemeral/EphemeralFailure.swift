public import CloudRecords

/// The reason why an ephemeral service refuses a request to control it. Nothing was changed.
public enum EphemeralFailure: Error, Hashable, Sendable {
  /// There is no user with this name.
  case unknownUser(String)
  /// The service has no users.
  case noUser
  /// There is no snapshot with this name.
  case unknownSnapshot(String)
  /// The name of a snapshot is empty or has more bytes than the limit.
  case snapshotName(limit: Int)
  /// The limit for the number of snapshots is reached.
  case tooManySnapshots(limit: Int)
  /// The fault has neither an error nor a delay, a cut or an expiry, so it would do nothing.
  case noEffect
  /// The fault has more than one of `error`, `cut` and `expire`.
  case severalEffects
  /// An object in the body has a key that it must not have.
  case unknownKey(UnknownKey)
  /// The fault has a key that only errors have, but no error.
  case onlyWithError(String)
  /// The limit for the number of faults is reached.
  case tooManyFaults(limit: Int)
  /// The fault names an error code that the protocol does not have.
  case unknownCode(String)
  /// The fault names an endpoint that the service does not have.
  case unknownEndpoint(String)
  /// A number in the fault is out of its range.
  case outOfRange(FaultNumber)
  /// The fault has errors for items, but the responses of its endpoint have no items. The endpoint
  /// is nil if the fault names none.
  case noItems(Route?)
  /// No request to the endpoint addresses the database, so that the fault would affect none.
  case notInDatabase(Route, DatabaseScope)
  /// A web page sent the request.
  case fromPage

  /// The numbers in a fault that must be within a range.
  public enum FaultNumber: String, Hashable, Sendable {
    case delay, requests, retryAfter
  }
}

extension EphemeralFailure {
  /// The code of the response.
  var code: ErrorCode {
    switch self {
    case .unknownUser, .noUser, .unknownSnapshot: .notFound
    case .tooManySnapshots, .tooManyFaults: .limitExceeded
    case .fromPage: .accessDenied
    default: .badRequest
    }
  }
}
