/// The cause of an error, in more detail than its code.
///
/// A service creates a cause as a case with values, and converts it to text when it encodes a
/// response. A client only receives that text, as `text`. Names in a cause are those of the request
/// or of the schema.
public enum ErrorCause: Hashable, Sendable {
  /// The text that a service sent. Decoding an error shortens the text and removes control
  /// characters; see `ServiceError.sanitized(_:)`.
  case text(String)

  // MARK: Records

  /// The change tag of the request is not the record's current one.
  case staleTag
  /// The record that is to be created exists.
  case recordExists
  /// Another operation of the atomic request has failed.
  case atomicFailure
  /// The record does not exist, or the caller is not allowed to know that it exists.
  case recordNotFound
  /// The record is larger than `Limits.recordBytes`.
  case recordTooLarge(bytes: Int)
  /// The JSON of the record's fields is larger than `Limits.pageBytes`.
  case recordJSONTooLarge(bytes: Int)
  /// The name of a record or zone, or the identifier of a subscription, is invalid.
  case invalidName(String, NameProblem)
  /// An operation other than the creation of a record has no record name.
  case missingRecordName
  /// The record that is to be created has no type.
  case missingRecordType
  /// An operation that needs a change tag has none.
  case missingChangeTag
  /// A reference in a record has no action.
  case missingAction(field: String)
  /// A VALIDATE reference would lose its target, or never had one.
  ///
  /// - Parameters:
  ///   - field: The field with the reference.
  ///   - recordName: The target of the reference.
  case validatingReference(field: String, recordName: String)
  /// The record has this type, which is not that of the request.
  case otherType(String)
  /// An asset has no receipt, or one that was not issued for this record, field and content, or one
  /// that has expired.
  case invalidReceipt(field: String)
  /// An asset is already that of another record.
  case assetInUse(field: String)
  /// A reference with an action refers to a record of another zone.
  case otherZone(field: String)
  /// A reference refers to a name that no record can have.
  case impossibleTarget(field: String)
  /// No record can have the name of the parent.
  case impossibleParent
  /// Saving the record would let more records than the limit refer to the same target with
  /// DELETE_SELF.
  case tooManyHolders(of: String, limit: Int)
  /// The deletion of a record would also delete more records than the limit, because they refer to
  /// it with DELETE_SELF.
  case cascadeTooLarge(limit: Int)
  /// The request would delete more records than the limit.
  case tooManyDeletions(limit: Int)
  /// The request has more references with an action than the limit.
  case tooManyReferences(limit: Int)
  /// The references of the request depend on each other over too many records.
  case referencesTooDeep
  /// The account has reached its storage quota.
  case quotaExceeded
  /// The response would be too large.
  case responseTooLarge
  /// Reading and encoding the records of the request is more work than the limit, in bytes of JSON.
  case batchTooLarge(limit: Int)

  // MARK: Requests

  /// The request has more items than the limit.
  case tooManyItems(Int, limit: Int)
  /// The request has several operations for the same record or zone.
  case duplicate(String)
  /// An atomic request is for the default zone.
  case atomicInDefaultZone
  /// The request needs a signed-in user.
  case authorizationNeeded
  /// The sync token or continuation marker is malformed, or was created for another purpose.
  case unknownToken
  /// The sync token or continuation marker is truncated, or belongs to another query.
  case brokenToken
  /// The sync token has expired. The client must fetch everything again.
  case expiredToken
  /// The server's data was replaced by an earlier state after it issued the sync token.
  ///
  /// The client may have records that the server has lost. A record that is missing on the server
  /// has therefore not necessarily been deleted.
  case resetToken
  /// The body cannot be decoded.
  case malformedBody(BodyDecodingError)
  /// The body has more bytes than the limit.
  case bodyTooLarge(limit: Int)
  /// The body is not valid HTTP, or the connection ended within it.
  case bodyBroken
  /// The body did not arrive in time.
  case bodyTooSlow
  /// The bodies of other requests use all the memory that is reserved for request bodies.
  case tooManyLargeRequests
  /// The responses that clients have not received yet use all the memory that is reserved for them.
  case tooManyLargeResponses
  /// The client has sent more requests than it is allowed to.
  case tooManyRequests
  /// Too many queries of the client run or wait already.
  case tooManyQueries
  /// The API token does not exist, or is for another container or environment.
  case unknownAPIToken
  /// The API token is not for web pages of this origin.
  case originNotAllowed
  /// The request has no API token.
  case missingAPIToken
  /// The request is signed with a server-to-server key, and also has an API token or a web auth
  /// token.
  case signedWithToken
  /// The date or the signature of a signed request is missing, or the date does not have the form
  /// `2016-01-25T22:15:43Z`.
  case invalidSignatureDate
  /// The server-to-server key does not exist, or is for another container or environment.
  case unknownServerToServerKey
  /// The signature is not that of the key for this date, body and path.
  case wrongSignature
  /// The date of a signed request is too far from the time of the service.
  ///
  /// - Parameters:
  ///   - seconds: How many seconds ago the request was made, by its date; negative for a date in
  ///     the future.
  ///   - limit: The maximum number of seconds.
  case staleSignature(seconds: Int, limit: Int)
  /// A request with this signature was carried out already.
  case repeatedSignature
  /// The request is signed, and is not to the public database.
  case signedNotPublic
  /// There is no push channel with this secret.
  case unknownPushChannel
  /// The service was started again, and does not know which notifications the push channel missed.
  case lostNotifications
  /// The URL of an asset was not issued by this service, has expired, or the asset is gone.
  case unusableAssetURL
  /// The range of a request is not within the asset, which has this number of bytes.
  case noSuchRange(bytes: Int)
  /// The path does not name a container, an environment and a database.
  case malformedPath
  /// The `Host` header names another host than the service's.
  case foreignHost
  /// There is no such endpoint.
  case noSuchEndpoint
  /// The endpoint is not served in this database.
  case notInDatabase(DatabaseScope)
  /// The service does not have the feature.
  ///
  /// - Parameter name: What asks for it: the name of an endpoint, a key or a type; nil if the
  ///   sentence about the feature says enough.
  case notServed(UnservedFeature, _ name: String? = nil)
  /// The endpoint is not served by this HTTP method.
  case wrongMethod(String)

