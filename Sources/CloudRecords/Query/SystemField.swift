/// A field that every record has.
///
/// The raw value is the field's name in a schema. Queries can use that name or `queryName`.
public enum SystemField: String, CaseIterable, Hashable, Sendable {
  /// The time at which the record was created.
  case createTime = "___createTime"
  /// The user who created the record.
  case createdBy = "___createdBy"
  /// The record's change tag.
  case etag = "___etag"
  /// The time of the last modification.
  case modTime = "___modTime"
  /// The user who made the last modification.
  case modifiedBy = "___modifiedBy"
  /// The record's name.
  case recordID = "___recordID"
  /// The record's parent in a shared hierarchy.
  case parent = "___parent"
  /// The share that the record belongs to.
  case share = "___share"

  /// The fields that CloudKit exports with every record type, in the order of the export.
  public static let implicit: [SystemField] = [
    .createTime, .createdBy, .etag, .modTime, .modifiedBy, .recordID,
  ]

  /// The field's name as the `systemFieldName` of a query; nil for `etag`.
  public var queryName: String? {
    switch self {
    case .createTime: "createdTimestamp"
    case .createdBy: "createdUserRecordName"
    case .etag: nil
    case .modTime: "modifiedTimestamp"
    case .modifiedBy: "modifiedUserRecordName"
    case .recordID: "recordName"
    case .parent: "parent"
    case .share: "share"
    }
  }

  /// Creates a system field from the name that queries use, `queryName`; nil if the name is
  /// unknown.
  public init?(queryName: String) {
    guard let field = Self.allCases.first(where: { $0.queryName == queryName }) else { return nil }
    self = field
  }

  /// The field's name in error messages. CloudKit has been seen to send `recordName` and
  /// `_createdTime`; the other names follow the same pattern.
  public var reasonName: String {
    switch self {
    case .createTime: "_createdTime"
    case .createdBy: "_createdBy"
    case .etag: "_etag"
    case .modTime: "_modifiedTime"
    case .modifiedBy: "_modifiedBy"
    case .recordID: "recordName"
    case .parent: "_parent"
    case .share: "_share"
    }
  }

  /// The type of the field.
  public var type: FieldType {
    switch self {
    case .createTime, .modTime: .timestamp
    case .etag: .string
    case .createdBy, .modifiedBy, .recordID, .parent, .share: .reference
    }
  }
}
