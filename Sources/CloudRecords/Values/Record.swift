public import FoundationEssentials

/// A record in a response.
public struct Record: Hashable, Sendable {
  /// The record's name, unique in its zone.
  public var recordName: String
  /// The name of the record's type.
  public var recordType: String
  /// The fields by name.
  public var fields: [String: Field] {
    get { content.values }
    set { content = .values(newValue) }
  }
  /// The fields, or the JSON of which they are decoded.
  private(set) var content: RecordFields
  /// The change tag of this version of the record: an opaque string that changes with every
  /// modification.
  public var recordChangeTag: String?
  /// The time and author of the record's creation.
  public var created: ModificationInfo?
  /// The time and author of the last modification.
  public var modified: ModificationInfo?
  /// The record's zone; nil if the response does not state it.
  public var zoneID: ZoneID?
  /// The record's parent in a shared hierarchy.
  public var parent: Parent?

  public init(
    _ recordName: String, type recordType: String, fields: [String: Field] = [:],
    recordChangeTag: String? = nil, created: ModificationInfo? = nil,
    modified: ModificationInfo? = nil,
    zoneID: ZoneID? = nil, parent: Parent? = nil
  ) {
    self.recordName = recordName
    self.recordType = recordType
    content = .values(fields)
    self.recordChangeTag = recordChangeTag
    self.created = created
    self.modified = modified
    self.zoneID = zoneID
    self.parent = parent
  }

  /// Creates a record with fields that are encoded as `CanonicalJSON`. They are encoded unchanged
  /// in a response, and decoded whenever they are read.
  ///
  /// - Throws: A `BodyDecodingError` if the data are not well-formed JSON.
  public init(
    _ recordName: String, type recordType: String, canonicalFields: Data,
    recordChangeTag: String? = nil, created: ModificationInfo? = nil,
    modified: ModificationInfo? = nil, zoneID: ZoneID? = nil, parent: Parent? = nil
  ) throws(BodyDecodingError) {
    try CanonicalJSON.check(canonicalFields)
    self.init(
      recordName, type: recordType, recordChangeTag: recordChangeTag, created: created,
      modified: modified, zoneID: zoneID, parent: parent)
    content = .json(canonicalFields)
  }

  /// The value of a field; nil if the field is missing or null, or the type of its value is not
  /// known. Setting nil removes the field.
  public subscript(field: String) -> FieldValue? {
    get { fields[field]?.value }
    set { fields[field] = newValue.map { Field($0) } }
  }

  /// Returns the record with only some of its fields.
  ///
  /// - Parameter keys: The names of the fields; nil for all fields.
  public func selecting(_ keys: Set<String>?) -> Record {
    guard let keys else { return self }
    var record = self
    record.content = content.selecting(keys)
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
    content = .values(
      try container.decodeIfPresent([String: Field].self, forKey: .fields) ?? [:])
    recordChangeTag = try container.decodeIfPresent(String.self, forKey: .recordChangeTag)
    created = try container.decodeIfPresent(ModificationInfo.self, forKey: .created)
    modified = try container.decodeIfPresent(ModificationInfo.self, forKey: .modified)
    zoneID = try container.decodeIfPresent(ZoneID.self, forKey: .zoneID)
    parent = try container.decodeIfPresent(Parent.self, forKey: .parent)
  }

  /// Encodes the record. `deleted` and `pluginFields` are always present, because clients expect
  /// them.
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
