/// The `changes/database` endpoint, which fetches the zones that have changed since a sync token.
public enum ChangesDatabase: Endpoint {
  public static let route = Route.changesDatabase

  /// The request body.
  public struct Request: Codable, Hashable, Sendable {
    /// The database sync token of the previous response; nil to fetch all zones.
    ///
    /// Zone sync tokens are not valid here.
    public var syncToken: String?
    /// The maximum number of zones in the response; see `PageSize`.
    public var resultsLimit: Int?

    /// Creates the request for the zones that changed since a token; nil asks for all zones.
    public init(syncToken: String? = nil, resultsLimit: Int? = nil) {
      self.syncToken = syncToken
      self.resultsLimit = resultsLimit
    }
  }

  /// The response body.
  public struct Response: Hashable, Sendable {
    /// The zones that have changed. Deleted zones have `deleted` set.
    public var zones: [ItemResult<Zone>]
    /// The database sync token for the next request.
    public var syncToken: String?
    /// Whether further changes can be fetched with `syncToken`.
    public var moreComing: Bool

    /// Creates the response to `changes/database`: one page of changed zones.
    public init(zones: [ItemResult<Zone>], syncToken: String?, moreComing: Bool) {
      self.zones = zones
      self.syncToken = syncToken
      self.moreComing = moreComing
    }
  }
}

extension ChangesDatabase.Response: Codable {
  private enum CodingKeys: CodingKey { case zones, syncToken, moreComing }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    zones = try container.decodeIfPresent([ItemResult<Zone>].self, forKey: .zones) ?? []
    syncToken = try container.decodeIfPresent(String.self, forKey: .syncToken)
    moreComing = try container.decodeIfPresent(Bool.self, forKey: .moreComing) ?? false
  }
}
