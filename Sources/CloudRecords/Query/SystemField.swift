/// A field that records have by themselves.
///
/// The raw value is its name in a schema; queries may use that or `queryName`.
public enum SystemField: String, CaseIterable, Hashable, Sendable {
  case createTime = "___createTime"
  case createdBy = "___createdBy"
  case etag = "___etag"
  case modTime = "___modTime"
  case modifiedBy = "___modifiedBy"
  case recordID = "___recordID"
  case parent = "___parent"
  case share = "___share"

  /// Those every record type has, in the order in which CloudKit exports them.
  public static let implicit: [SystemField] = [
    .createTime, .createdBy, .etag, .modTime, .modifiedBy, .recordID,
  ]

  /// The name as `systemFieldName` in a query; `etag` has none.
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

  /// - Parameter queryName: as in `queryName`.
  public init?(queryName: String) {
    guard let field = Self.allCases.first(where: { $0.queryName == queryName }) else { return nil }
    self = field
  }

  /// The name in error texts: `recordName` and `_createdTime` were seen of CloudKit, the
  /// others are formed alike.
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

  public var type: FieldType {
    switch self {
    case .createTime, .modTime: .timestamp
    case .etag: .string
    case .createdBy, .modifiedBy, .recordID, .parent, .share: .reference
    }
  }
}
