public import CloudRecords
import GRDB
public import Glibc

/// How much there is.
public struct StorageCounts: Hashable, Sendable {
  /// In all containers and databases, without those that were deleted.
  public var records: Int
  /// Work that was begun and is not done; a server goes on with it when it starts.
  public var jobs: Int
}

extension SQLiteRecordStorage {
  public func counts() async throws(StorageFailure) -> StorageCounts {
    do {
      return try await database.read { database in
        func count(_ sql: String) throws -> Int { try Int.fetchOne(database, sql: sql) ?? 0 }
        return StorageCounts(
          records: try count("SELECT count(*) FROM record WHERE deleted = 0"),
          jobs: try count("SELECT count(*) FROM job"))
      }
    } catch {
      throw StorageFailure(error)
    }
  }

  /// How many records all databases of a container have in an environment.
  public func records(
    in container: ContainerID, _ environment: ContainerEnvironment
  ) async throws(StorageFailure) -> Int {
    do {
      return try await database.read { database in
        try Int.fetchOne(
          database,
          sql: """
            SELECT count(*) FROM owner JOIN record ON record.owner_id = owner.id
            WHERE container = ? AND environment = ? AND deleted = 0
            """, arguments: [container.name, environment.rawValue]) ?? 0
      }
    } catch {
      throw StorageFailure(error)
    }
  }

  /// A process that has a database open: a server, or another command. To be asked before
  /// this process opens it.
  ///
  /// Who has a database in WAL mode open holds a lock on one byte of the file beside it, and
  /// the kernel tells who that is (https://sqlite.org/walformat.html#locks, and DMS in
  /// SQLite's os_unix.c).
  public static func process(using path: String) -> pid_t? {
    let deadManSwitch: off_t = 128
    let descriptor = open(path + "-shm", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { Glibc.close(descriptor) }
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = deadManSwitch
    lock.l_len = 1
    guard fcntl(descriptor, F_GETLK, &lock) == 0, lock.l_type != Int16(F_UNLCK) else { return nil }
    return lock.l_pid
  }
}
