import CloudRecords

/// All of these are ours.
extension Reason {
  static let tooManyRequests = "too many requests"
  static let unknownAPIToken = "no such API token for this container and environment"
  static let originNotAllowed = "the API token is not for pages of this origin"
}
