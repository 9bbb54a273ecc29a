/// The limits of requests, responses and values.
///
/// Limits marked with [A] are published in Apple's CloudKit Web Services Reference. The others are
/// limits of this project.
public enum Limits {
  /// The maximum number of operations in a request, and of items in a lookup request. [A]
  public static let operations = 200
  /// The maximum number of records in a page of a response. [A]
  public static let pageRecords = 200
  /// The size of a page in bytes: a page ends with the record that reaches it.
  public static let pageBytes = 4 << 20
  /// The maximum size of a record without its assets in bytes, as `RecordSize` counts it. [A]
  public static let recordBytes = 1 << 20
  /// The maximum size of an asset in bytes. [A] (The page on uploads says 15 MB.)
  public static let assetBytes = 50_000_000
  /// The maximum size of a request body in bytes. An asset that is uploaded may be larger.
  public static let requestBytes = 8 << 20
  /// The maximum size of the JSON in bytes that a client sends in one request. A larger operation
  /// is sent in a request of its own.
  public static let batchBytes = 1 << 20
  /// The maximum number of records that refer to one record with DELETE_SELF. [A]
  public static let cascade = 750
  /// The maximum length of a record name in characters, all of which are ASCII. [A]
  public static let recordNameLength = 255
  /// The maximum length of a zone name in characters, all of which are ASCII.
  public static let zoneNameLength = 255
  /// The maximum length of a container name in bytes.
  public static let containerNameLength = 255
  /// The maximum length of the name of a record type, field or role in bytes.
  public static let schemaNameLength = 255
  /// The maximum length of a subscription identifier in bytes.
  public static let subscriptionIDLength = 255
  /// The maximum size of a schema's source in bytes.
  public static let schemaBytes = 4 << 20
  /// The maximum number of filters and sort descriptors in a query.
  public static let queryTerms = 100
  /// The maximum number of field names or record type names in one list of a request.
  public static let desiredNames = 1000
  /// The maximum number of record types in a schema that is extended by saving records. An imported
  /// schema may have more.
  public static let inferredTypes = 100
  /// The maximum number of fields, of all record types together, in a schema that is extended by
  /// saving records. An imported schema may have more.
  public static let inferredFields = 2000

  /// Checks the number of names in each list of field names or record type names.
  ///
  /// - Throws: A BAD_REQUEST error if a list has more than `desiredNames` names.
  public static func check(desired names: [String]?...) throws(ServiceError) {
    for names in names {
      try check(items: names?.count ?? 0, atMost: desiredNames)
    }
  }

  /// Checks the number of items in a request.
  ///
  /// - Throws: A BAD_REQUEST error if there are more than `limit` items.
  public static func check(items count: Int, atMost limit: Int) throws(ServiceError) {
    guard count <= limit else {
      throw ServiceError(.badRequest, cause: .tooManyItems(count, limit: limit))
    }
  }
}
