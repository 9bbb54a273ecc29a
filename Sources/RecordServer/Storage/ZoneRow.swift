/// A zone, or the tombstone of a deleted one.
public struct ZoneRow: Hashable, Sendable {
  let owner: OwnerID
  let name: String
  /// The newest sequence number. It increases with every change of a record, and continues if a
  /// deleted zone is created again.
  let sequence: Int64
  /// A number that distinguishes this zone from earlier zones with the same name.
  let incarnation: Int64
  /// The owner's sequence number when the zone last changed.
  let changed: Int64
  /// The feed is incomplete up to this number, because tombstones were removed.
  let feedIncompleteThrough: Int64
  let isDeleted: Bool
  /// The history of the zone; its newest number equals `sequence`.
  let history: History
}
