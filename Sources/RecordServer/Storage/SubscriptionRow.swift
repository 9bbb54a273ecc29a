import CloudRecords

/// A subscription with its subscriber.
public struct SubscriptionRow: Hashable, Sendable {
  var account: Int64
  var userRecordName: String
  /// The subscription, including its ID.
  var subscription: Subscription

  /// The position of a subscription in the order in which storage returns them.
  public struct Position: Hashable, Sendable {
    var account: Int64
    var id: String
  }

  var id: String { subscription.subscriptionID ?? "" }
  var position: Position { Position(account: account, id: id) }
}
