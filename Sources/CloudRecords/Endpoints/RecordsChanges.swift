/// The change feed of one zone. Deprecated by changes/zone.
public enum RecordsChanges: Endpoint {
  public static let route = Route.recordsChanges

  /// The same as one zone of changes/zone.
  public typealias Request = ChangesZone.ZoneRequest

  public struct Answer: Hashable, Sendable {
    public var records: [RecordResult]
    public var syncToken: String?
    public var moreComing: Bool

    public init(records: [RecordResult], syncToken: String?, moreComing: Bool) {
      self.records = records
      self.syncToken = syncToken
      self.moreComing = moreComing
    }
  }
}

extension RecordsChanges.Answer: Codable {
  private enum CodingKeys: CodingKey { case records, syncToken, moreComing }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    records = try container.decodeIfPresent([RecordResult].self, forKey: .records) ?? []
    syncToken = try container.decodeIfPresent(String.self, forKey: .syncToken)
    moreComing = try container.decodeIfPresent(Bool.self, forKey: .moreComing) ?? false
  }
}
