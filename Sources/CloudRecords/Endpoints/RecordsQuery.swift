/// The `records/query` endpoint, which fetches the records that match a query, in pages.
public enum RecordsQuery: Endpoint {
  public static let route = Route.recordsQuery

  /// The request body.
  public struct Request: Codable, Hashable, Sendable {
    /// The query. It must be the same for all pages.
    public var query: Query
    /// The zone to search; nil for the default zone unless `zoneWide` is true.
    public var zoneID: ZoneID?
    /// Whether all zones are searched. Ignored if `zoneID` is not nil.
    public var zoneWide: Bool?
    /// The maximum number of records in a page; see `PageSize`.
    public var resultsLimit: Int?
    /// The marker of the previous page; nil for the first page.
    public var continuationMarker: String?
    /// The names of the fields to return; nil for all fields.
    public var desiredKeys: [String]?
    /// Whether the values of INT64 and DOUBLE fields are returned as strings.
    public var numbersAsStrings: Bool?

    /// Creates the request for one page of a query's results; without a `continuationMarker`, the
    /// first.
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

  /// The response body: one page.
  public struct Response: Hashable, Sendable {
    /// The records of the page. A page may be empty although more pages follow.
    public var records: [RecordResult]
    /// The marker for fetching the next page; nil if this is the last one.
    public var continuationMarker: String?
    /// The zone's newest sync token, if the service returns it.
    public var syncToken: String?

    /// Creates one page of a query's results. If `continuationMarker` is nil, it is the last page.
    public init(
      records: [RecordResult], continuationMarker: String? = nil, syncToken: String? = nil
    ) {
      self.records = records
      self.continuationMarker = continuationMarker
      self.syncToken = syncToken
    }
  }
}

extension RecordsQuery.Response: Codable {
  private enum CodingKeys: CodingKey { case records, continuationMarker, syncToken }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    // A page without results has an empty array. `{}` is the response to another request.
    records = try container.decode([RecordResult].self, forKey: .records)
    continuationMarker = try container.decodeIfPresent(String.self, forKey: .continuationMarker)
    syncToken = try container.decodeIfPresent(String.self, forKey: .syncToken)
  }
}

/// The number of records in a page.
public enum PageSize {
  /// Returns the maximum number of records in a page.
  ///
  /// - Parameter resultsLimit: The limit of the request.
  /// - Returns: A number in `1...Limits.pageRecords`: the limit of the request if it is in that
  ///   range, otherwise `Limits.pageRecords`.
  public static func records(_ resultsLimit: Int?) -> Int {
    guard let resultsLimit, resultsLimit > 0 else { return Limits.pageRecords }
    return min(resultsLimit, Limits.pageRecords)
  }
}
