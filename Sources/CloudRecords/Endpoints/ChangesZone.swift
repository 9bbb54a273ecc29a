/// The `changes/zone` endpoint, which fetches the records that have changed in several zones.
public enum ChangesZone: Endpoint {
  public static let route = Route.changesZone

  /// A request for the changes of one zone.
  ///
  /// Options that are nil have the value of the whole `Request`.
  public struct ZoneRequest: Codable, Hashable, Sendable {
    /// The zone. Apple's default zone has no change feed; the record service can offer one.
    public var zoneID: ZoneID
    /// The zone's sync token of the previous page; nil to fetch everything from the beginning.
    ///
    /// It must not be an empty string, which services interpret differently.
    public var syncToken: String?
    /// The maximum number of records in a page; see `PageSize`.
    public var resultsLimit: Int?
    /// The names of the fields to return; nil for all fields.
    public var desiredKeys: [String]?
    /// The names of the record types to return; nil for all types.
    public var desiredRecordTypes: [String]?
    /// Whether the newest changes are returned first. The record service rejects `true`.
    public var reverse: Bool?
    /// Whether the values of INT64 and DOUBLE fields are returned as strings.
    public var numbersAsStrings: Bool?

    /// Creates the request for the changes of one zone since `syncToken`; nil asks for all its
    /// records.
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

  /// The request body.
  public struct Request: Codable, Hashable, Sendable {
    /// The zones whose changes are fetched, at most `Limits.operations`.
    public var zones: [ZoneRequest]
    /// The `resultsLimit` of zones that do not have their own.
    public var resultsLimit: Int?
    /// The `desiredKeys` of zones that do not have their own.
    public var desiredKeys: [String]?
    /// The `desiredRecordTypes` of zones that do not have their own.
    public var desiredRecordTypes: [String]?
    /// The `reverse` option of zones that do not have their own.
    public var reverse: Bool?
    /// The `numbersAsStrings` option of zones that do not have their own.
    public var numbersAsStrings: Bool?

    /// Creates the request for the changes of several zones. The options apply to the zones that do
    /// not have their own.
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

    /// The zone requests, with missing options filled in from the whole request.
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

    /// Whether the numbers in the response are written as strings. If one zone asks for it, this
    /// applies to the numbers of all zones.
    public var wantsNumbersAsStrings: Bool {
      resolvedZones.contains { $0.numbersAsStrings == true }
    }
  }

  /// A page of one zone's change feed.
  ///
  /// A page may be empty although more pages follow, so continue while `moreComing` is true.
  public struct Page: Hashable, Sendable {
    /// The zone that has changed.
    public var zoneID: ZoneID
    /// The current state of each changed record; deleted records are tombstones.
    public var records: [RecordResult]
    /// The zone's sync token for the next request.
    public var syncToken: String?
    /// Whether further changes can be fetched with `syncToken`.
    public var moreComing: Bool

    /// Creates a page of one zone's changes. `syncToken` is the token for the next request.
    public init(
      _ zoneID: ZoneID, records: [RecordResult], syncToken: String?, moreComing: Bool
    ) {
      self.zoneID = zoneID
      self.records = records
      self.syncToken = syncToken
      self.moreComing = moreComing
    }
  }

  /// The response body.
  public struct Response: Hashable, Sendable {
    /// A page or an error for each requested zone.
    public var zones: [ItemResult<Page>]

    /// Creates the response to `changes/zone`: a page or an error for each requested zone.
    public init(zones: [ItemResult<Page>]) {
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

extension ChangesZone.Response: Codable {
  private enum CodingKeys: CodingKey { case zones }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    zones = try container.decodeIfPresent([ItemResult<ChangesZone.Page>].self, forKey: .zones) ?? []
  }
}
