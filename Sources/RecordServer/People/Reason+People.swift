import CloudRecords

/// The reasons of errors about API tokens and limits. Their wording is ours, not CloudKit's.
extension Reason {
  static let tooManyRequests = "too many requests"
  static let unknownAPIToken = "no such API token for this container and environment"
  static let originNotAllowed = "the API token is not for pages of this origin"
}
