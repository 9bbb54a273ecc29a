public import CloudRecords

/// Work that is done in many small transactions, each of which changes one owner. A job is stored
/// until it is finished, so that it can be resumed after the server was stopped.
public enum StorageJob: Codable, Hashable, Sendable {
  /// Deletes the records of a deleted zone.
  case purgeZone(owner: Int64, incarnation: Int64)
  /// Deletes all data of an account.
  ///
  /// - Parameter records: the number of records deleted so far.
  case deleteAccount(Int64, records: Int)
  /// Deletes all owners of an environment.
  ///
  /// - Parameter through: the ID of the last owner that existed at the reset; later owners are not
  ///   deleted.
  case reset(ContainerID, ContainerEnvironment, through: Int64)
  /// Rewrites the index entries of all records of some types.
  ///
  /// - Parameter after: the ID of the last owner whose records are done; 0 at the beginning.
  case reindex(ContainerID, ContainerEnvironment, types: [String], after: Int64)
}

extension StorageJob {
  /// Whether the job deletes records and their assets. It needs several transactions for that, and
  /// the usage and the assets do not match the records before the last one.
  var deletesData: Bool {
    switch self {
    case .purgeZone, .deleteAccount, .reset: true
    case .reindex: false
    }
  }
}

/// A stored job.
public struct JobRow: Hashable, Identifiable, Sendable {
  public let id: Int64
  var job: StorageJob
}

extension SQLConnection {
  /// Returns the unfinished jobs, oldest first.
  func jobs() throws -> [JobRow] {
    try rows("SELECT id, content FROM job ORDER BY id", []) { row in
      do {
        return try JobRow(id: row[0], job: Wire.decode(StorageJob.self, from: row[1], as: .request))
      } catch {
        throw StorageFailure.failed(.damaged(.job))
      }
    }
  }
}
