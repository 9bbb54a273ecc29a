import CloudRecords
import RecordClient

/// The reason why sync does not continue.
///
/// Two attempts that failed for the same reason have equal issues: values that belong to a single
/// request, such as its identifier, are removed.
public enum SyncIssue: Hashable, Sendable {
  /// No client of the service could be created, for example because of the credentials.
  case connection(ClientFactory.Problem)
  /// The last round failed, or the library cannot be used.
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
