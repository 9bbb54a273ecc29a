/// The change feeds of several zones.
public enum ChangesZone: Endpoint {
  public static let route = Route.changesZone

  public struct ZoneRequest: Codable, Hashable, Sendable {
    public var zoneID: ZoneID
    /// Where the former page ended; nil for everything from the start. Never an empty string:
    /// what that means is not the same everywhere.
    public var syncToken: String?
    public var resultsLimit: Int?
    public var desiredKeys: [String]?
    public var desiredRecordTypes: [String]?
    public var reverse: Bool?
    public var numbersAsStrings: Bool?

    public init(
      _ zoneID: ZoneID, syncToken: String? = nil, resultsLimit: Int? = nil,
      desiredKeys: [String]? = nil, desiredRecordTypes: [String]? = nil, reverse: Bool? = nil,
      numbersAsStrings: Bool? = nil
    ) {
      self.zoneID = zoneID
      self.syncToken = syncToken
      self.resultsLimit = resultsLimit
      self.desiredKeys = desiredKeys
      self.desiredRecordTypes = desiredRecordTypes
      self.reverse = reverse
      self.numbersAsStrings = numbersAsStrings
    }
  }

  public struct Request: Codable, Hashable, Sendable {
    public var zones: [ZoneRequest]
    /// What is here is for every zone that does not have its own.
    public var resultsLimit: Int?
    public var desiredKeys: [String]?
    public var desiredRecordTypes: [String]?
    public var reverse: Bool?
    public var numbersAsStrings: Bool?

    public init(
      zones: [ZoneRequest], resultsLimit: Int? = nil, desiredKeys: [String]? = nil,
      desiredRecordTypes: [String]? = nil, reverse: Bool? = nil, numbersAsStrings: Bool? = nil
    ) {
      self.zones = zones
      self.resultsLimit = resultsLimit
      self.desiredKeys = desiredKeys
      self.desiredRecordTypes = desiredRecordTypes
      self.reverse = reverse
      self.numbersAsStrings = numbersAsStrings
    }

    /// The zones, each with what it does not say itself.
    public var resolvedZones: [ZoneRequest] {
      zones.map { zone in
        var zone = zone
        zone.resultsLimit = zone.resultsLimit ?? resultsLimit
        zone.desiredKeys = zone.desiredKeys ?? desiredKeys
        zone.desiredRecordTypes = zone.desiredRecordTypes ?? desiredRecordTypes
        zone.reverse = zone.reverse ?? reverse
        zone.numbersAsStrings = zone.numbersAsStrings ?? numbersAsStrings
        return zone
      }
    }

    /// Whether numbers are wanted as strings; what one zone asks for is done for all.
    public var wantsNumbersAsStrings: Bool {
      resolvedZones.contains { $0.numbersAsStrings == true }
    }
  }

  /// A page of one zone's feed. It may be empty and yet not the last: loop on `moreComing`.
  public struct Page: Hashable, Sendable {
    public var zoneID: ZoneID
    /// The newest state of each record that changed, deletions as tombstones.
    public var records: [RecordResult]
    public var syncToken: String?
    public var moreComing: Bool

    public init(
      _ zoneID: ZoneID, records: [RecordResult], syncToken: String?, moreComing: Bool
    ) {
      self.zoneID = zoneID
      self.records = records
      self.syncToken = syncToken
      self.moreComing = moreComing
    }
  }

  public struct Answer: Hashable, Sendable {
    public var zones: [Outcome<Page>]

    public init(zones: [Outcome<Page>]) {
      self.zones = zones
    }
  }
}

extension ChangesZone.Page: Codable {
  private enum CodingKeys: CodingKey { case zoneID, records, syncToken, moreComing }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    zoneID = try container.decode(ZoneID.self, forKey: .zoneID)
    records = try container.decodeIfPresent([RecordResult].self, forKey: .records) ?? []
    syncToken = try container.decodeIfPresent(String.self, forKey: .syncToken)
    moreComing = try container.decodeIfPresent(Bool.self, forKey: .moreComing) ?? false
  }
}

extension ChangesZone.Answer: Codable {
  private enum CodingKeys: CodingKey { case zones }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    zones = try container.decodeIfPresent([Outcome<ChangesZone.Page>].self, forKey: .zones) ?? []
  }
}
