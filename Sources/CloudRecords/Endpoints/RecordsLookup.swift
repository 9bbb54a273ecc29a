/// Fetches records by their names.
public enum RecordsLookup: Endpoint {
  public static let route = Route.recordsLookup

  public struct Item: Codable, Hashable, Sendable {
    public var recordName: String
    public var desiredKeys: [String]?

    public init(_ recordName: String, desiredKeys: [String]? = nil) {
      self.recordName = recordName
      self.desiredKeys = desiredKeys
    }
  }

  public struct Request: Codable, Hashable, Sendable {
    public var records: [Item]
    public var zoneID: ZoneID?
    public var desiredKeys: [String]?
    public var numbersAsStrings: Bool?

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

  /// One record or error for each name, in their order.
  public typealias Answer = RecordsModify.Answer
}
