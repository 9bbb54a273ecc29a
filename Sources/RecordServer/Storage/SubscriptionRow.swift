import CloudRecords

/// A subscription, and whose it is.
public struct SubscriptionRow: Hashable, Sendable {
  var account: Int64
  var userRecordName: String
  /// With its id.
  var subscription: Subscription

  /// Its place in the order in which subscriptions are gone through.
  public struct Position: Hashable, Sendable {
    var account: Int64
    var id: String
  }

  var id: String { subscription.subscriptionID ?? "" }
  var position: Position { Position(account: account, id: id) }
}