  // MARK: The service

  /// The storage is busy.
  case storageBusy
  /// The storage is full.
  case storageFull
  /// Something failed in the service.
  case internalFailure
  /// The service does not have the container.
  case unknownContainer

  // MARK: Schema

  /// A record type does not exist, and the environment does not create it.
  case unknownTypeInProduction(String)
  /// A field does not exist, and the environment does not create it.
  case unknownFieldInProduction(String, type: String)
  /// A field's value does not have the declared type.
  ///
  /// - Parameters:
  ///   - found: The type of the value.
  ///   - field: The name of the field.
  ///   - type: The name of the record type.
  ///   - declared: The declared type of the field.
  case wrongType(_ found: String, field: String, type: String, declared: String)
  /// An encrypted value is to be saved in a field that is not declared as encrypted.
  case encryptedInPlainField
  /// Saving a record would extend the schema beyond `Limits.inferredTypes` or
  /// `Limits.inferredFields`.
  case schemaFull
  /// Saving a record would add a record type or field with an invalid name.
  case unusableName(String)
  /// Saving a record would add a field with the name of a property that all records have.
  case reservedFieldName(String)
  /// Saving a record would add a field whose type cannot be inferred from its value.
  case unknownElements(field: String, type: String)
  /// The caller does not have this permission for records of the type.
  case notPermitted(Permission)
  /// The development schema has changed since the operator approved it.
  case schemaChanged

  // MARK: Queries

  /// The record type of a query does not exist.
  case unknownType(String)
  /// The record lacks a field that the schema says it must have.
  case missingField(String, type: String)
  /// A field in a query does not exist.
  case unknownField(String, type: String)
  /// The query needs a QUERYABLE index that the field does not have.
  case notQueryable(String)
  /// The query needs a SORTABLE index that the field does not have.
  case notSortable(String)
  /// The query needs a SEARCHABLE index that the field does not have.
  case notSearchable(String)
  /// The query searches all SEARCHABLE fields of a record type that has none.
  case notIndexable
  /// A filter's value does not have the type that the comparator needs.
  ///
  /// - Parameters:
  ///   - found: The type of the filter's value.
  ///   - field: The name of the field.
  ///   - declared: The declared type of the field.
  case wrongFilterType(_ found: String, field: String, declared: String)
  /// The query is invalid.
  case invalidPredicate(PredicateProblem)

  // MARK: Zones and subscriptions

  /// The zone does not exist.
  case zoneNotFound
  /// The default zone cannot be deleted.
  case defaultZoneStays
  /// The public database has only the default zone.
  case noPublicZones
  /// The database has the maximum number of zones.
  case tooManyZones
  /// The zone has no change feed.
  case noFeed
  /// The public database has no change feed.
  case noPublicFeed
  /// The subscription does not exist.
  case subscriptionNotFound
  /// The operation on a subscription has no identifier.
  case missingSubscriptionID
  /// The query subscription has no query.
  case missingQuery
  /// The query subscription has no event.
  case missingEvents
  /// The zone subscription has no zone.
  case missingZone
  /// The subscription is larger than the limit in bytes.
  case subscriptionTooLarge(limit: Int)
  /// All subscriptions together are larger than the limit in bytes.
  case subscriptionsTooLarge(limit: Int)
  /// The account has the maximum number of subscriptions.
  case tooManySubscriptions
  /// The subscription has no type.
  case missingSubscriptionType
}

/// The reason why a query is invalid.
public enum PredicateProblem: Hashable, Sendable {
  /// There are more filters and sort descriptors than the limit.
  case tooManyTerms(Int, limit: Int)
  /// The comparator does not apply to fields of this type.
  case comparator(Filter.Comparator, field: String, type: String)
  /// There is no such comparator.
  ///
  /// - Parameter path: The path to it in the body, for example `query.filterBy[0].comparator`.
  case unknownComparator(path: String)
  /// The distance of a filter is negative.
  case negativeDistance
  /// Fields of this type have no order.
  case unsortable(field: String, type: String)
  /// A filter has no value.
  case missingValue(field: String)
  /// The service does not have the feature.
  ///
  /// - Parameter name: What asks for it: a comparator or a key.
  case notServed(UnservedFeature, _ name: String)
  /// The filters have more values than the limit.
  case tooManyValues(limit: Int)
  /// There are more sort descriptors than the limit.
  case tooManySorts(limit: Int)
  /// The service would have to look at too many records before it could return any.
  case tooManyRows
}
