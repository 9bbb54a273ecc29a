/// An endpoint of CloudKit Web Services. The raw value is the end of its path.
///
///     Route.recordsModify.path(container, .production, .private)
///     // /database/1/iCloud.org.example/production/private/records/modify
public enum Route: String, CaseIterable, Hashable, Sendable {
  /// See `RecordsModify`.
  case recordsModify = "records/modify"
  /// See `RecordsQuery`.
  case recordsQuery = "records/query"
  /// See `RecordsLookup`.
  case recordsLookup = "records/lookup"
  /// See `RecordsChanges`.
  case recordsChanges = "records/changes"
  /// See `ChangesZone`.
  case changesZone = "changes/zone"
  /// See `ChangesDatabase`.
  case changesDatabase = "changes/database"
  /// See `ZonesList`.
  case zonesList = "zones/list"
  /// See `ZonesLookup`.
  case zonesLookup = "zones/lookup"
  /// See `ZonesModify`.
  case zonesModify = "zones/modify"
  /// See `ZonesChanges`.
  case zonesChanges = "zones/changes"
  /// See `SubscriptionsList`.
  case subscriptionsList = "subscriptions/list"
  /// See `SubscriptionsLookup`.
  case subscriptionsLookup = "subscriptions/lookup"
  /// See `SubscriptionsModify`.
  case subscriptionsModify = "subscriptions/modify"
  /// See `UsersCurrent`.
  case usersCurrent = "users/current"
  /// See `UsersCaller`.
  case usersCaller = "users/caller"
  /// See `UsersDiscover`.
  case usersDiscover = "users/discover"
  /// See `TokensCreate`.
  case tokensCreate = "tokens/create"
  /// See `TokensRegister`.
  case tokensRegister = "tokens/register"
  /// See `AssetsUpload`.
  case assetsUpload = "assets/upload"

  /// The protocol version in the path.
  public static let version = "1"

  /// The part of the service that an endpoint belongs to: the first component of its path.
  public enum Module: String, Hashable, Sendable {
    /// Endpoints of one database.
    case database
    /// Token endpoints, whose path has no database.
    ///
    /// Apple documents them under `/database`, but its service does not respond there.
    case device
  }

  /// An HTTP method.
  public enum Method: String, Hashable, Sendable {
    case get = "GET"
    case post = "POST"
  }

  /// The part of the service that the endpoint belongs to.
  public var module: Module {
    switch self {
    case .tokensCreate, .tokensRegister: .device
    default: .database
    }
  }

  /// The method that a client uses.
  public var method: Method {
    switch self {
    case .zonesList, .subscriptionsList, .usersCurrent, .usersCaller: .get
    default: .post
    }
  }

  /// The methods that a server accepts. Some clients send the list requests as POST requests with
  /// an empty object as the body.
  public var acceptedMethods: [Method] {
    switch self {
    case .zonesList, .subscriptionsList: [.get, .post]
    default: [method]
    }
  }

  /// The databases that have the endpoint; empty for the token endpoints.
  public var databases: [DatabaseScope] {
    switch self {
    case .recordsModify, .recordsQuery, .recordsLookup, .assetsUpload: [.public, .private, .shared]
    case .recordsChanges, .changesZone, .changesDatabase, .zonesChanges: [.private, .shared]
    case .zonesList, .zonesLookup, .zonesModify: [.public, .private]
    case .subscriptionsList, .subscriptionsLookup, .subscriptionsModify: [.public, .private]
    case .usersCurrent, .usersCaller: [.public, .private]
    // Apple documents this endpoint for the public database only. This server does not support it:
    // it responds with ACCESS_DENIED for every database.
    case .usersDiscover: DatabaseScope.allCases
    case .tokensCreate, .tokensRegister: []
    }
  }

  /// Returns the path of the endpoint's URL.
  ///
  /// - Parameter database: Ignored for the token endpoints, whose path has no database.
  public func path(
    _ container: ContainerID, _ environment: ContainerEnvironment, _ database: DatabaseScope
  ) -> String {
    let scope = databases.isEmpty ? "" : "/\(database.rawValue)"
    return
      "/\(module.rawValue)/\(Self.version)/\(container)/\(environment.rawValue)\(scope)/\(rawValue)"
  }
}

/// A route with the types of its request and response bodies.
public protocol Endpoint {
  /// The type of the request body.
  associatedtype Request: Codable, Hashable, Sendable
  /// The type of the response body.
  associatedtype Response: Codable, Hashable, Sendable

  /// The endpoint's route.
  static var route: Route { get }
}

/// An empty body, `{}`. When it is decoded, all keys are ignored.
public struct EmptyBody: Codable, Hashable, Sendable {
  public init() {}
}
