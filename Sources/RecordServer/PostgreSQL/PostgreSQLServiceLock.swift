import Glibc

/// The lock of those that use the service in a PostgreSQL database. Servers and commands have it
/// together; a move of the service has it alone.
///
/// It is an advisory lock, which ends with its connection, however that ends.
enum PostgreSQLServiceLock {
  /// The characters "RcUs".
  private static let key: Int64 = 0x5263_5573

  /// Takes the lock together with others, as long as a connection is open.
  ///
  /// - Throws: `StorageFailure.busy` if the service is being moved.
  static func share(_ connection: PostgreSQLConnection) throws {
    let isTaken = try connection.execute(
      "SELECT pg_try_advisory_lock_shared(\(key))")
    guard isTaken.number == 1 else { throw StorageFailure.busy }
  }

  /// Takes the lock alone until the end of the transaction. If others have it, tries again up to 50
  /// times, every 20 ms: the connections of a process that has ended are closed soon after it.
  ///
  /// - Throws: `MoveFailure.databaseInUse` if others have the lock.
  static func takeAlone(_ connection: any SQLConnection) throws {
    for attempt in 0...50 {
      if attempt > 0 { usleep(20_000) }
      let isTaken = try connection.row("SELECT pg_try_advisory_xact_lock(?)", [key]) {
        try $0[0] as Bool
      }
      if isTaken == true { return }
    }
    throw MoveFailure.databaseInUse
  }
}
