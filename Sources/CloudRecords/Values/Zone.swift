/// A zone as an answer has it.
public struct Zone: Hashable, Sendable {
  public var zoneID: ZoneID
  /// Where the zone has a change feed: the feed's newest token.
  public var syncToken: String?
  /// Whether operations can be all or nothing here; false in the default zone.
  public var atomic: Bool?
  /// Whether the zone is gone: only in change feeds.
  public var deleted: Bool

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
