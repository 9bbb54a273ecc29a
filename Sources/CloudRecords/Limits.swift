/// How much of anything there may be.
///
/// [A] marks Apple's published limits (cloudkit-web-services.md 3), the others are ours.
public enum Limits {
  /// Operations in one request, look-ups and zones alike; see `check(items:atMost:)`. [A]
  public static let operations = 200
  /// Records in one page of an answer. [A]
  public static let pageRecords = 200
  /// Bytes of a page: it ends with the record that crosses this.
  public static let pageBytes = 4 << 20
  /// Bytes of a record without its assets, as `RecordSize` counts them. [A]
  public static let recordBytes = 1 << 20
  /// Bytes of a request's body.
  public static let requestBytes = 8 << 20
  /// Bytes of JSON in one request that a client sends; a larger record goes alone.
  public static let batchBytes = 1 << 20
  /// Records that may refer to one target with DELETE_SELF. [A]
  public static let cascade = 750
  /// Tokens of one assets/upload. [A]
  public static let assetTokens = 200
  /// Bytes of one asset. Apple gives 50 MB on one page and 15 MB on another.
  public static let assetBytes = 50 << 20
  /// Seconds an upload URL is good for. [A]
  public static let uploadSeconds = 15 * 60
  /// Characters of a record name: fewer than 256, that is. [A]
  public static let recordNameLength = 255
  public static let zoneNameLength = 255
  public static let containerNameLength = 255
  /// Characters of a record type's, a field's and a role's name.
  public static let schemaNameLength = 255
  public static let subscriptionIDLength = 255
  /// Bytes of a schema's text.
  public static let schemaBytes = 4 << 20
  /// Seconds around its date that a signed request is good for. [A]
  public static let signatureSeconds = 10 * 60
  /// Filters and sorts of one query.
  public static let queryTerms = 100
  /// Names of fields, or of record types, that a request may pick out.
  public static let desiredNames = 1000
  /// Record types that a schema may have grown to have, and fields in all of them; one that is
  /// written may have more.
  public static let grownTypes = 100
  public static let grownFields = 2000

  /// Checks how many names a request picks out.
  ///
  /// - Throws: a BAD_REQUEST for the whole request.
  public static func check(desired names: [String]?...) throws(ServiceError) {
    for names in names {
      try check(items: names?.count ?? 0, atMost: desiredNames)
    }
  }

  /// Checks how many items a request has.
  ///
  /// - Throws: a BAD_REQUEST for the whole request.
  public static func check(items count: Int, atMost limit: Int) throws(ServiceError) {
    guard count <= limit else {
      throw ServiceError(.badRequest, reason: Reason.tooManyItems(count, limit: limit))
    }
  }
}
