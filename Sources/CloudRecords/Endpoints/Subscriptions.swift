/// A response body with a list of subscriptions.
public struct SubscriptionsResponse: Codable, Hashable, Sendable {
  /// A subscription or an error for each item of the request.
  public var subscriptions: [ItemResult<Subscription>]

  private enum CodingKeys: CodingKey { case subscriptions }

  /// Creates the response with one result for each subscription.
  public init(subscriptions: [ItemResult<Subscription>]) {
    self.subscriptions = subscriptions
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    subscriptions =
      try container.decodeIfPresent([ItemResult<Subscription>].self, forKey: .subscriptions) ?? []
  }
}

/// The `subscriptions/list` endpoint, which fetches all subscriptions of a database.
public enum SubscriptionsList: Endpoint {
  public static let route = Route.subscriptionsList
  public typealias Request = EmptyBody
  public typealias Response = SubscriptionsResponse
}

/// The `subscriptions/lookup` endpoint, which fetches subscriptions by their identifiers.
public enum SubscriptionsLookup: Endpoint {
  public static let route = Route.subscriptionsLookup

  /// A subscription to fetch.
  public struct Item: Codable, Hashable, Sendable {
    /// The subscription's identifier.
    public var subscriptionID: String

    /// Creates an item for the subscription with an identifier.
    public init(_ subscriptionID: String) {
      self.subscriptionID = subscriptionID
    }
  }

  /// The request body.
  public struct Request: Codable, Hashable, Sendable {
    /// The subscriptions to fetch, at most `Limits.operations`.
    public var subscriptions: [Item]

    /// Creates the request for subscriptions by their identifiers.
    public init(subscriptions: [Item]) {
      self.subscriptions = subscriptions
    }
  }

  public typealias Response = SubscriptionsResponse
}

/// The `subscriptions/modify` endpoint, which creates, updates and deletes subscriptions.
public enum SubscriptionsModify: Endpoint {
  public static let route = Route.subscriptionsModify

  /// The type of an operation on a subscription.
  public enum OperationType: String, WireEnum {
    /// Creates the subscription; replaces a subscription with the same identifier.
    case create
    /// Replaces the subscription, which must exist.
    case update
    /// Deletes the subscription, which must exist.
    case delete
  }

  /// An operation on one subscription.
  public struct Operation: Codable, Hashable, Sendable {
    /// The type of the operation.
    public var operationType: OperationType
    /// The subscription. A deletion needs only its identifier.
    public var subscription: Subscription

    /// Creates an operation on a subscription. A deletion needs only the subscription's identifier.
    public init(_ operationType: OperationType, _ subscription: Subscription) {
      self.operationType = operationType
      self.subscription = subscription
    }
  }

  /// The request body.
  public struct Request: Codable, Hashable, Sendable {
    /// The operations, at most `Limits.operations`.
    public var operations: [Operation]

    /// Creates the request for a batch of operations, at most `Limits.operations`.
    public init(operations: [Operation]) {
      self.operations = operations
    }
  }

  public typealias Response = SubscriptionsResponse
}
