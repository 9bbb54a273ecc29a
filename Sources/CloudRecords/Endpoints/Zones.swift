/// A response body with a list of zones.
public struct ZonesResponse: Codable, Hashable, Sendable {
  /// The zones, or for requests about certain zones a zone or an error for each of them.
  public var zones: [ItemResult<Zone>]

  private enum CodingKeys: CodingKey { case zones }

  /// Creates a response.
  ///
  /// - Parameter zones: The zones and errors.
  public init(zones: [ItemResult<Zone>]) {
    self.zones = zones
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    zones = try container.decodeIfPresent([ItemResult<Zone>].self, forKey: .zones) ?? []
  }
}

/// The `zones/list` endpoint, which fetches all zones of a database, including the default zone.
public enum ZonesList: Endpoint {
  public static let route = Route.zonesList
  public typealias Request = EmptyBody
  public typealias Response = ZonesResponse
}

/// The `zones/lookup` endpoint, which fetches zones by their identifiers.
public enum ZonesLookup: Endpoint {
  public static let route = Route.zonesLookup

  /// The request body.
  public struct Request: Codable, Hashable, Sendable {
    /// The zones to fetch, at most `Limits.operations`.
    public var zones: [ZoneID]

    /// Creates the request for zones by their identifiers.
    public init(zones: [ZoneID]) {
      self.zones = zones
    }
  }

  public typealias Response = ZonesResponse
}

/// The `zones/modify` endpoint, which creates and deletes zones. The operations are not atomic.
public enum ZonesModify: Endpoint {
  public static let route = Route.zonesModify

  /// The type of an operation on a zone.
  public enum OperationType: String, WireEnum {
    /// Creates the zone; succeeds without any change if it exists.
    case create
    /// Deletes the zone and all its records. The default zone cannot be deleted.
    case delete
  }

  /// An operation on one zone.
  public struct Operation: Codable, Hashable, Sendable {
    /// The type of the operation.
    public var operationType: OperationType
    /// The zone to create or delete.
    public var zone: Target

    /// A zone as a request specifies it, by its identifier.
    public struct Target: Codable, Hashable, Sendable {
      /// The zone's identifier.
      public var zoneID: ZoneID
      /// The first key of a decoded request that asks for a share, which is not supported; nil if
      /// there is none. It is not encoded.
      public var sharing: SharingRequest?

      /// Creates the target with a zone's identifier.
      public init(_ zoneID: ZoneID) {
        self.zoneID = zoneID
      }

      private enum CodingKeys: CodingKey {
        case zoneID, createShortGUID, forRecord, publicPermission, participants
      }

      public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        zoneID = try container.decode(ZoneID.self, forKey: .zoneID)
        sharing = try container.sharingRequest()
      }

      public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(zoneID, forKey: .zoneID)
      }
    }

    /// Creates an operation on the zone with an identifier.
    public init(_ operationType: OperationType, _ zoneID: ZoneID) {
      self.operationType = operationType
      zone = Target(zoneID)
    }
  }

  /// The request body.
  public struct Request: Codable, Hashable, Sendable {
    /// The operations, at most `Limits.operations` and performed in order.
    public var operations: [Operation]

    /// Creates the request for a batch of operations, at most `Limits.operations`.
    public init(operations: [Operation]) {
      self.operations = operations
    }
  }

  public typealias Response = ZonesResponse
}

/// The `zones/changes` endpoint, which fetches the zones that have changed since a sync token.
///
/// CloudKit has deprecated it in favor of `changes/database`.
public enum ZonesChanges: Endpoint {
  public static let route = Route.zonesChanges

  /// The request body.
  public struct Request: Codable, Hashable, Sendable {
    /// The sync token of the previous response; nil to fetch all zones.
    public var metaSyncToken: String?

    /// Creates the request for the zones that changed since a token; nil asks for all.
    public init(metaSyncToken: String? = nil) {
      self.metaSyncToken = metaSyncToken
    }
  }

  /// The response body.
  public struct Response: Codable, Hashable, Sendable {
    /// The zones that have changed. Deleted zones have `deleted` set.
    public var zones: [ItemResult<Zone>]
    /// The sync token for the next request.
    public var metaSyncToken: String?
    /// Whether further changes can be fetched with `metaSyncToken`.
    public var moreComing: Bool

    private enum CodingKeys: CodingKey { case zones, metaSyncToken, moreComing }

    /// Creates the response to `zones/changes`: one page of changed zones.
    public init(zones: [ItemResult<Zone>], metaSyncToken: String?, moreComing: Bool) {
      self.zones = zones
      self.metaSyncToken = metaSyncToken
      self.moreComing = moreComing
    }

    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      zones = try container.decodeIfPresent([ItemResult<Zone>].self, forKey: .zones) ?? []
      metaSyncToken = try container.decodeIfPresent(String.self, forKey: .metaSyncToken)
      moreComing = try container.decodeIfPresent(Bool.self, forKey: .moreComing) ?? false
    }
  }
}
