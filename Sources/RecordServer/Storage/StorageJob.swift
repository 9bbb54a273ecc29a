public import CloudRecords

/// Work that is done in many small transactions, each of one owner. It is kept until it is
/// done, so that a server that was stopped goes on with it.
public enum StorageJob: Codable, Hashable, Sendable {
  /// Takes away the rows of a deleted zone.
  case purgeZone(owner: Int64, incarnation: Int64)
  /// Takes away everything of an account.
  ///
  /// - Parameter records: how many records it was so far.
  case deleteAccount(Int64, records: Int)
  /// Takes away everything in an environment.
  ///
  /// - Parameter through: the last owner that there was at the reset: what came later stays.
  case reset(ContainerID, ContainerEnvironment, through: Int64)
  /// Writes the index entries of all records of some types anew.
  ///
  /// - Parameter after: the last owner that is done.
  case reindex(ContainerID, ContainerEnvironment, types: [String], after: Int64)
}

/// A job as it is kept.
public struct JobRow: Hashable, Sendable {
  let id: Int64
  var job: StorageJob
}
