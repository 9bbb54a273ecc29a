/// Where an endpoint is served.
///
///     Route.recordsModify.path(container, .production, .private)
///     // /database/1/iCloud.org.example/production/private/records/modify
public enum Route: String, CaseIterable, Hashable, Sendable {
  case recordsModify = "records/modify"
  case recordsQuery = "records/query"
  case recordsLookup = "records/lookup"
  case recordsChanges = "records/changes"
  case changesZone = "changes/zone"
  case changesDatabase = "changes/database"
  case zonesList = "zones/list"
  case zonesLookup = "zones/lookup"
  case zonesModify = "zones/modify"
  case zonesChanges = "zones/changes"
  case subscriptionsList = "subscriptions/list"
  case subscriptionsLookup = "subscriptions/lookup"
  case subscriptionsModify = "subscriptions/modify"
  case usersCurrent = "users/current"
  case usersCaller = "users/caller"
  case usersDiscover = "users/discover"
  case tokensCreate = "tokens/create"
  case tokensRegister = "tokens/register"
  case assetsUpload = "assets/upload"

  /// The version of the protocol, as it stands in a path.
  public static let version = "1"

  /// Which part of the service it belongs to: the first word of its path.
  public enum Module: String, Hashable, Sendable {
    case database
    /// Tokens: without a database in the path. Apple's pages show them under `/database`,
    /// where its service does not answer.
    case device
  }

  public enum Method: String, Hashable, Sendable {
    case get = "GET"
    case post = "POST"
  }

  public var module: Module {
    switch self {
    case .tokensCreate, .tokensRegister: .device
    default: .database
    }
  }

  /// How a client sends it.
  public var method: Method {
    switch self {
    case .zonesList, .subscriptionsList, .usersCurrent, .usersCaller: .get
    default: .post
    }
  }

  /// How a server takes it: listings also as POST with an empty object, as clients send it.
  public var acceptedMethods: [Method] {
    switch self {
    case .zonesList, .subscriptionsList: [.get, .post]
    default: [method]
    }
  }

  /// The databases that have it; none for tokens.
  public var databases: [DatabaseScope] {
    switch self {
    case .recordsModify, .recordsQuery, .recordsLookup, .assetsUpload: [.public, .private, .shared]
    case .recordsChanges, .changesZone, .changesDatabase, .zonesChanges: [.private, .shared]
    case .zonesList, .zonesLookup, .zonesModify: [.public, .private]
    case .subscriptionsList, .subscriptionsLookup, .subscriptionsModify: [.public, .private]
    case .usersCurrent, .usersCaller: [.public, .private]
    case .usersDiscover: [.public]
    case .tokensCreate, .tokensRegister: []
    }
  }

  /// The path of a URL, without its host and query.
  ///
  /// - Parameter database: left out where the endpoint has none.
  public func path(
    _ container: ContainerID, _ environment: ContainerEnvironment, _ database: DatabaseScope
  ) -> String {
    let scope = databases.isEmpty ? "" : "/\(database.rawValue)"
    return
      "/\(module.rawValue)/\(Self.version)/\(container)/\(environment.rawValue)\(scope)/\(rawValue)"
  }
}

/// What is sent to a route, and what comes back.
public protocol Endpoint {
  associatedtype Request: Codable, Hashable, Sendable
  associatedtype Answer: Codable, Hashable, Sendable

  static var route: Route { get }
}

/// A body with nothing in it that matters: `{}`.
public struct Nothing: Codable, Hashable, Sendable {
  public init() {}
}
