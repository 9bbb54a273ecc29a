import GRDB
import Glibc
import Synchronization

/// Two random numbers that show whether a WAL belongs to the database file beside it. SQLite uses
/// any WAL beside a file: if the file was replaced by another one, SQLite would mix pages of both.
///
/// The first transaction after a checkpoint replaces the current number. Until the next checkpoint,
/// the file without its WAL has the former number; after that, it has the current one. A file with
/// neither of the two numbers is another file.
struct CheckpointMark: Hashable {
  let current: Int64
  /// The previous number; 0 if there was none.
  let former: Int64

  /// Whether the WAL belongs to the file.
  ///
  /// - Parameter number: The number of the file without its WAL: see
  ///   `LibraryFile.checkpointNumber`.
  func belongs(to number: Int64) -> Bool { number == current || number == former }
}

extension Database {
  /// Returns the checkpoint mark; nil if the library has a schema version without one.
  func checkpointMark() throws -> CheckpointMark? {
    guard try SchemaCheck.isTable("checkpointMark", in: self) else { return nil }
    return try rows("SELECT current, former FROM checkpointMark") {
      CheckpointMark(current: $0.int64(0), former: $0.int64(1))
    }.first
  }

  /// Replaces the current number by a random one, and stores the replaced number as the former one.
  ///
  /// - Returns: The new number.
  fileprivate func changeCheckpointMark() throws -> Int64 {
    let number = Int64.random(in: .min ... .max)
    try run("UPDATE checkpointMark SET former = current, current = ?", number)
    return number
  }
}

extension LibraryFile {
  /// Reads the file without locks, without its WAL, and without creating a file beside it.
  ///
  /// - Returns: Nil if that fails.
  func readWithoutWAL<Value>(_ body: (Database) throws -> Value) -> Value? {
    let queue = try? DatabaseQueue(path: immutableAddress, configuration: .readOnlyLibrary)
    defer { try? queue?.close() }
    return try? queue?.inDatabase(body)
  }

  /// The current number of the file without its WAL; 0 if it is of a version without numbers, nil
  /// if it cannot be read.
  fileprivate var checkpointNumber: Int64? {
    readWithoutWAL { database -> Int64? in
      guard case .version = try SchemaCheck(database) else { return nil }
      return try database.checkpointMark()?.current ?? 0
    } ?? nil
  }

  /// Whether the file is not the one that a database was opened from. False if that is unknown.
  ///
  /// - Parameter database: A database that was opened from a file and its WAL.
  func isDifferentFile(from database: Database) -> Bool {
    guard let checkpointNumber else { return false }
    do {
      if let opened = try database.checkpointMark() {
        return !opened.belongs(to: checkpointNumber)
      }
      // Without numbers, only a mixture of pages can be detected.
      return try String.fetchOne(database, sql: "PRAGMA quick_check(1)") != "ok"
    } catch {
      return false
    }
  }

  /// Whether the file passes `quick_check` without its WAL, and the WAL belongs to another file or
  /// makes it unreadable.
  var isSoundWithoutWAL: Bool {
    let isSound = readWithoutWAL { database in
      guard case .version = try SchemaCheck(database) else { return false }
      return try String.fetchOne(database, sql: "PRAGMA quick_check(1)") == "ok"
    }
    guard size(walPath) > 0, isSound == true else { return false }
    // Prevents the checkpoint on close.
    let reader = CheckpointBlocker(of: path)
    defer { withExtendedLifetime(reader) {} }
    do {
      let queue = try DatabaseQueue(path: path, configuration: .library)
      defer { try? queue.close() }
      return try queue.inDatabase { database in
        guard case .version = try SchemaCheck(database) else { return true }
        _ = try database.checkpointMark()
        return isDifferentFile(from: database)
      }
    } catch {
      return true
    }
  }
}

/// Detects that the file of an open library was replaced, and changes the library's number after a
/// checkpoint: see `CheckpointMark`.
final class FileGuard: Sendable {
  private struct Seen {
    /// The state of the file when it was last known to be the open one.
    var known: FileState?
    /// The state of the file when the WAL was last known to have a number of its own.
    var withOwnNumber: FileState?
    /// The numbers that the library may have, unless another process changed it.
    var numbers: [Int64] = []
    /// The value of `PRAGMA data_version` when `numbers` was read from the library.
    var version = 0
  }

  private let file: LibraryFile
  private let identity: FileIdentity?
  private let seen: Mutex<Seen>

  /// Records the state of a library's file before the library is opened.
  ///
  /// - Parameter path: The path of the library.
  init(path: String) {
    file = LibraryFile(path: path)
    let state = FileState(of: path)
    identity = state?.identity
    seen = Mutex(Seen(known: state))
  }

  /// Whether there is another file or none at the path.
  var isDetached: Bool { FileIdentity(of: file.path) != identity }

  /// Reads the number after the library was opened.
  func opened(_ database: Database) throws {
    // In one transaction, because another process may change both in between.
    try database.inSavepoint {
      guard let mark = try database.checkpointMark() else { return .commit }
      let version = try database.dataVersion()
      seen.withLock { ($0.numbers, $0.version) = ([mark.current], version) }
      return .commit
    }
  }

  /// Whether the file was removed or replaced, or its content was overwritten.
  func isReplaced(_ database: Database) -> Bool {
    guard let state = FileState(of: file.path), state.identity == identity else { return true }
    return seen.withLock { seen in
      if state == seen.known || state == seen.withOwnNumber { return false }
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
  ///
  /// - Throws: `replaced`, or an error of the database.
  func begin(_ database: Database) throws {
    guard let state = FileState(of: file.path), state.identity == identity else {
      throw LibraryFailure.replaced(path: file.path)
    }
    try seen.withLock { seen in
      guard state != seen.withOwnNumber, let hasOwnNumber = try compare(database, &seen) else {
        return
      }
      if hasOwnNumber {
        seen.withOwnNumber = state
      } else {
        // The transaction may be rolled back, so the next one checks the number again.
        seen.numbers.append(try database.changeCheckpointMark())
      }
    }
  }

  /// Compares the number of the file with the number of the open library, and records the latter.
  ///
  /// - Returns: Whether the WAL has a number of its own; nil if the file cannot be read without it.
  /// - Throws: `replaced`.
  private func compare(_ database: Database, _ seen: inout Seen) throws -> Bool? {
    guard let number = file.checkpointNumber else { return nil }
    let opened: CheckpointMark?
    let version: Int
    do {
      (opened, version) = try (database.checkpointMark(), database.dataVersion())
    } catch {
      // The open database cannot be read.
      throw LibraryFailure.replaced(path: file.path)
    }
    guard let opened else { return nil }
    // If `data_version` is unchanged, no other process has changed the library, so its number is
    // one of `numbers`. If it has any other number, the file was replaced, and pages of the
    // previous file may still be in memory.
    let isKnown = seen.numbers.contains(opened.current) || version != seen.version
    guard isKnown, opened.belongs(to: number) else {
      throw LibraryFailure.replaced(path: file.path)
    }
    (seen.numbers, seen.version) = ([opened.current], version)
    return opened.current != number
  }
}
