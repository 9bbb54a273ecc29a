import CloudRecords
import RecordClient

/// The reason why sync does not continue.
///
/// Two attempts that failed for the same reason have equal issues: values that belong to a single
/// request, such as its identifier, are removed.
public enum SyncIssue: Hashable, Sendable {
  /// The credentials cannot be used.
  case connection(ClientFactory.Problem)
  /// The last round failed.
  case failure(SyncFailure)
}

extension SyncStatus {
  /// The reason why sync does not continue; nil if it does.
  public var issue: SyncIssue? {
    if let problem { return .connection(problem) }
    return failure.map { .failure($0.withoutRequest) }
  }
}

extension SyncFailure {
  fileprivate var withoutRequest: SyncFailure {
    guard case .call(.service(let error)) = self else { return self }
    return .call(.service(ServiceError(error.code, reason: error.reason)))
  }
}
