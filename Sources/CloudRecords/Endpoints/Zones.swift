/// An answer that is a list of zones.
public struct ZonesAnswer: Codable, Hashable, Sendable {
  public var zones: [Outcome<Zone>]

  private enum CodingKeys: CodingKey { case zones }

  public init(zones: [Outcome<Zone>]) {
    self.zones = zones
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    zones = try container.decodeIfPresent([Outcome<Zone>].self, forKey: .zones) ?? []
  }
}

/// All zones of a database, the default zone among them.
public enum ZonesList: Endpoint {
  public static let route = Route.zonesList
  public typealias Request = Nothing
  public typealias Answer = ZonesAnswer
}

/// Zones by their names.
public enum ZonesLookup: Endpoint {
  public static let route = Route.zonesLookup

  public struct Request: Codable, Hashable, Sendable {
    public var zones: [ZoneID]

    public init(zones: [ZoneID]) {
      self.zones = zones
    }
  }

  public typealias Answer = ZonesAnswer
}

/// Creates and deletes zones, each by itself.
public enum ZonesModify: Endpoint {
  public static let route = Route.zonesModify

  public enum OperationType: String, WireName {
    /// Of one that exists, success.
    case create
    case delete
  }

  public struct Operation: Codable, Hashable, Sendable {
    public var operationType: OperationType
    public var zone: Target

    /// The zone, of which a request says no more than its name.
    public struct Target: Codable, Hashable, Sendable {
      public var zoneID: ZoneID

      public init(_ zoneID: ZoneID) {
        self.zoneID = zoneID
      }
    }

    public init(_ operationType: OperationType, _ zoneID: ZoneID) {
      self.operationType = operationType
      zone = Target(zoneID)
    }
  }

  public struct Request: Codable, Hashable, Sendable {
    public var operations: [Operation]

    public init(operations: [Operation]) {
      self.operations = operations
    }
  }

  public typealias Answer = ZonesAnswer
}

/// Which zones of a database changed. Deprecated by changes/database.
public enum ZonesChanges: Endpoint {
  public static let route = Route.zonesChanges

  public struct Request: Codable, Hashable, Sendable {
    public var metaSyncToken: String?

    public init(metaSyncToken: String? = nil) {
      self.metaSyncToken = metaSyncToken
    }
  }

  public struct Answer: Codable, Hashable, Sendable {
    public var zones: [Outcome<Zone>]
    public var metaSyncToken: String?
    public var moreComing: Bool

    private enum CodingKeys: CodingKey { case zones, metaSyncToken, moreComing }

    public init(zones: [Outcome<Zone>], metaSyncToken: String?, moreComing: Bool) {
      self.zones = zones
      self.metaSyncToken = metaSyncToken
      self.moreComing = moreComing
    }

    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      zones = try container.decodeIfPresent([Outcome<Zone>].self, forKey: .zones) ?? []
      metaSyncToken = try container.decodeIfPresent(String.self, forKey: .metaSyncToken)
      moreComing = try container.decodeIfPresent(Bool.self, forKey: .moreComing) ?? false
    }
  }
}
