public import CloudRecords

/// The reason why an ephemeral service does not do what a test asks for. Nothing was changed.
public enum EphemeralFailure: Error, Hashable, Sendable {
  /// There is no user with this name.
  case unknownUser(String)
  /// The service has no users.
  case noUser
  /// There is no snapshot with this name.
  case unknownSnapshot(String)
  /// The name of a snapshot is empty or has more bytes than the limit.
  case snapshotName(limit: Int)
  /// There are as many snapshots as the limit.
  case tooManySnapshots(limit: Int)
  /// A fault has no error, delay, cut or expiry.
  case noEffect
  /// A fault has more than one of error, cut and expiry.
  case severalEffects
  /// A fault has a key that faults do not have.
  case unknownKey(String)
  /// The error of a fault is no code of the protocol.
  case unknownCode(String)
  /// The endpoint of a fault is not served.
  case unknownEndpoint(String)
  /// A number of a fault is out of its range.
  case outOfRange(FaultNumber)
  /// The responses of the endpoint have no items; nil if the fault names no endpoint.
  case noItems(Route?)
  /// The request comes from a web page.
  case fromPage

  /// The numbers of a fault that have a range.
  public enum FaultNumber: String, Hashable, Sendable {
    case delay, requests, retryAfter
  }
}

extension EphemeralFailure {
  /// The code of the response.
  var code: ErrorCode {
    switch self {
    case .unknownUser, .noUser, .unknownSnapshot: .notFound
    case .tooManySnapshots: .limitExceeded
    case .fromPage: .accessDenied
    default: .badRequest
    }
  }
}
