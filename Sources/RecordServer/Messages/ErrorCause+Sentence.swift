public import CloudRecords
public import FoundationEssentials

// The strings that clients get as the `reason` of an error. Clients compare some of them with the
// strings of CloudKit, so these must not be reworded.

extension Wire {
  /// Encodes the body of a response, with words for the causes of its errors.
  ///
  /// - Parameters:
  ///   - numbersAsStrings: whether the values of INT64 and DOUBLE fields are encoded as strings.
  ///   - base: the beginning of URLs that lead to this service; nil if the body has none.
  /// - Throws: an `EncodingError` if a number is not finite.
  public static func encode(
    response body: some Encodable, numbersAsStrings: Bool = false, base: String? = nil
  ) throws -> Data {
    try encode(
      body, numbersAsStrings: numbersAsStrings, wording: { $0.sentence }, base: base)
  }
}

extension ServiceError {
  /// The words of the cause, or the code if there is no cause.
  public var sentence: String { cause?.sentence ?? code.rawValue }
}

extension ErrorCause {
  /// The words of the cause.
  public var sentence: String {
    switch self {
    case .text(let words): words

    // The words that CloudKit has been seen to send.
    case .staleTag: "client oplock error updating record"
    case .recordExists: "record to insert already exists"
    case .atomicFailure: "Atomic failure"
    case .validatingReference(let field, let recordName):
      "Field=\(field), recordID=\(recordName), "
        + "title=Record delete would violate validating reference, rejecting update"
    // The words of the native CloudKit framework, with the limit of CloudKit Web Services.
    case .tooManyItems(let count, let limit):
      "Your request contains \(count) items which is more than the maximum number of items in a "
        + "single request (\(limit))"
    case .authorizationNeeded: "request needs authorization"
    case .unknownToken: "Unknown sync continuation type"
    case .brokenToken: "Invalid continuation format"
    case .expiredToken: "client knowledge differs from server knowledge"
    case .unknownTypeInProduction(let type): "Cannot create new type \(type) in production schema"
    case .unknownFieldInProduction(let field, let type):
      "Cannot create or modify field '\(field)' in record '\(type)' in production schema"
    case .wrongType(let found, let field, let type, let declared):
      "invalid attempt to set value type \(found) for field '\(field)' for type '\(type)', "
        + "defined to be: \(declared)"
    case .encryptedInPlainField: "Attempt to save encrypted data in non encrypted field type"
    case .notPermitted(let permission): "\(permission.rawValue) operation not permitted"
    case .unknownType(let type): "Did not find record type \(type)"
    case .unknownField(let field, let type): "Did not find field: '\(field)' in type: '\(type)'"
    case .notQueryable(let field): "Field '\(field)' is not marked queryable"
    case .notSortable(let field): "Field '\(field)' is not marked sortable"
    case .notSearchable(let field): "Field '\(field)' is not marked searchable"
    case .notIndexable: "Queried type is not marked indexable"
    case .wrongFilterType(let found, let field, let declared):
      "Field '\(field)' has a value type of \(declared) and cannot be queried using filter value "
        + "type \(found)"
    // The first two words are CloudKit's, the rest is ours.
    case .invalidPredicate(let problem): "Invalid predicate: \(problem.phrase)"

    // Our own words for errors about records.
    case .recordNotFound: "record not found"
    case .recordTooLarge(let bytes):
      "the record is \(bytes) bytes, more than the maximum of \(Limits.recordBytes)"
    case .recordJSONTooLarge(let bytes):
      "the record's fields are \(bytes) bytes in JSON, more than the maximum of \(Limits.pageBytes)"
    case .invalidName(let name, let problem): "the name '\(name)' \(problem.phrase)"
    case .missingRecordName: "recordName is missing"
    case .missingRecordType: "recordType is missing"
    case .missingField(let field, let type): "field '\(field)' of type '\(type)' is required"
    case .missingChangeTag: "recordChangeTag is missing"
    case .missingAction(let field): "the reference in field '\(field)' needs an action"
    case .otherType(let type): "the record is of type '\(type)'"
    case .invalidReceipt(let field):
      "the asset in field '\(field)' has no valid receipt; upload it for this record and field"
    case .assetInUse(let field): "the asset in field '\(field)' belongs to another record"
    case .otherZone(let field): "the reference in field '\(field)' must be to its own zone"
    case .impossibleTarget(let field): "no record can have the name in field '\(field)'"
    case .impossibleParent: "no record can have the name of the parent"
    case .tooManyHolders(let target, let limit):
      "more than \(limit) references delete themselves with '\(target)'"
    case .cascadeTooLarge(let limit): "more than \(limit) records would be deleted with it"
    case .tooManyDeletions(let limit):
      "more than \(limit) records would be deleted by the request"
    case .tooManyReferences(let limit):
      "the request has more than \(limit) references with an action"
    case .referencesTooDeep:
      "the references of the request depend on each other over too many records"
    case .quotaExceeded: "the quota is exceeded"
    case .responseTooLarge: "the response would be too large, ask for fewer records"
    case .batchTooLarge(let limit):
      """
      the records of the request count more than \(limit) bytes of JSON, of which each value of a list \
      counts 32, change fewer at once
      """
    case .schemaFull:
      "the schema has no room for more record types or fields made by saving; import one"
    case .unusableName(let name):
      "'\(name)' cannot be the name of a record type or field: it has to begin with a letter, "
        + "followed by letters, digits and underscores"
    case .reservedFieldName(let name):
      "'\(name)' cannot be the name of a field: it is the name of a record's own property"
    case .unknownElements(let field, let type):
      "cannot tell the type of field '\(field)' in record '\(type)' from its value"
    case .schemaChanged: "the schema of development has changed meanwhile"

    // Our own words for errors about requests.
    case .duplicate(let name): "more than one operation for '\(name)'"
    case .atomicInDefaultZone: "the default zone has no atomic requests"
    case .resetToken: "the server was restored or reset since this token was given"
    case .malformedBody(let error): error.phrase
    case .bodyTooLarge(let limit): "the body has more than \(limit) bytes"
    case .bodyBroken: "the body is broken"
    case .bodyTooSlow: "the body came too slowly"
    case .tooManyLargeRequests: "too many large requests at once"
    case .tooManyLargeResponses: "too many large responses are not received yet"
    case .tooManyRequests: "too many requests"
    case .tooManyQueries: "too many queries at once"
    case .unknownAPIToken: "no such API token for this container and environment"
    case .originNotAllowed: "the API token is not for pages of this origin"
    case .missingAPIToken: "ckAPIToken is missing"
    case .signedWithToken: "a signed request must not have ckAPIToken or ckWebAuthToken"
    case .invalidSignatureDate:
      "a signed request needs a date like 2016-01-25T22:15:43Z and a signature"
    case .unknownServerToServerKey: "no such key for this container and environment"
    case .wrongSignature: "the signature does not fit the date, the body and the path"
    case .staleSignature(let seconds, let limit):
      "the date of the request is \(abs(seconds)) seconds \(seconds < 0 ? "after" : "before") the "
        + "clock of the service, at most \(limit) are allowed"
    case .repeatedSignature: "a request with this signature was received already"
    case .signedNotPublic: "signed requests are served in the public database only"
    case .unknownPushChannel: "no such push channel"
    case .lostNotifications: "notifications may have been lost: fetch changes, then poll again"
    case .unusableAssetURL: "the URL of the asset is wrong or has expired; ask for another"
    case .noSuchRange(let bytes): "the range is not within the \(bytes) bytes of the asset"
    case .malformedPath: "the path does not name a container, environment and database"
    case .foreignHost: "the Host header does not name this service"
    case .noSuchEndpoint: "no such endpoint"
    case .notInDatabase(let database):
      "the endpoint is not served in the database '\(database.rawValue)'"
    case .notServed(let feature, let name): feature.sentence(about: name)
    case .wrongMethod(let method): "the endpoint is not served by \(method)"
    case .storageBusy: "the service is busy"
    case .storageFull: "the service has no room"
    case .internalFailure: "internal error"
    case .unknownContainer: "no such container"

    // Our own words for errors about zones and subscriptions.
    case .zoneNotFound: "zone not found"
    case .defaultZoneStays: "the default zone cannot be deleted"
    case .noPublicZones: "the public database has only the default zone"
    case .tooManyZones: "too many zones"
    case .noFeed: "the zone has no change feed"
    case .noPublicFeed: "the public database has no change feed"
    case .subscriptionNotFound: "subscription not found"
    case .missingSubscriptionID: "subscriptionID is missing"
    case .missingQuery: "query is missing"
    case .missingEvents: "firesOn is missing"
    case .missingZone: "zoneID is missing"
    case .subscriptionTooLarge(let limit): "the subscription is larger than \(limit) bytes"
    case .subscriptionsTooLarge(let limit):
      "all subscriptions together are larger than \(limit) bytes"
    case .tooManySubscriptions: "too many subscriptions"
    case .missingSubscriptionType: "subscriptionType is missing"
    }
  }
}

