/// A record zone in a response.
public struct Zone: Hashable, Sendable {
  /// The zone's identifier.
  public var zoneID: ZoneID
  /// The newest sync token of the zone; nil if the zone has no change feed.
  public var syncToken: String?
  /// Whether requests can be atomic in this zone; false for the default zone.
  public var atomic: Bool?
  /// Whether the zone has been deleted; only in responses with the zones that have changed.
  public var deleted: Bool

  /// Creates a zone as it appears in a response. `syncToken` is nil if the zone has no change feed.
  public init(
    _ zoneID: ZoneID, syncToken: String? = nil, atomic: Bool? = nil, deleted: Bool = false
  ) {
    self.zoneID = zoneID
    self.syncToken = syncToken
    self.atomic = atomic
    self.deleted = deleted
  }
}

extension Zone: Codable {
  private enum CodingKeys: CodingKey { case zoneID, syncToken, atomic, deleted }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    zoneID = try container.decode(ZoneID.self, forKey: .zoneID)
    syncToken = try container.decodeIfPresent(String.self, forKey: .syncToken)
    atomic = try container.decodeIfPresent(Bool.self, forKey: .atomic)
    deleted = try container.decodeIfPresent(Bool.self, forKey: .deleted) ?? false
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(zoneID, forKey: .zoneID)
    try container.encodeIfPresent(syncToken, forKey: .syncToken)
    try container.encodeIfPresent(atomic, forKey: .atomic)
    if deleted { try container.encode(true, forKey: .deleted) }
  }
}
