/// Finds records by their fields, page by page.
public enum RecordsQuery: Endpoint {
  public static let route = Route.recordsQuery

  public struct Request: Codable, Hashable, Sendable {
    public var query: Query
    public var zoneID: ZoneID?
    /// Whether all zones are searched; without effect beside `zoneID`.
    public var zoneWide: Bool?
    public var resultsLimit: Int?
    /// Where the former page ended; the query is to be the same.
    public var continuationMarker: String?
    public var desiredKeys: [String]?
    public var numbersAsStrings: Bool?

    public init(
      _ query: Query, zoneID: ZoneID? = nil, zoneWide: Bool? = nil, resultsLimit: Int? = nil,
      continuationMarker: String? = nil, desiredKeys: [String]? = nil,
      numbersAsStrings: Bool? = nil
    ) {
      self.query = query
      self.zoneID = zoneID
      self.zoneWide = zoneWide
      self.resultsLimit = resultsLimit
      self.continuationMarker = continuationMarker
      self.desiredKeys = desiredKeys
      self.numbersAsStrings = numbersAsStrings
    }
  }

  public struct Answer: Hashable, Sendable {
    public var records: [RecordResult]
    /// There are more pages if, and only if, it is there; a page may be empty.
    public var continuationMarker: String?
    public var syncToken: String?

    public init(
      records: [RecordResult], continuationMarker: String? = nil, syncToken: String? = nil
    ) {
      self.records = records
      self.continuationMarker = continuationMarker
      self.syncToken = syncToken
    }
  }
}

extension RecordsQuery.Answer: Codable {
  private enum CodingKeys: CodingKey { case records, continuationMarker, syncToken }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    records = try container.decodeIfPresent([RecordResult].self, forKey: .records) ?? []
    continuationMarker = try container.decodeIfPresent(String.self, forKey: .continuationMarker)
    syncToken = try container.decodeIfPresent(String.self, forKey: .syncToken)
  }
}

/// How many records a page has.
public enum PageSize {
  /// - Parameter resultsLimit: as a request has it.
  /// - Returns: 1…200: what is missing or too much is 200.
  public static func records(_ resultsLimit: Int?) -> Int {
    guard let resultsLimit, resultsLimit > 0 else { return Limits.pageRecords }
    return min(resultsLimit, Limits.pageRecords)
  }
}
