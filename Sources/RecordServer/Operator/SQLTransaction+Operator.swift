import CloudRecords

// Implementations of `RecordReading`'s methods for the operator; see there.
extension SQLTransaction {
  func counts() throws -> StorageCounts {
    func count(_ sql: String) throws -> Int { try connection.row(sql) { try $0[0] as Int } ?? 0 }
    return StorageCounts(
      records: try count("SELECT count(*) FROM record WHERE deleted = 0"),
      jobs: try count("SELECT count(*) FROM job"))
  }

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

  func inconsistencies() throws -> [DatabaseFault] { try connection.inconsistencies() }
}