extension PredicateProblem {
  fileprivate var phrase: String {
    switch self {
    case .tooManyTerms(let count, let limit): "\(count) filters and sorts, at most \(limit)"
    case .comparator(let comparator, let field, let type):
      "\(comparator.rawValue) does not apply to field '\(field)' of type \(type)"
    case .unknownComparator(let path):
      "\(path): expected one of "
        + Filter.Comparator.allCases.map(\.rawValue).joined(separator: ", ")
    case .negativeDistance: "a distance below 0"
    case .unsortable(let field, let type): "cannot sort by field '\(field)' of type \(type)"
    case .missingValue(let field): "no value for field '\(field)'"
    case .notServed(let feature, let name): feature.sentence(about: name)
    case .tooManyValues(let limit): "more than \(limit) values"
    case .tooManySorts(let limit): "more than \(limit) criteria to sort by"
    case .tooManyRows:
      "the query looks at too many records; filter by a QUERYABLE field whose value few of them have, "
        + "or sort by one field only"
    }
  }
}

extension NameProblem {
  /// The problem as a phrase that follows the name.
  fileprivate var phrase: String {
    switch self {
    case .empty: "must not be empty"
    case .tooLong(let limit): "must not be longer than \(limit) bytes"
    case .notPrintableASCII: "must be printable ASCII"
    case .nulCharacter: "must not contain a NUL character"
    case .underscore: "must not begin with \"_\""
    }
  }
}
