/// A record in a request: the fields to save, or only the name of a record to delete.
public struct RecordInput: Hashable, Sendable {
  /// The record's name; nil for a new record whose name the server generates.
  public var recordName: String?
  /// The name of the record's type; may be nil if the record exists.
  public var recordType: String?
  /// The fields to set, by name. A field whose value is `.null` is cleared.
  public var fields: [String: Field]
  /// The change tag of the version that the client has.
  public var recordChangeTag: String?
  /// The record's zone; nil for the zone of the request.
  public var zoneID: ZoneID?
  /// The record's parent in a shared hierarchy.
  public var parent: Parent?
  /// What asks for a share in a record that was decoded; nil if nothing does. It is not encoded.
  public var sharing: SharingRequest?

  /// Creates a record to save or to delete; see the properties for what may be nil.
  public init(
    _ recordName: String? = nil, type recordType: String? = nil, fields: [String: Field] = [:],
    recordChangeTag: String? = nil, zoneID: ZoneID? = nil, parent: Parent? = nil
  ) {
    self.recordName = recordName
    self.recordType = recordType
    self.fields = fields
    self.recordChangeTag = recordChangeTag
    self.zoneID = zoneID
    self.parent = parent
  }

  /// The value of a field to set; nil if the field is missing or null, or the type of its value is
  /// not known. Setting nil clears the field on the server.
  public subscript(field: String) -> FieldValue? {
    get { fields[field]?.value }
    set { fields[field] = newValue.map { Field($0) } ?? .null }
  }
}

extension RecordInput: Codable {
  private enum CodingKeys: CodingKey {
    case recordName, recordType, fields, recordChangeTag, zoneID, parent
    case createShortGUID, forRecord, publicPermission, participants
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    recordName = try container.decodeIfPresent(String.self, forKey: .recordName)
    recordType = try container.decodeIfPresent(String.self, forKey: .recordType)
    fields = try container.decodeIfPresent([String: Field].self, forKey: .fields) ?? [:]
    recordChangeTag = try container.decodeIfPresent(String.self, forKey: .recordChangeTag)
    zoneID = try container.decodeIfPresent(ZoneID.self, forKey: .zoneID)
    parent = try container.decodeIfPresent(Parent.self, forKey: .parent)
    sharing = try container.sharingRequest()
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(recordName, forKey: .recordName)
    try container.encodeIfPresent(recordType, forKey: .recordType)
    if !fields.isEmpty { try container.encode(fields, forKey: .fields) }
    try container.encodeIfPresent(recordChangeTag, forKey: .recordChangeTag)
    try container.encodeIfPresent(zoneID, forKey: .zoneID)
    try container.encodeIfPresent(parent, forKey: .parent)
  }
}
