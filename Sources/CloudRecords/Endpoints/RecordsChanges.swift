/// The `records/changes` endpoint, which fetches the records that have changed in one zone.
///
/// CloudKit has deprecated it in favor of `changes/zone`.
public enum RecordsChanges: Endpoint {
  public static let route = Route.recordsChanges

  /// The request body, which is the same as for one zone of `changes/zone`.
  public typealias Request = ChangesZone.ZoneRequest

  /// The response body.
  public struct Response: Hashable, Sendable {
    /// The current state of each changed record; deleted records are tombstones.
    public var records: [RecordResult]
    /// The zone's sync token for the next request.
    public var syncToken: String?
    /// Whether further changes can be fetched with `syncToken`.
    public var moreComing: Bool

    /// Creates the response to `records/changes`: one page of changed records.
    public init(records: [RecordResult], syncToken: String?, moreComing: Bool) {
      self.records = records
      self.syncToken = syncToken
      self.moreComing = moreComing
    }
  }
}

extension RecordsChanges.Response: Codable {
  private enum CodingKeys: CodingKey { case records, syncToken, moreComing }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    records = try container.decodeIfPresent([RecordResult].self, forKey: .records) ?? []
    syncToken = try container.decodeIfPresent(String.self, forKey: .syncToken)
    moreComing = try container.decodeIfPresent(Bool.self, forKey: .moreComing) ?? false
  }
}
