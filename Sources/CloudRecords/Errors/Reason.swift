/// The texts of the `reason` key of errors. Clients compare some of them.
///
/// The texts are those of CloudKit, as it has been seen to send them, except where a comment says
/// "Ours".
public enum Reason {
  // MARK: Records

  /// The reason of a CONFLICT.
  public static let staleTag = "client oplock error updating record"
  /// The reason of an EXISTS.
  public static let recordExists = "record to insert already exists"
  /// The reason of an ATOMIC_ERROR.
  public static let atomicFailure = "Atomic failure"
  /// The reason of a NOT_FOUND. Ours.
  public static let recordNotFound = "record not found"
  /// The record is larger than `Limits.recordBytes`. Ours.
  public static func recordTooLarge(bytes: Int) -> String {
    "the record is \(bytes) bytes, more than the maximum of \(Limits.recordBytes)"
  }
  /// The name of a record or zone, or the identifier of a subscription, is invalid. Ours.
  public static func name(_ name: String, _ problem: NameProblem) -> String {
    "the name '\(name)' \(problem)"
  }
  /// An operation other than the creation of a record has no record name. Ours.
  public static let missingRecordName = "recordName is missing"
  /// The record that is to be created has no type. Ours.
  public static let missingRecordType = "recordType is missing"
  /// An operation that needs a change tag has none. Ours.
  public static let missingChangeTag = "recordChangeTag is missing"
  /// A reference in a record has no action. Ours.
  public static func missingAction(field: String) -> String {
    "the reference in field '\(field)' needs an action"
  }
  /// The reason of a VALIDATING_REFERENCE_ERROR.
  ///
  /// - Parameters:
  ///   - field: The field with the reference.
  ///   - recordName: The name of the record that has that field.
  public static func validatingReference(field: String, recordName: String) -> String {
    "Field=\(field), recordID=\(recordName), "
      + "title=Record delete would violate validating reference, rejecting update"
  }

  // MARK: Requests

  /// The request has too many items.
  ///
  /// The text is that of the native CloudKit framework, with the limit of the web services.
  public static func tooManyItems(_ count: Int, limit: Int) -> String {
    "Your request contains \(count) items which is more than the maximum number of items in a "
      + "single request (\(limit))"
  }
  /// The request has several operations for the same record or zone. Ours.
  public static func duplicate(_ name: String) -> String {
    "more than one operation for '\(name)'"
  }
  /// An atomic request is for the default zone. Ours.
  public static let atomicInDefaultZone = "the default zone has no atomic requests"
  /// The reason of an AUTHENTICATION_REQUIRED.
  public static let authorizationNeeded = "request needs authorization"
  /// The sync token or continuation marker is malformed, or was created for another purpose.
  public static let unknownToken = "Unknown sync continuation type"
  /// The sync token or continuation marker is truncated.
  public static let brokenToken = "Invalid continuation format"
  /// The sync token has expired. The client must fetch everything again.
  public static let expiredToken = "client knowledge differs from server knowledge"
  /// The server's data was replaced by an earlier state after it issued the sync token. Ours.
  ///
  /// The client may have records that the server has lost. A record that is missing on the server
  /// has therefore not necessarily been deleted.
  public static let resetToken = "the server was restored or reset since this token was given"

  // MARK: Schema

  /// A record type does not exist, and the environment does not create it.
  public static func unknownTypeInProduction(_ type: String) -> String {
    "Cannot create new type \(type) in production schema"
  }
  /// A field does not exist, and the environment does not create it.
  public static func unknownFieldInProduction(_ field: String, type: String) -> String {
    "Cannot create or modify field '\(field)' in record '\(type)' in production schema"
  }
  /// A field's value does not have the declared type.
  ///
  /// - Parameters:
  ///   - found: The type of the value.
  ///   - field: The name of the field.
  ///   - type: The name of the record type.
  ///   - defined: The declared type of the field.
  public static func wrongType(
    _ found: String, field: String, type: String, defined: String
  ) -> String {
    "invalid attempt to set value type \(found) for field '\(field)' for type '\(type)', "
      + "defined to be: \(defined)"
  }
  /// An encrypted value is to be saved in a field that is not declared as encrypted.
  public static let encryptedInPlainField =
    "Attempt to save encrypted data in non encrypted field type"
  /// Saving a record would extend the schema beyond `Limits.inferredTypes` or
  /// `Limits.inferredFields`.
  /// Ours.
  public static let schemaFull =
    "the schema has no room for more record types or fields made by saving; import one"
  /// Saving a record would add a record type or field with an invalid or reserved name. Ours.
  public static func unusableName(_ name: String) -> String {
    "'\(name)' cannot be the name of a record type or field"
  }
  /// Saving a record would add a field whose type cannot be inferred from its value. Ours.
  public static func unknownElements(field: String, type: String) -> String {
    "cannot tell the type of field '\(field)' in record '\(type)' from its value"
  }
  /// The reason of an ACCESS_DENIED.
  public static func notPermitted(_ permission: Permission) -> String {
    "\(permission.rawValue) operation not permitted"
  }

  // MARK: Queries

  /// The record type of a query does not exist.
  public static func unknownType(_ type: String) -> String {
    "Did not find record type \(type)"
  }
  /// A field in a query does not exist.
  public static func unknownField(_ field: String, type: String) -> String {
    "Did not find field: '\(field)' in type: '\(type)'"
  }
  /// The query needs a QUERYABLE index that the field does not have.
  public static func notQueryable(_ field: String) -> String {
    "Field '\(field)' is not marked queryable"
  }
  /// The query needs a SORTABLE index that the field does not have.
  public static func notSortable(_ field: String) -> String {
    "Field '\(field)' is not marked sortable"
  }
  /// The query needs a SEARCHABLE index that the field does not have.
  public static func notSearchable(_ field: String) -> String {
    "Field '\(field)' is not marked searchable"
  }
  /// The query searches all SEARCHABLE fields of a record type that has none.
  public static let notIndexable = "Queried type is not marked indexable"
  /// A filter's value does not have the type that the comparator needs.
  ///
  /// - Parameters:
  ///   - found: The type of the filter's value.
  ///   - field: The name of the field.
  ///   - defined: The declared type of the field.
  public static func wrongFilterType(
    _ found: String, field: String, defined: String
  ) -> String {
    "Field '\(field)' has a value type of \(defined) and cannot be queried using filter value "
      + "type \(found)"
  }
  /// The query is invalid. The first two words are CloudKit's, the detail is ours.
  public static func invalidPredicate(_ detail: String) -> String {
    "Invalid predicate: \(detail)"
  }
}
