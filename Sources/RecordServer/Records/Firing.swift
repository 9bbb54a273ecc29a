public import CloudRecords

/// A subscription that fired: what its subscriber is to be told.
///
/// It is a hint, given after the change is on the disk.
public struct Firing: Hashable, Sendable {
  public let place: Place
  /// Whose subscription it is.
  public let account: Int64
  /// With its id, kind and notification info.
  public let subscription: Subscription
  /// Where something changed.
  public let zoneID: ZoneID
  /// Nil with a subscription of a zone.
  public let recordName: String?
  /// Nil with a subscription of a zone.
  public let event: Subscription.Event?
  /// The session that made the change, which is not to be told; nil for none.
  public let session: String?
}
