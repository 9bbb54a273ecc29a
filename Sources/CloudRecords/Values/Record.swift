/// A record as an answer has it.
public struct Record: Hashable, Sendable {
  public var recordName: String
  public var recordType: String
  public var fields: [String: Field]
  /// Opaque; new with every change.
  public var recordChangeTag: String?
  public var created: Stamp?
  public var modified: Stamp?
  public var zoneID: ZoneID?
  public var parent: Parent?

  public init(
    _ recordName: String, type recordType: String, fields: [String: Field] = [:],
    recordChangeTag: String? = nil, created: Stamp? = nil, modified: Stamp? = nil,
    zoneID: ZoneID? = nil, parent: Parent? = nil
  ) {
    self.recordName = recordName
    self.recordType = recordType
    self.fields = fields
    self.recordChangeTag = recordChangeTag
    self.created = created
    self.modified = modified
    self.zoneID = zoneID
    self.parent = parent
  }

  /// The value of a field; nil where there is none. Setting nil removes the field.
  public subscript(field: String) -> FieldValue? {
    get { fields[field]?.value }
    set { fields[field] = newValue.map { Field($0) } }
  }

  /// The record with only the fields a request asked for.
  ///
  /// - Parameter keys: nil for all of them.
  public func selecting(_ keys: Set<String>?) -> Record {
    guard let keys else { return self }
    var record = self
    record.fields = fields.filter { keys.contains($0.key) }
    return record
  }
}

extension Record: Codable {
  private enum CodingKeys: CodingKey {
    case recordName, recordType, fields, recordChangeTag, created, modified, zoneID, parent
    case deleted, pluginFields
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    recordName = try container.decode(String.self, forKey: .recordName)
    recordType = try container.decode(String.self, forKey: .recordType)
    fields = try container.decodeIfPresent([String: Field].self, forKey: .fields) ?? [:]
    recordChangeTag = try container.decodeIfPresent(String.self, forKey: .recordChangeTag)
    created = try container.decodeIfPresent(Stamp.self, forKey: .created)
    modified = try container.decodeIfPresent(Stamp.self, forKey: .modified)
    zoneID = try container.decodeIfPresent(ZoneID.self, forKey: .zoneID)
    parent = try container.decodeIfPresent(Parent.self, forKey: .parent)
  }

  /// `deleted` and `pluginFields` are always written: clients read them.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(recordName, forKey: .recordName)
    try container.encode(recordType, forKey: .recordType)
    try container.encode(fields, forKey: .fields)
    try container.encodeIfPresent(recordChangeTag, forKey: .recordChangeTag)
    try container.encodeIfPresent(created, forKey: .created)
    try container.encodeIfPresent(modified, forKey: .modified)
    try container.encodeIfPresent(zoneID, forKey: .zoneID)
    try container.encodeIfPresent(parent, forKey: .parent)
    try container.encode(false, forKey: .deleted)
    try container.encode([String: String](), forKey: .pluginFields)
  }
}
