/// Which zones of a database changed.
public enum ChangesDatabase: Endpoint {
  public static let route = Route.changesDatabase

  public struct Request: Codable, Hashable, Sendable {
    /// Nil for all zones. A token of the database, which is none of a zone.
    public var syncToken: String?
    public var resultsLimit: Int?

    public init(syncToken: String? = nil, resultsLimit: Int? = nil) {
      self.syncToken = syncToken
      self.resultsLimit = resultsLimit
    }
  }

  public struct Answer: Hashable, Sendable {
    /// Those that changed; with `deleted` those that are gone.
    public var zones: [Outcome<Zone>]
    public var syncToken: String?
    public var moreComing: Bool

    public init(zones: [Outcome<Zone>], syncToken: String?, moreComing: Bool) {
      self.zones = zones
      self.syncToken = syncToken
      self.moreComing = moreComing
    }
  }
}

extension ChangesDatabase.Answer: Codable {
  private enum CodingKeys: CodingKey { case zones, syncToken, moreComing }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    zones = try container.decodeIfPresent([Outcome<Zone>].self, forKey: .zones) ?? []
    syncToken = try container.decodeIfPresent(String.self, forKey: .syncToken)
    moreComing = try container.decodeIfPresent(Bool.self, forKey: .moreComing) ?? false
  }
}
