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
  private enum CodingKeys: String, CodingKey {
    case records, user, environment, database, zoneID
  }

  /// The keys of the JSON object, and those of its records, as CloudKit Web Services document them.
  /// Keys that only responses have are included, so that a record that was looked up can be a seed.
  static let keys = KnownKeys.object([
    [
      "user": .unchecked, "environment": .unchecked, "database": .unchecked, "zoneID": zone,
      "records": record,
    ]
  ])

  private static let zone = KnownKeys.object(["zoneName", "ownerRecordName", "zoneType"])

  private static let record: KnownKeys = {
    let change = KnownKeys.object(["timestamp", "userRecordName", "deviceID"])
    let field = KnownKeys.object([
      [
        "value": .object([reference, location, asset]), "type": .unchecked,
        "isEncrypted": .unchecked,
      ]
    ])
    var keys = KnownKeys.unchecked([
      "recordName", "recordType", "recordChangeTag", "deleted", "pluginFields", "shortGUID",
      // Keys that ask for a share. They are allowed here, so that the error is about sharing.
      "share", "createShortGUID", "forRecord", "publicPermission", "participants",
    ])
    keys["fields"] = .named(field)
    keys["zoneID"] = zone
    keys["parent"] = .object(["recordName"])
    keys["created"] = change
    keys["modified"] = change
    return .object([keys])
  }()

  private static let reference: [String: KnownKeys] = [
    "recordName": .unchecked, "action": .unchecked, "zoneID": zone,
  ]
  private static let location = KnownKeys.unchecked([
    "latitude", "longitude", "horizontalAccuracy", "verticalAccuracy", "altitude", "speed",
    "course", "timestamp",
  ])
  private static let asset = KnownKeys.unchecked([
    "fileChecksum", "size", "wrappingKey", "referenceChecksum", "receipt", "downloadURL",
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
