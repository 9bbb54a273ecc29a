/// The words of the service, in one place: clients compare some of them.
///
/// Those not marked as ours were seen of CloudKit (cloudkit-web-services.md 1.14 and
/// record-service.md).
public enum Reason {
  // MARK: Records

  public static let staleTag = "client oplock error updating record"
  public static let recordExists = "record to insert already exists"
  public static let atomicFailure = "Atomic failure"
  /// Ours.
  public static let recordNotFound = "record not found"
  /// Ours.
  public static func recordTooLarge(bytes: Int) -> String {
    "the record is \(bytes) bytes, more than the maximum of \(Limits.recordBytes)"
  }
  /// Ours.
  public static func name(_ name: String, _ problem: NameProblem) -> String {
    "the name '\(name)' \(problem)"
  }
  /// Ours.
  public static let missingRecordName = "recordName is missing"
  /// Ours.
  public static let missingRecordType = "recordType is missing"
  /// Ours.
  public static let missingChangeTag = "recordChangeTag is missing"
  /// Ours.
  public static func missingAction(field: String) -> String {
    "the reference in field '\(field)' needs an action"
  }
  public static func validatingReference(field: String, recordName: String) -> String {
    "Field=\(field), recordID=\(recordName), "
      + "title=Record delete would violate validating reference, rejecting update"
  }

  // MARK: Requests

  /// The native framework's words, with the limit of the web services.
  public static func tooManyItems(_ count: Int, limit: Int) -> String {
    "Your request contains \(count) items which is more than the maximum number of items in a "
      + "single request (\(limit))"
  }
  /// Ours.
  public static func duplicate(_ name: String) -> String {
    "more than one operation for '\(name)'"
  }
  /// Ours.
  public static let atomicInDefaultZone = "the default zone has no atomic requests"
  public static let authorizationNeeded = "request needs authorization"
  public static let unknownToken = "Unknown sync continuation type"
  public static let brokenToken = "Invalid continuation format"
  public static let expiredToken = "client knowledge differs from server knowledge"
  /// Ours: what a client knows may be newer than what the server holds, so that what is missing
  /// there was not deleted.
  public static let resetToken = "the server was restored or reset since this token was given"

  // MARK: Schema

  public static func unknownTypeInProduction(_ type: String) -> String {
    "Cannot create new type \(type) in production schema"
  }
  public static func unknownFieldInProduction(_ field: String, type: String) -> String {
    "Cannot create or modify field '\(field)' in record '\(type)' in production schema"
  }
  public static func wrongType(
    _ found: String, field: String, type: String, defined: String
  ) -> String {
    "invalid attempt to set value type \(found) for field '\(field)' for type '\(type)', "
      + "defined to be: \(defined)"
  }
  public static let encryptedInPlainField =
    "Attempt to save encrypted data in non encrypted field type"
  /// Ours.
  public static let schemaFull =
    "the schema has no room for more record types or fields made by saving; import one"
  /// Ours.
  public static func unusableName(_ name: String) -> String {
    "'\(name)' cannot be the name of a record type or field"
  }
  /// Ours.
  public static func unknownElements(field: String, type: String) -> String {
    "cannot tell the type of field '\(field)' in record '\(type)' from its value"
  }
  public static func notPermitted(_ permission: Permission) -> String {
    "\(permission.rawValue) operation not permitted"
  }

  // MARK: Queries

  public static func unknownType(_ type: String) -> String {
    "Did not find record type \(type)"
  }
  public static func unknownField(_ field: String, type: String) -> String {
    "Did not find field: '\(field)' in type: '\(type)'"
  }
  public static func notQueryable(_ field: String) -> String {
    "Field '\(field)' is not marked queryable"
  }
  public static func notSortable(_ field: String) -> String {
    "Field '\(field)' is not marked sortable"
  }
  public static func notSearchable(_ field: String) -> String {
    "Field '\(field)' is not marked searchable"
  }
  public static let notIndexable = "Queried type is not marked indexable"
  public static func wrongFilterType(
    _ found: String, field: String, defined: String
  ) -> String {
    "Field '\(field)' has a value type of \(defined) and cannot be queried using filter value "
      + "type \(found)"
  }
  /// The first two words are CloudKit's, the rest is ours.
  public static func invalidPredicate(_ detail: String) -> String {
    "Invalid predicate: \(detail)"
  }
}
