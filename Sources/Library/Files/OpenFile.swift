import GRDBSQLite
import Glibc
import Synchronization

/// The device and inode numbers of a file, which stay the same when it is renamed.
struct FileIdentity: Hashable, Sendable {
  private let device: dev_t
  private let number: ino_t

  /// Reads the identity of the file at a path. Nil if there is none.
  init?(of path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  fileprivate init(_ status: stat) {
    device = status.st_dev
    number = status.st_ino
  }
}

/// The identity, size and modification time of a file. A change of the file changes one of them,
/// unless it keeps the size and follows another change within one tick of the file system's clock.
public struct FileState: Hashable, Sendable {
  let identity: FileIdentity
  private let size: off_t
  private let seconds: Int
  private let nanoseconds: Int

  var isEmpty: Bool { size == 0 }

  /// The state of the file at a path, or nil if there is none.
  public init?(of path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  /// The state of an open file, or nil if the descriptor is invalid.
  public init?(descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    self.init(status)
  }

  private init(_ status: stat) {
    identity = FileIdentity(status)
    size = status.st_size
    (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
  }
}

/// A file that this process has open in SQLite, until the value is deinitialized.
///
/// The system releases all locks of a process on a file when the process closes any descriptor of
/// it (https://www.sqlite.org/howtocorrupt.html, 2.2). Another process that closes the library
/// would then delete the WAL. So a file that is open in SQLite is not opened to inspect it.
final class OpenFile: Sendable {
  private static let inspections = Mutex<
    [FileIdentity: (inspection: LibraryFile.Inspection, count: Int)]
  >([:])

  let identity: FileIdentity
  /// The shared lock that prevents other processes from moving the file.
  private let lock: FileLock?

  /// Records that this process opens an inspected file. Nil if there was no file.
  ///
  /// - Parameters:
  ///   - inspection: The result of the inspection before the file is opened.
  ///   - lock: The shared lock to hold while the file is open; nil if there is none.
  init?(_ inspection: LibraryFile.Inspection, lock: FileLock?) {
    guard let identity = inspection.identity else { return nil }
    self.identity = identity
    self.lock = lock
    Self.inspections.withLock { $0[identity] = (inspection, ($0[identity]?.count ?? 0) + 1) }
  }

  deinit {
    Self.inspections.withLock { inspections in
      guard let (inspection, count) = inspections[identity] else { return }
      inspections[identity] = count > 1 ? (inspection, count - 1) : nil
    }
  }

  /// Inspects a file. No `OpenFile` can be created or deinitialized in the meantime.
  ///
  /// - Parameter body: Called with the identity of the file, and with the result of the inspection
  ///   before this process opened the file; nil if this process does not have it open.
  static func inspecting<Value>(
    at path: String, _ body: (FileIdentity?, LibraryFile.Inspection?) -> Value
  ) -> Value {
    inspections.withLock { inspections in
      let identity = FileIdentity(of: path)
      return body(identity, identity.flatMap { inspections[$0]?.inspection })
    }
  }
}

/// A connection that cannot write. Until it is deinitialized, it prevents the checkpoint that
/// SQLite makes when the last connection to a library is closed.
final class CheckpointBlocker {
  private var connection: OpaquePointer?

  init(of path: String) {
    guard sqlite3_open_v2(path, &connection, SQLITE_OPEN_READONLY, nil) == SQLITE_OK else { return }
    // In WAL mode a connection that has read holds a lock until it is closed.
    sqlite3_exec(connection, "PRAGMA schema_version", nil, nil, nil)
  }

  deinit { sqlite3_close(connection) }
}
