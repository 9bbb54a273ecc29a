import FoundationEssentials
import GRDB
import Glibc

/// Consistent copies of a library, in the directory `backups` beside it. Seven are kept
/// of each library.
public struct Backups: Sendable {
  static let kept = 7
  /// How long a backup is good for, in milliseconds: a day.
  static let interval: Int64 = 86_400_000

  let file: LibraryFile
  public let directory: String

  public init(of library: String) {
    file = LibraryFile(path: library)
    directory = file.directory + "/backups"
  }

  /// Names of the backups, newest first; they say when each was made, in UTC.
  public var all: [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    return names.filter {
      $0.hasPrefix(prefix) && $0.hasSuffix(suffix)
        && Stamp.isStamp($0.dropFirst(prefix.count).dropLast(suffix.count))
    }.sorted(by: >)
  }

  private var prefix: String { file.name + "-" }
  private let suffix = ".sqlite"

  public var newest: String? { all.first }

  /// Whether the file at the library's path is not a library.
  public var isOfForeignFile: Bool { file.isForeign(file.look().condition) }

  public func path(_ name: String) -> String { "\(directory)/\(name)" }

  /// Whether the newest is older than a day. Those that a clock gone wrong dated ahead
  /// do not count.
  func isDue(at now: Int64) -> Bool {
    guard let newest = all.first(where: { $0 <= name(at: now) }) else { return true }
    return newest < name(at: now - Self.interval)
  }

  private func name(at time: Int64) -> String { prefix + Stamp(time).description + suffix }

  /// Writes a copy of all that is committed, whole or not at all, and lets the oldest go.
  ///
  /// - Returns: its name.
  @discardableResult
  func make(from database: Database, at now: Int64) throws -> String {
    try file.makeDirectory(directory)
    let name = name(at: now)
    // Another process, or another thread, may be making one at the same time.
    let unfinished = "\(path(name)).\(UInt64.random(in: .min ... .max)).new"
    // SQLite writes into an empty file, which only its owner can read.
    let descriptor = Glibc.open(unfinished, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw LibraryFailure(code: errno, path: unfinished) }
    defer { close(descriptor) }
    do {
      try database.vacuum(into: unfinished)
      guard fsync(descriptor) == 0 else { throw LibraryFailure(code: errno, path: unfinished) }
      try alone {
        guard rename(unfinished, path(name)) == 0 else {
          throw LibraryFailure(code: errno, path: unfinished)
        }
        LibraryFile.synchronize(directory)
        for old in all.filter({ $0 != name }).dropFirst(Self.kept - 1) { unlink(path(old)) }
      }
    } catch {
      unlink(unfinished)
      unlink(unfinished + "-journal")
      throw error
    }
    removeUnfinished(before: self.name(at: now - Self.interval))
    return name
  }

  /// Changes the directory while no other process does, where the file system knows locks: two that
  /// removed the oldest at the same time could remove one too many.
  private func alone(_ body: () throws -> Void) throws {
    let descriptor = Glibc.open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { close(descriptor) }
    flock(descriptor, LOCK_EX)
    try body()
  }

