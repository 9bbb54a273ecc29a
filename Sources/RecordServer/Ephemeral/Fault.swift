public import CloudRecords

/// A fault that an ephemeral service simulates for the next requests that match it.
///
///     Fault(.error(.throttled, retryAfter: 2), requests: 3, endpoint: .recordsModify)
public struct Fault: Hashable, Sendable {
  /// What happens to a request.
  public enum Effect: Hashable, Sendable {
    /// Nothing but the delay.
    case none
    /// The request is not carried out, and answered with an error.
    ///
    /// - Parameter retryAfter: the seconds to wait, 0 to 86,400; nil for none.
    case error(ErrorCode, retryAfter: Double? = nil)
    /// The request is not carried out, and each of its records, zones or subscriptions is answered
    /// with an error. For the endpoints that have such items: `records/modify`, `records/lookup`,
    /// `changes/zone`, `zones/modify`, `zones/lookup`, `subscriptions/modify` and
    /// `subscriptions/lookup`.
    case itemErrors(ErrorCode, retryAfter: Double? = nil)
    /// The connection is closed without a response.
    ///
    /// - Parameter isCarriedOut: whether the request is carried out before.
    case cut(isCarriedOut: Bool)
    /// All sync tokens of the environment expire, then the request is carried out.
    case expiredSyncTokens
  }

  /// What happens to each request.
  public var effect: Effect
  /// The delay before each request is handled, 0 to 600 seconds.
  public var delay: Duration
  /// The number of requests that the fault affects, 1 to 1,000,000.
  public var requests: Int
  /// The endpoint of the affected requests; nil for any endpoint.
  public var endpoint: Route?
  /// The environment of the affected requests; nil for both environments.
  public var environment: ContainerEnvironment?
  /// The database of the affected requests; nil for any database.
  public var database: DatabaseScope?
  /// The name of the user who sends the affected requests; nil for requests of any user, and for
  /// requests without a user.
  public var user: String?

  public init(
    _ effect: Effect, delay: Duration = .zero, requests: Int = 1, endpoint: Route? = nil,
    environment: ContainerEnvironment? = nil, database: DatabaseScope? = nil, user: String? = nil
  ) {
    self.effect = effect
    self.delay = delay
    self.requests = requests
    self.endpoint = endpoint
    self.environment = environment
    self.database = database
    self.user = user
  }

  /// The maximum of `delay`.
  public static let delayLimit = Duration.seconds(600)
  /// The maximum of `requests`.
  public static let requestLimit = 1_000_000
  /// The maximum of `retryAfter`, in seconds.
  public static let retryLimit = 86_400.0

  /// Checks the ranges, and that the endpoint fits the database and the effect.
  ///
  /// - Throws: `EphemeralFailure.outOfRange`, `noEffect`, `notInDatabase` or `noItems`.
  func check() throws(EphemeralFailure) {
    guard (.zero...Self.delayLimit).contains(delay) else { throw .outOfRange(.delay) }
    guard (1...Self.requestLimit).contains(requests) else { throw .outOfRange(.requests) }
    switch effect {
    case .none:
      guard delay > .zero else { throw .noEffect }
    case .error(_, let retryAfter?), .itemErrors(_, let retryAfter?):
      guard (0...Self.retryLimit).contains(retryAfter) else { throw .outOfRange(.retryAfter) }
    default: break
    }
    if let endpoint, let database, !endpoint.databases.contains(database) {
      throw .notInDatabase(endpoint, database)
    }
    if case .itemErrors = effect {
      guard let endpoint, endpoint.hasItems else { throw .noItems(endpoint) }
    }
  }

  /// Whether the fault affects a request.
  func matches(_ request: FaultInjector.Request) -> Bool {
    (endpoint == nil || endpoint == request.endpoint)
      && (environment == nil || environment == request.environment)
      && (database == nil || database == request.database)
      && (user == nil || user == request.user)
  }
}

extension Route {
  /// The endpoints whose responses have a result for each item of the request.
  static let withItems: [Route] = [
    .recordsModify, .recordsLookup, .changesZone, .zonesModify, .zonesLookup,
    .subscriptionsModify, .subscriptionsLookup,
  ]

  fileprivate var hasItems: Bool { Self.withItems.contains(self) }
}
