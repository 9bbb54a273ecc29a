/// An answer that is a list of subscriptions.
public struct SubscriptionsAnswer: Codable, Hashable, Sendable {
  public var subscriptions: [Outcome<Subscription>]

  private enum CodingKeys: CodingKey { case subscriptions }

  public init(subscriptions: [Outcome<Subscription>]) {
    self.subscriptions = subscriptions
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    subscriptions =
      try container.decodeIfPresent([Outcome<Subscription>].self, forKey: .subscriptions) ?? []
  }
}

/// All subscriptions of a database.
public enum SubscriptionsList: Endpoint {
  public static let route = Route.subscriptionsList
  public typealias Request = Nothing
  public typealias Answer = SubscriptionsAnswer
}

/// Subscriptions by their names.
public enum SubscriptionsLookup: Endpoint {
  public static let route = Route.subscriptionsLookup

  public struct Item: Codable, Hashable, Sendable {
    public var subscriptionID: String

    public init(_ subscriptionID: String) {
      self.subscriptionID = subscriptionID
    }
  }

  public struct Request: Codable, Hashable, Sendable {
    public var subscriptions: [Item]

    public init(subscriptions: [Item]) {
      self.subscriptions = subscriptions
    }
  }

  public typealias Answer = SubscriptionsAnswer
}

/// Creates, changes and deletes subscriptions.
public enum SubscriptionsModify: Endpoint {
  public static let route = Route.subscriptionsModify

  public enum OperationType: String, WireName {
    case create
    case update
    case delete
  }

  public struct Operation: Codable, Hashable, Sendable {
    public var operationType: OperationType
    public var subscription: Subscription

    public init(_ operationType: OperationType, _ subscription: Subscription) {
      self.operationType = operationType
      self.subscription = subscription
    }
  }

  public struct Request: Codable, Hashable, Sendable {
    public var operations: [Operation]

    public init(operations: [Operation]) {
      self.operations = operations
    }
  }

  public typealias Answer = SubscriptionsAnswer
}
