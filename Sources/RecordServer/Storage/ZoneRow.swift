/// A zone, or the tombstone of a deleted one.
public struct ZoneRow: Hashable, Sendable {
  let name: String
  /// The owner's sequence number when the zone last changed.
  let changed: Int64
  /// The feed is incomplete up to this number, because tombstones were removed.
  let feedIncompleteThrough: Int64
  let isDeleted: Bool
  let history: History

  var owner: OwnerID { history.owner }
  /// The newest sequence number. It increases with every change of a record, and continues if a
  /// deleted zone is created again.
  var sequence: Int64 { history.newest.number }
  /// A number that distinguishes this zone from deleted zones that had the same name.
  var incarnation: Int64 { history.zone }
}
