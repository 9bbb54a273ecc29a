public import CloudRecords

/// Records for a database of an ephemeral service.
public struct Seed: Hashable, Sendable {
  /// The records, as `records/modify` takes them. A record without a name gets one.
  public var records: [RecordInput]
  /// The user who saves the records, and whose private database gets them; nil for the first user.
  public var user: String?
  /// The environment.
  public var environment: ContainerEnvironment
  /// The database.
  public var database: DatabaseScope
  /// The zone of the records that name none; nil for the default zone.
  public var zoneID: ZoneID?

  public init(
    _ records: [RecordInput], of user: String? = nil,
    _ environment: ContainerEnvironment = .development, _ database: DatabaseScope = .private,
    in zoneID: ZoneID? = nil
  ) {
    self.records = records
    self.user = user
    self.environment = environment
    self.database = database
    self.zoneID = zoneID
  }
}

extension Seed: Codable {
  private enum CodingKeys: String, CodingKey, CaseIterable {
    case records, user, environment, database, zoneID
  }

  /// The keys of the JSON object, and of the records in it as CloudKit Web Services document them,
  /// also those of responses, so that a record that was looked up can be a seed.
  static let keys = Set(
    CodingKeys.allCases.map(\.rawValue) + [
      "recordName", "recordType", "recordChangeTag", "fields", "parent", "created", "modified",
      "deleted", "pluginFields", "share", "shortGUID", "createShortGUID", "forRecord",
      "publicPermission", "participants",
      // Fields, references and zones.
      "value", "type", "isEncrypted", "action", "zoneName", "ownerRecordName", "zoneType",
      // Assets.
      "fileChecksum", "size", "wrappingKey", "referenceChecksum", "receipt", "downloadURL",
      // Locations, and who changed a record when.
      "latitude", "longitude", "horizontalAccuracy", "verticalAccuracy", "altitude", "speed",
      "course", "timestamp", "userRecordName", "deviceID",
    ])

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      try container.decode([RecordInput].self, forKey: .records),
      of: try container.decodeIfPresent(String.self, forKey: .user),
      try container.decodeIfPresent(ContainerEnvironment.self, forKey: .environment)
        ?? .development,
      try container.decodeIfPresent(DatabaseScope.self, forKey: .database) ?? .private,
      in: try container.decodeIfPresent(ZoneID.self, forKey: .zoneID))
  }
}
