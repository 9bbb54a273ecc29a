/// One database of one owner: all its rows are kept under this number.
///
/// Numbers are never given again, so what was signed for an owner that is gone fits no other.
public struct OwnerID: Hashable, Sendable {
  let rawValue: Int64
}

/// One zone of one owner: the only way to the rows of records.
///
/// It is made from rows that storage read, never from a request.
public struct Scope: Hashable, Sendable {
  let owner: OwnerID
  /// Which making of the zone: one that was deleted and made again has another.
  let incarnation: Int64
  let zoneName: String
  /// Whether it is in a public database: no feed, no tombstones, and numbers from one
  /// sequence for all.
  let isPublic: Bool
}

extension Scope {
  init(_ zone: ZoneRow, isPublic: Bool) {
    owner = zone.owner
    incarnation = zone.incarnation
    zoneName = zone.name
    self.isPublic = isPublic
  }
}
