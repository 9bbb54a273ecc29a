import GRDB
import Glibc
import Synchronization

/// Tells whether a library's WAL belongs to its file. SQLite takes any WAL that lies beside a file
/// for the file's own: where another file was put there meanwhile, pages of both would be mixed.
///
/// The first transaction after a checkpoint changes a random number in the library. The file by
/// itself then holds the number from before that, or, once it was checkpointed, the new one. Any
/// other number is that of another file.
struct CheckpointMark: Hashable {
  let current: Int64
  /// The number before that: 0 where there was none.
  let former: Int64

  /// - Parameter mark: that of the file by itself: see `LibraryFile.mark`.
  func belongs(to mark: Int64) -> Bool { mark == current || mark == former }
}

extension Database {
  /// Nil where the schema is of a version that had none.
  func checkpointMark() throws -> CheckpointMark? {
    guard try SchemaCheck.isTable("checkpointMark", in: self) else { return nil }
    return try rows("SELECT current, former FROM checkpointMark") {
      CheckpointMark(current: $0.int64(0), former: $0.int64(1))
    }.first
  }

  /// - Returns: the new one.
  fileprivate func changeCheckpointMark() throws -> Int64 {
    let mark = Int64.random(in: .min ... .max)
    try run("UPDATE checkpointMark SET former = current, current = ?", .int(mark))
    return mark
  }
}

extension LibraryFile {
  /// Reads the file by itself: without locks, without its WAL, and without making a file beside it.
  ///
  /// - Returns: nil where that fails.
  func readAlone<Value>(_ body: (Database) throws -> Value) -> Value? {
    var configuration = GRDB.Configuration.library
    configuration.readonly = true
    let queue = try? DatabaseQueue(path: immutableAddress, configuration: configuration)
    defer { try? queue?.close() }
    return try? queue?.inDatabase(body)
  }

  /// The checkpoint mark of the file by itself: 0 where it is of a version that had none, nil
  /// where it cannot be read.
  fileprivate var mark: Int64? {
    readAlone { database -> Int64? in
      guard case .version = try SchemaCheck(database) else { return nil }
      return try database.checkpointMark()?.current ?? 0
    } ?? nil
  }

  /// Whether the file is not the one that a database was opened from.
  ///
  /// - Parameter database: opened from the file and its WAL.
  func isAnother(than database: Database) -> Bool {
    guard let mark else { return false }
    do {
      if let opened = try database.checkpointMark() { return !opened.belongs(to: mark) }
      // Of a version that had no marks only a mixture of pages can be seen.
      return try String.fetchOne(database, sql: "PRAGMA quick_check(1)") != "ok"
    } catch {
      return false
    }
  }

  /// Whether the file passes `quick_check` without its WAL, and the WAL belongs to another file or
  /// makes it unreadable.
  var isSoundWithoutWAL: Bool {
    let isSound = readAlone { database in
      guard case .version = try SchemaCheck(database) else { return false }
      return try String.fetchOne(database, sql: "PRAGMA quick_check(1)") == "ok"
    }
    guard size(walPath) > 0, isSound == true else { return false }
    // Prevents the checkpoint on close.
    let reader = LastReader(of: path)
    defer { withExtendedLifetime(reader) {} }
    do {
      let queue = try DatabaseQueue(path: path, configuration: .library)
      defer { try? queue.close() }
      return try queue.inDatabase { database in
        guard case .version = try SchemaCheck(database) else { return true }
        _ = try database.checkpointMark()
        return isAnother(than: database)
      }
    } catch {
      return true
    }
  }
}

/// Notices that another file took the place of the one that a library has open, and marks what
/// the file holds: see `CheckpointMark`.
final class FileGuard: Sendable {
  private struct Seen {
    /// When the file was last known to be the one that is open.
    var known: FileState?
    /// When the WAL was last known to have its mark.
    var marked: FileState?
    /// What the mark may be, as long as no other process changed the library.
    var marks: [Int64] = []
    /// `PRAGMA data_version` then.
    var version = 0
  }

  private let file: LibraryFile
  private let identity: FileIdentity?
  private let seen: Mutex<Seen>

  /// - Parameter path: of a library that is to be opened.
  init(path: String) {
    file = LibraryFile(path: path)
    let state = FileState(of: path)
    identity = state?.identity
    seen = Mutex(Seen(known: state))
  }

  /// Whether another file, or none, lies in the place.
  var isGone: Bool { FileIdentity(of: file.path) != identity }

  /// The library is open.
  func opened(_ database: Database) throws {
    guard let mark = try database.checkpointMark() else { return }
    let version = try database.dataVersion()
    seen.withLock { ($0.marks, $0.version) = ([mark.current], version) }
  }

  /// Whether the file is gone, or its content was replaced.
  func isReplaced(_ database: Database) -> Bool {
    guard let state = FileState(of: file.path), state.identity == identity else { return true }
    return seen.withLock { seen in
      if state == seen.known || state == seen.marked { return false }
      do {
        _ = try compare(database, &seen)
        seen.known = state
        return false
      } catch LibraryFailure.replaced {
        return true
      } catch {
        return false
      }
    }
  }

  /// Called at the start of every write transaction. Reads only the file's state, unless a
  /// checkpoint changed the file.
  func begin(_ database: Database) throws {
    guard let state = FileState(of: file.path), state.identity == identity else {
      throw LibraryFailure.replaced(path: file.path)
    }
    try seen.withLock { seen in
      guard state != seen.marked, let isMarked = try compare(database, &seen) else { return }
      if isMarked {
        seen.marked = state
      } else {
        // The transaction may be rolled back: whether the mark is there is seen by the next.
        seen.marks.append(try database.changeCheckpointMark())
      }
    }
  }

  /// - Returns: whether the WAL has its mark; nil where the file cannot be read by itself.
  /// - Throws: `replaced`.
  private func compare(_ database: Database, _ seen: inout Seen) throws -> Bool? {
    guard let mark = file.mark else { return nil }
    let opened: CheckpointMark?
    let version: Int
    do {
      (opened, version) = try (database.checkpointMark(), database.dataVersion())
    } catch {
      // The open database cannot be read.
      throw LibraryFailure.replaced(path: file.path)
    }
    guard let opened else { return nil }
    // As long as nobody else changed anything, pages of the former file may still be in memory.
    let isKnown = seen.marks.contains(opened.current) || version != seen.version
    guard isKnown, opened.belongs(to: mark) else {
      throw LibraryFailure.replaced(path: file.path)
    }
    (seen.marks, seen.version) = ([opened.current], version)
    return opened.current != mark
  }
}
