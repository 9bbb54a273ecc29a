public import CloudRecords

/// A subscription that a request fires: the content of a notification.
///
/// A request fires a subscription once, however many of its changes match. A notification is a
/// hint: it is sent after the changes are committed, and the client then fetches what has changed.
public struct Firing: Hashable, Sendable {
  /// The database that changed.
  public let address: DatabaseAddress
  /// The account of the subscriber.
  public let account: Int64
  /// The subscription with its ID, kind and notification info.
  public let subscription: Subscription
  /// The zone that changed; the last one if the subscription covers several zones of the request.
  public let zoneID: ZoneID
  /// The record that the request changed last, of those that match; nil for a zone subscription.
  public let recordName: String?
  /// The kind of that change; nil for a zone subscription.
  public let event: Subscription.Event?
  /// The session that made the change. It does not get the notification; nil if all sessions do.
  public let session: String?
}
