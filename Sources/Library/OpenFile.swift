import GRDBSQLite
import Glibc
import Synchronization

/// Which file a name stands for, whatever it is called later.
struct FileIdentity: Hashable, Sendable {
  private let device: dev_t
  private let number: ino_t

  /// Nil where there is none.
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

/// The identity, size and modification time of a file: one of them changes with every change.
public struct FileState: Hashable, Sendable {
  let identity: FileIdentity
  private let size: off_t
  private let seconds: Int
  private let nanoseconds: Int

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

/// A library's file that this process has open in SQLite, until the value goes.
///
/// The system takes away all locks that a process has on a file as soon as it closes
/// any descriptor of that file (https://www.sqlite.org/howtocorrupt.html, 2.2): then
/// another process, closing the library, would take itself for the last, and the WAL
/// away. So what is open here is not looked at.
final class OpenFile: Sendable {
  private static let looks = Mutex<[FileIdentity: (look: LibraryFile.Look, count: Int)]>([:])

  let identity: FileIdentity
  /// Held by everyone who has the library open: nobody moves the file meanwhile.
  private let lock: FileLock?

  /// Nil where there is no file.
  init?(_ look: LibraryFile.Look, lock: FileLock?) {
    guard let identity = look.identity else { return nil }
    self.identity = identity
    self.lock = lock
    Self.looks.withLock { $0[identity] = (look, ($0[identity]?.count ?? 0) + 1) }
  }

  deinit {
    Self.looks.withLock { looks in
      guard let (look, count) = looks[identity] else { return }
      looks[identity] = count > 1 ? (look, count - 1) : nil
    }
  }

  /// Looks at a file, while this process opens none.
  ///
  /// - Parameter body: gets what was seen of the file before this process opened it,
  ///   if it has it open.
  static func looking<Value>(
    at path: String, _ body: (FileIdentity?, LibraryFile.Look?) -> Value
  ) -> Value {
    looks.withLock { looks in
      let identity = FileIdentity(of: path)
      return body(identity, identity.flatMap { looks[$0]?.look })
    }
  }
}

/// Keeps SQLite, as long as the value lives, from taking the WAL into a file when it
/// closes it: that is done by who closes last, and this one cannot write.
final class LastReader {
  private var connection: OpaquePointer?

  init(of path: String) {
    guard sqlite3_open_v2(path, &connection, SQLITE_OPEN_READONLY, nil) == SQLITE_OK else { return }
    // In WAL mode who has once read keeps its lock until it closes.
    sqlite3_exec(connection, "PRAGMA schema_version", nil, nil, nil)
  }

  deinit { sqlite3_close(connection) }
}
