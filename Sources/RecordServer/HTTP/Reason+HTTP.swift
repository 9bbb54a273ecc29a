import CloudRecords

/// The reasons of errors in HTTP requests. Their wording is ours, not CloudKit's.
extension Reason {
  static let noSuchEndpoint = "no such endpoint"
  static func notEndpoint(of database: String) -> String {
    "the endpoint is not served in the database '\(database)'"
  }
  static func wrongMethod(_ method: String) -> String {
    "the endpoint is not served by \(method)"
  }
  static let malformedPath = "the path does not name a container, environment and database"
  static func notServed(endpoint: String) -> String { "\(endpoint) is not served" }
  static let usersNotShown = "users are not shown to each other"
  static let keysNotServed = "server-to-server keys are not served"
  static let missingAPIToken = "ckAPIToken is missing"
  static let unknownPushToken = "no such token of this session"
  static func bodyTooLarge(limit: Int) -> String { "the body has more than \(limit) bytes" }
  static let bodyBroken = "the body is broken"
  static let bodiesTooMany = "too many large requests at once"
  static let bodyTooSlow = "the body came too slowly"
}
