/// The `records/lookup` endpoint, which fetches records by name.
public enum RecordsLookup: Endpoint {
  public static let route = Route.recordsLookup

  /// A record to fetch.
  public struct Item: Codable, Hashable, Sendable {
    /// The record's name.
    public var recordName: String
    /// The names of the fields to return; nil for those of the whole request.
    public var desiredKeys: [String]?

    /// Creates an item for the record with a name. If `desiredKeys` is nil, those of the whole
    /// request apply.
    public init(_ recordName: String, desiredKeys: [String]? = nil) {
      self.recordName = recordName
      self.desiredKeys = desiredKeys
    }
  }

  /// The request body.
  public struct Request: Codable, Hashable, Sendable {
    /// The records to fetch, at most `Limits.operations`.
    public var records: [Item]
    /// The zone of the records; nil for the default zone.
    public var zoneID: ZoneID?
    /// The names of the fields to return; nil for all fields.
    public var desiredKeys: [String]?
    /// Whether the values of INT64 and DOUBLE fields are returned as strings.
    public var numbersAsStrings: Bool?

    /// Creates the request for records of one zone by their names; nil is the default zone.
    public init(
      records: [Item], zoneID: ZoneID? = nil, desiredKeys: [String]? = nil,
      numbersAsStrings: Bool? = nil
    ) {
      self.records = records
      self.zoneID = zoneID
      self.desiredKeys = desiredKeys
      self.numbersAsStrings = numbersAsStrings
    }
  }

  /// The response body: a record or an error for each requested name, in the order of the request.
  public typealias Response = RecordsModify.Response
}
