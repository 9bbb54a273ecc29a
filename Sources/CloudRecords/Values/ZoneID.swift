/// The identifier of a record zone.
///
/// Two identifiers of the same zone can be unequal: a request may omit the owner, and only
/// responses state the type. To compare zones of one database, compare `zoneName`.
public struct ZoneID: Hashable, Sendable {
  /// The name of the zone.
  public var zoneName: String
  /// The user record name of the zone's owner; nil if it is not stated.
  public var ownerRecordName: String?
  /// The type of the zone; only in responses.
  public var zoneType: ZoneType?

  /// The type of a zone.
  public struct ZoneType: RawRepresentable, Codable, Hashable, Sendable {
    /// The name of the type in the JSON of the service.
    public var rawValue: String

    /// Creates a type from its name.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// The default zone.
    public static let `default` = Self(rawValue: "DEFAULT_ZONE")
    /// A zone that a client has created.
    public static let custom = Self(rawValue: "REGULAR_CUSTOM_ZONE")
  }

  /// Creates the identifier of the zone with this name. A request may omit the owner and the type.
  public init(_ zoneName: String, ownerRecordName: String? = nil, zoneType: ZoneType? = nil) {
    self.zoneName = zoneName
    self.ownerRecordName = ownerRecordName
    self.zoneType = zoneType
  }

  /// The default zone, which every database has.
  public static let `default` = ZoneID(defaultName)
  /// The name of the default zone.
  public static let defaultName = "_defaultZone"

  /// Whether the identifier names the default zone.
  public var isDefault: Bool { zoneName == Self.defaultName }

  /// Returns the reason why a name is not valid for a new zone; nil if it is valid.
  ///
  /// The rules are those for record names, but the maximum length is `Limits.zoneNameLength`.
  public static func problem(withName name: String) -> NameProblem? {
    NameProblem(in: name, limit: Limits.zoneNameLength)
  }
}

extension ZoneID: Codable {
  private enum CodingKeys: CodingKey { case zoneName, ownerRecordName, zoneType }

  /// Decodes an identifier; without `zoneName` it is that of the default zone.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    zoneName = try container.decodeIfPresent(String.self, forKey: .zoneName) ?? Self.defaultName
    ownerRecordName = try container.decodeIfPresent(String.self, forKey: .ownerRecordName)
    zoneType = try container.decodeIfPresent(ZoneType.self, forKey: .zoneType)
  }
}
