/// An owner: one for each container, environment, database and account.
public struct OwnerRow: Hashable, Sendable {
  let id: OwnerID
  /// Rises with every change of one of its zones: the numbers of the database's feed.
  let sequence: Int64
  /// Below it the database's feed is no longer whole: deleted zones were forgotten.
  let floor: Int64
  /// The history; its newest number equals `sequence`.
  let history: History
}

/// What one account uses in the database of an owner. In a public database everybody is
/// charged for what they created.
public struct Usage: Hashable, Sendable {
  /// As `RecordSize` counts them.
  public var bytes: Int
  /// Without those that were deleted.
  public var records: Int

  public init(bytes: Int = 0, records: Int = 0) {
    self.bytes = bytes
    self.records = records
  }
}
