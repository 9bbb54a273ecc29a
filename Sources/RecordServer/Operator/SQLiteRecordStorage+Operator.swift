public import CloudRecords
import GRDB
public import Glibc

/// The numbers of records and jobs in a database file.
public struct StorageCounts: Hashable, Sendable {
  /// The number of records in all containers and databases, without tombstones.
  public var records: Int
  /// The number of unfinished jobs (`StorageJob`). A server resumes them when it starts.
  public var jobs: Int
}

extension SQLiteRecordStorage {
  /// Counts records and jobs.
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

  /// Returns the number of records in all databases of a container's environment, without
  /// tombstones.
  public func recordCount(
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

  /// Returns the ID of a process that has a database file open, such as a server or another
  /// command; nil if there is none, or if the `-shm` file cannot be read. It must be called before
  /// this process opens the file: it closes a descriptor of the `-shm` file, which would release
  /// this process's own locks on it.
  ///
  /// Each connection to a database in WAL mode holds a lock on one byte of the `-shm` file, and the
  /// kernel reports the process that holds it (https://sqlite.org/walformat.html#locks, and the
  /// dead man switch, DMS, in SQLite's os_unix.c).
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
