/// Where a record is: a zone of a database.
///
/// Two dictionaries may name one zone differently: a request may leave out the owner, and
/// only answers tell the type. Compare names where the database is known.
public struct ZoneID: Hashable, Sendable {
  public var zoneName: String
  /// The user record name of the zone's owner.
  public var ownerRecordName: String?
  /// Seen only in answers.
  public var zoneType: ZoneType?

  /// What an answer says of a zone.
  public struct ZoneType: RawRepresentable, Codable, Hashable, Sendable {
    public var rawValue: String

    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    public static let `default` = Self(rawValue: "DEFAULT_ZONE")
    public static let custom = Self(rawValue: "REGULAR_CUSTOM_ZONE")
  }

  public init(_ zoneName: String, ownerRecordName: String? = nil, zoneType: ZoneType? = nil) {
    self.zoneName = zoneName
    self.ownerRecordName = ownerRecordName
    self.zoneType = zoneType
  }

  /// The zone every database has.
  public static let `default` = ZoneID(defaultName)
  public static let defaultName = "_defaultZone"

  public var isDefault: Bool { zoneName == Self.defaultName }

  /// What keeps a name from being a new zone's; nil where nothing does.
  ///
  /// The rules are those of record names.
  public static func problem(withName name: String) -> NameProblem? {
    NameProblem(in: name, length: Limits.zoneNameLength)
  }
}

extension ZoneID: Codable {
  private enum CodingKeys: CodingKey { case zoneName, ownerRecordName, zoneType }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    zoneName = try container.decodeIfPresent(String.self, forKey: .zoneName) ?? Self.defaultName
    ownerRecordName = try container.decodeIfPresent(String.self, forKey: .ownerRecordName)
    zoneType = try container.decodeIfPresent(ZoneType.self, forKey: .zoneType)
  }
}
