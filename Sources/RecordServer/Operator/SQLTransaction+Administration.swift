import CloudRecords

extension SQLTransaction {
  /// Counts the records of all databases, without tombstones, and the unfinished jobs.
  public func counts() throws -> StorageCounts {
    func count(_ sql: String) throws -> Int { try connection.row(sql) { try $0[0] as Int } ?? 0 }
    return StorageCounts(
      records: try count("SELECT count(*) FROM record WHERE deleted = 0"),
      jobs: try count("SELECT count(*) FROM job"))
  }

  /// Returns the number of records in all databases of a container's environment, without
  /// tombstones.
  func recordCount(
    in container: ContainerID, _ environment: ContainerEnvironment
  ) throws -> Int {
    try connection.row(
      """
      SELECT count(*) FROM owner JOIN record ON record.owner_id = owner.id
      WHERE container = ? AND environment = ? AND deleted = 0
      """, [container.name, environment.rawValue]
    ) { try $0[0] as Int } ?? 0
  }

  /// Compares derived data, such as usage and index entries, with the data from which it is made.
  ///
  /// - Returns: the inconsistencies; empty if there are none.
  func inconsistencies() throws -> [DatabaseFault] { try connection.inconsistencies() }
}