  /// Takes away what killed processes left.
  private func removeUnfinished(before limit: String) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    for name in names where name.hasPrefix(prefix) && name < limit {
      // Also SQLite's journal of one.
      if name.hasSuffix(".new") || name.hasSuffix(".new-journal") { unlink(path(name)) }
    }
  }

  /// Puts a backup in the library's place; what was there is set aside. Where the library is
  /// connected, what the service holds is of a later time.
  ///
  /// - Parameter restoration: which of the two counts, if that is known.
  /// - Returns: where the former library lies now, nil where there was none.
  /// - Throws: `busy` where a reader has the library open; `newer` or `foreign` where
  ///   what lies in the place, or the backup itself, is left as it is.
  public func restore(
    _ name: String, _ restoration: SyncAccount.Restoration = .asked, at now: Int64
  ) throws(LibraryFailure) -> String? {
    switch LibraryFile(path: path(name)).look().condition {
    case .library: break
    case .newer: throw .newer(path: path(name))
    case .unreadable(let code): throw .unreadable(path: path(name), code: code)
    case .absent: throw .unreadable(path: path(name), code: ENOENT)
    default: throw .damaged(path: path(name))
    }
    if SchemaCheck.ofFile(LibraryFile(path: path(name))) == .strange {
      throw .strangeSchema(path: path(name))
    }
    switch file.look().condition {
    case .notADatabase, .empty, .unmarked:
      // Check before taking the lock: the lock file itself counts as a companion.
      guard file.hasCompanion || file.isDefaultPlace else { throw .foreign(path: file.namedPath) }
    default: break
    }
    try file.makeDirectory(file.directory)
    do {
      let lock = try FileLock.exclusive(file.lockPath)
      return try withExtendedLifetime(lock) { () throws(LibraryFailure) in
        try replace(by: path(name), restoration, at: now)
      }
    } catch let failure as LibraryFailure {
      throw failure
    } catch FileLock.Failure.cannotCreate(let code) {
      throw LibraryFailure(code: code, path: file.lockPath)
    } catch {
      throw .busy
    }
  }

  /// Nobody else has the library open.
  private func replace(
    by backup: String, _ restoration: SyncAccount.Restoration, at now: Int64
  ) throws(LibraryFailure) -> String? {
    switch file.look().condition {
    case .newer: throw .newer(path: file.path)
    case .foreign: throw .foreign(path: file.namedPath)
    case .unreadable(let code): throw .unreadable(path: file.path, code: code)
    case .interrupted(let replacement): _ = try file.finish(replacement)
    default: break
    }
    try file.copyUnfinished(from: backup)
    do {
      try markUnfinished(restoration)
    } catch .damaged {
      // What can be read of it is salvaged when it is opened; then it is connected to nothing.
      try file.copyUnfinished(from: backup)
    } catch {
      file.discardUnfinished()
      throw error
    }
    return try file.replace(.restored, at: now)
  }

  /// Notes in the copy of a backup that it is one, before it takes the library's place: nothing
  /// is synced in between.
  private func markUnfinished(_ restoration: SyncAccount.Restoration) throws(LibraryFailure) {
    let newest = Generation(beside: file.path)
    let former = formerAccount
    do {
      let queue = try DatabaseQueue(path: file.unfinishedPath, configuration: .library)
      defer { try? queue.close() }
      try Schema.migrator.migrate(queue)
      try queue.write { try $0.markRestored(of: former, restoration, after: newest) }
      try queue.close()
    } catch {
      let failure = LibraryFailure(error, path: file.unfinishedPath)
      if case .database = failure { throw .damaged(path: file.unfinishedPath) }
      throw failure
    }
  }

  /// The account of the library that is in the place; nil where it has none, or none can be read.
  private var formerAccount: SyncAccount? {
    guard case .library(version: Schema.version) = file.look().condition else { return nil }
    var readOnly = GRDB.Configuration.library
    readOnly.readonly = true
    guard let queue = try? DatabaseQueue(path: file.path, configuration: readOnly) else {
      return nil
    }
    defer { try? queue.close() }
    return try? queue.read { try $0.syncAccount() }
  }
}

extension Library {
  /// Backs the library up now.
  ///
  /// - Returns: the name of the backup.
  public func backUp(at now: Int64) throws(LibraryFailure) -> String {
    try refuseIfClosed()
    do {
      return try database.writeWithoutTransaction { try Backups(of: path).make(from: $0, at: now) }
    } catch {
      throw LibraryFailure(error, path: path)
    }
  }

  /// Checks every page, and backs a sound library up where the last time was long ago.
  /// On a connection of its own: nobody waits for it.
  ///
  /// - Returns: false where the library is damaged; then the next start salvages it.
  func check(at now: Int64) throws(LibraryFailure) -> Bool {
    // As long as this lasts, nobody moves the file.
    guard let file = hold() else { return true }
    defer { withExtendedLifetime(file) {} }
    do {
      var readOnly = GRDB.Configuration.library
      readOnly.readonly = true
      let queue = try DatabaseQueue(path: path, configuration: readOnly)
      defer { try? queue.close() }
      return try queue.inDatabase { database in
        guard try String.fetchOne(database, sql: "PRAGMA quick_check(1)") == "ok" else {
          LibraryFile(path: path).markDamaged()
          return false
        }
        let backups = Backups(of: path)
        if backups.isDue(at: now) { try backups.make(from: database, at: now) }
        return true
      }
    } catch {
      let failure = LibraryFailure(error, path: path)
      guard case .damaged = failure else { throw failure }
      LibraryFile(path: path).markDamaged()
      return false
    }
  }
}
