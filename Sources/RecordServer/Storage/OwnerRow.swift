/// The row of an owner: one database, identified by container, environment, kind and account.
public struct OwnerRow: Hashable, Sendable {
  let id: OwnerID
  /// The database's feed is incomplete up to this number, because rows of deleted zones were
  /// removed.
  let feedIncompleteThrough: Int64
  /// The history of the database. Its newest number is that of the database's feed, and increases
  /// with every change in one of its zones.
  let history: History
}

/// The usage of an account in a database. In a public database, each account is charged for the
/// records that it created.
public struct Usage: Hashable, Sendable {
  /// The size of the records as `RecordSize` computes it, in bytes.
  public var bytes: Int
  /// The number of records, without tombstones.
  public var records: Int

  public init(bytes: Int = 0, records: Int = 0) {
    self.bytes = bytes
    self.records = records
  }
}
