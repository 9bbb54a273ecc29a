/// The ID of an owner, which is one database. All rows of the database contain it.
///
/// IDs are never used again, so a token that was signed for a deleted owner is not valid for
/// another one.
public struct OwnerID: Hashable, Sendable {
  let rawValue: Int64
}

/// One zone of one owner. All access to records requires a scope.
///
/// A scope is created only from rows that were read from storage, never from the names in a
/// request.
public struct Scope: Hashable, Sendable {
  let owner: OwnerID
  /// The incarnation of the zone: a zone that is deleted and created again gets a new one.
  let incarnation: Int64
  let zoneName: String
  /// Whether the zone is in a public database. Public databases have no change feeds and no
  /// tombstones, and take their sequence numbers from one common sequence.
  let isPublic: Bool
}

extension Scope {
  /// Creates the scope of a zone.
  init(_ zone: ZoneRow, isPublic: Bool) {
    owner = zone.owner
    incarnation = zone.incarnation
    zoneName = zone.name
    self.isPublic = isPublic
  }
}
