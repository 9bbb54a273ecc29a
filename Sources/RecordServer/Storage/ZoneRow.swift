/// A zone, or what is left of a deleted one.
public struct ZoneRow: Hashable, Sendable {
  let owner: OwnerID
  let name: String
  /// Rises with every change of one of its records: the numbers of its feed and of its
  /// records' tags. It goes on when the zone is made again.
  let sequence: Int64
  let incarnation: Int64
  /// The owner's sequence when the zone last changed.
  let changed: Int64
  /// Below it the feed is no longer whole: tombstones were forgotten.
  let floor: Int64
  let isDeleted: Bool
  /// The history; its newest number equals `sequence`.
  let history: History
}
