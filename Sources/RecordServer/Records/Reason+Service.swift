import CloudRecords

/// The reasons of errors for which CloudKit's own wording is not known.
extension Reason {
  // MARK: Service

  static let storageBusy = "the service is busy"
  static let storageFull = "the service has no room"
  static let storageFailed = "internal error"
  static let unknownContainer = "no such container"
  static let notShared = "the shared database is not served"

  static let schemaChanged = "the schema of development has changed meanwhile"

  // MARK: Records

  static func otherType(_ type: String) -> String { "the record is of type '\(type)'" }
  static let assetsNotServed = "assets are not served"
  static func otherZone(field: String) -> String {
    "the reference in field '\(field)' must be to its own zone"
  }
  static func impossibleTarget(field: String) -> String {
    "no record can have the name in field '\(field)'"
  }
  static let impossibleParent = "no record can have the name of the parent"
  static func tooManyHolders(of target: String) -> String {
    "more than \(Limits.cascade) references delete themselves with '\(target)'"
  }
  static let cascadeTooLarge = "more than \(Limits.cascade) records would be deleted with it"
  static let tooManyDeletions =
    "more than \(RecordBatch.deletionLimit) records would be deleted by the request"
  static let tooManyReferences =
    "the request has more than \(RecordBatch.referenceLimit) references with an action"
  static let referencesTooDeep =
    "the references of the request depend on each other over too many records"
  static let quotaExceeded = "the quota is exceeded"
  static let answerTooLarge = "the answer would be too large, ask for fewer records"

  // MARK: Zones

  static let zoneNotFound = "zone not found"
  static let defaultZoneStays = "the default zone cannot be deleted"
  static let noPublicZones = "the public database has only the default zone"
  static let tooManyZones = "too many zones"
  static let noFeed = "the zone has no change feed"
  static let noPublicFeed = "the public database has no change feed"
  static let notReversed = "the feed is not served in reverse"

  // MARK: Queries

  static func notServed(_ what: String) -> String { invalidPredicate("\(what) is not served") }
  static func tooManyValues(limit: Int) -> String {
    invalidPredicate("more than \(limit) values")
  }
  static func tooManySorts(limit: Int) -> String {
    invalidPredicate("more than \(limit) criteria to sort by")
  }

  // MARK: Subscriptions

  static let subscriptionNotFound = "subscription not found"
  static let missingSubscriptionID = "subscriptionID is missing"
  static let missingQuery = "query is missing"
  static let missingEvents = "firesOn is missing"
  static let missingZone = "zoneID is missing"
  static func subscriptionTooLarge(bytes: Int) -> String {
    "the subscription is larger than \(bytes) bytes"
  }
  static func subscriptionsTooLarge(bytes: Int) -> String {
    "all subscriptions together are larger than \(bytes) bytes"
  }
  static let tooManySubscriptions = "too many subscriptions"
  static func unknownSubscriptionType(_ type: String?) -> String {
    type.map { "a subscription of type '\($0)' is not served" } ?? "subscriptionType is missing"
  }
}
