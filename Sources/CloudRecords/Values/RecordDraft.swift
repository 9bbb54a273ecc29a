/// A record as a request has it: what is to become of one.
public struct RecordDraft: Hashable, Sendable {
  /// Nil for a new record that the server is to name.
  public var recordName: String?
  /// Nil where the record is only named, as for deletion.
  public var recordType: String?
  /// Those to be set; one that is `.null` is cleared.
  public var fields: [String: Field]
  /// The tag the record is known with.
  public var recordChangeTag: String?
  public var zoneID: ZoneID?
  public var parent: Parent?

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

  /// The value of a field. Setting nil clears the field on the server.
  public subscript(field: String) -> FieldValue? {
    get { fields[field]?.value }
    set { fields[field] = newValue.map { Field($0) } ?? .null }
  }
}

extension RecordDraft: Codable {
  private enum CodingKeys: CodingKey {
    case recordName, recordType, fields, recordChangeTag, zoneID, parent
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    recordName = try container.decodeIfPresent(String.self, forKey: .recordName)
    recordType = try container.decodeIfPresent(String.self, forKey: .recordType)
    fields = try container.decodeIfPresent([String: Field].self, forKey: .fields) ?? [:]
    recordChangeTag = try container.decodeIfPresent(String.self, forKey: .recordChangeTag)
    zoneID = try container.decodeIfPresent(ZoneID.self, forKey: .zoneID)
    parent = try container.decodeIfPresent(Parent.self, forKey: .parent)
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
