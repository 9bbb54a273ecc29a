/// A deleted record in a response.
public struct Tombstone: Hashable, Sendable {
  /// The name of the deleted record.
  public var recordName: String
  /// The name of the record's type; nil if the service does not send it.
  public var recordType: String?
  /// The change tag of the deletion; nil if the service does not send it.
  public var recordChangeTag: String?
  /// The change tag of the version that was deleted; nil if the service does not send it. Apple's
  /// service does not.
  public var deletedChangeTag: String?
  /// The zone of the record; nil if the service does not send it.
  public var zoneID: ZoneID?

  /// Creates the item for a deleted record. What the service does not send is nil.
  public init(
    _ recordName: String, type recordType: String? = nil, recordChangeTag: String? = nil,
    deletedChangeTag: String? = nil, zoneID: ZoneID? = nil
  ) {
    self.recordName = recordName
    self.recordType = recordType
    self.recordChangeTag = recordChangeTag
    self.deletedChangeTag = deletedChangeTag
    self.zoneID = zoneID
  }
}

extension Tombstone: Codable {
  private enum CodingKeys: CodingKey {
    case recordName, recordType, recordChangeTag, deletedChangeTag, zoneID, deleted
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    recordName = try container.decode(String.self, forKey: .recordName)
    recordType = try container.decodeIfPresent(String.self, forKey: .recordType)
    recordChangeTag = try container.decodeIfPresent(String.self, forKey: .recordChangeTag)
    deletedChangeTag = try container.decodeIfPresent(String.self, forKey: .deletedChangeTag)
    zoneID = try container.decodeIfPresent(ZoneID.self, forKey: .zoneID)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(recordName, forKey: .recordName)
    try container.encodeIfPresent(recordType, forKey: .recordType)
    try container.encodeIfPresent(recordChangeTag, forKey: .recordChangeTag)
    try container.encodeIfPresent(deletedChangeTag, forKey: .deletedChangeTag)
    try container.encodeIfPresent(zoneID, forKey: .zoneID)
    try container.encode(true, forKey: .deleted)
  }
}
