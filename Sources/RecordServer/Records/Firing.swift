public import CloudRecords

/// A change that fires a subscription: the content of a notification.
///
/// A notification is a hint. It is sent after the change is committed.
public struct Firing: Hashable, Sendable {
  /// The database that changed.
  public let address: DatabaseAddress
  /// The account of the subscriber.
  public let account: Int64
  /// The subscription with its ID, kind and notification info.
  public let subscription: Subscription
  /// The zone that changed.
  public let zoneID: ZoneID
  /// The record that changed; nil for a zone subscription.
  public let recordName: String?
  /// The kind of change; nil for a zone subscription.
  public let event: Subscription.Event?
  /// The session that made the change. It does not get the notification; nil if all sessions do.
  public let session: String?
}
