import FoundationEssentials
import GRDB
import Glibc

/// The backups of a library: consistent copies in the directory `backups` beside it. The newest
/// seven are kept. Backups with a time in the future were made while the clock was wrong. They are
/// counted separately, so that they do not push out the others.
public struct Backups: Sendable {
  /// The number of backups that are kept.
  static let kept = 7
  /// The time between two automatic backups, in milliseconds: a day.
  static let interval: Int64 = 86_400_000

  let file: LibraryFile
  /// The directory of the backups.
  public let directory: String

  /// Creates the list of the backups of a library.
  ///
  /// - Parameter library: The path of the library.
  public init(of library: String) {
    self.init(of: LibraryFile(path: library))
  }

  init(of file: LibraryFile) {
    self.file = file
    directory = file.directory + "/backups"
  }

  /// The names of the backups, newest first. They contain the time of the backup in UTC.
  public var all: [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    return names.filter {
      $0.hasPrefix(prefix) && $0.hasSuffix(suffix)
        && FileTimestamp.isValid($0.dropFirst(prefix.count).dropLast(suffix.count))
    }.sorted(by: >)
  }

  private var prefix: String { file.name + "-" }
  private let suffix = ".sqlite"

  /// Whether there is no backup.
  public var isEmpty: Bool { all.isEmpty }

  /// The name of the newest backup; nil if there is none. A backup with a later time than `now` is
  /// returned only if there is no other.
  ///
  /// - Parameter now: Milliseconds since 1970, UTC.
  public func newest(asOf now: Int64) -> String? {
    let all = all
    return all.first { $0 <= name(at: now) } ?? all.first
  }

  /// Whether the file at the library's path belongs to another program, or nothing shows that it is
  /// a library.
  public var libraryFileIsForeign: Bool { file.isForeign(file.inspect().condition) }

  /// Returns the path of a backup.
  public func path(_ name: String) -> String { "\(directory)/\(name)" }

  /// Whether the newest backup is older than a day. Backups with a later time than now are ignored:
  /// the clock was wrong when they were made.
  func isDue(at now: Int64) -> Bool {
    guard let newest = all.first(where: { $0 <= name(at: now) }) else { return true }
    return newest < name(at: now - Self.interval)
  }

  private func name(at time: Int64) -> String { prefix + FileTimestamp(time).description + suffix }

  /// Deletes the oldest backups.
  private func prune(at now: Int64) {
    let all = all
    let later = all.prefix { $0 > name(at: now) }
    for backups in [later, all.dropFirst(later.count)] {
      for old in backups.dropFirst(Self.kept) { unlink(path(old)) }
    }
  }

  /// Writes a backup of everything that is committed, and deletes the oldest backups.
  ///
  /// - Returns: The name of the backup.
  @discardableResult
  func make(from database: Database, at now: Int64) throws -> String {
    try file.makeDirectory(directory)
    let name = name(at: now)
    let unfinished = try database.writeCopy(beside: path(name))
    try withDirectoryLock {
      guard rename(unfinished, path(name)) == 0 else {
        let code = errno
        unlink(unfinished)
        throw LibraryFailure(code: code, path: unfinished)
      }
      Directory.synchronize(directory)
      prune(at: now)
    }
    removeUnfinished(before: self.name(at: now - Self.interval))
    return name
  }

  /// Calls a closure with an exclusive lock on the directory, if the file system has locks. Without
  /// the lock, two processes that delete the oldest backup at the same time could delete one too
  /// many.
  private func withDirectoryLock(_ body: () throws -> Void) throws {
    let descriptor = Glibc.open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { close(descriptor) }
    flock(descriptor, LOCK_EX)
    try body()
  }

  /// Deletes unfinished backups of killed processes.
  private func removeUnfinished(before limit: String) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    for name in names where name.hasPrefix(prefix) && name < limit {
      // The name of another library in the directory can begin with the prefix.
      guard FileTimestamp.isValid(name.dropFirst(prefix.count).prefix { $0 != "." }) else {
        continue
      }
      // SQLite's journal of an unfinished backup is deleted, too.
      if name.hasSuffix(".new") || name.hasSuffix(".new-journal") { unlink(path(name)) }
    }
  }

  /// Replaces the library with a backup. The replaced file is renamed.
  ///
  /// - Parameters:
  ///   - name: The name of the backup.
  ///   - restoration: The version that the next sync of a connected library keeps: the backup's or
  ///     the service's; `undecided` if the user has to choose.
  ///   - now: Milliseconds since 1970, UTC.
  /// - Returns: The new path of the replaced library; nil if there was none.
  /// - Throws: `busy` if another process has the library open; `newer`, `foreign` or `unreadable`
  ///   if the file at the library's path must not be replaced; `newer`, `unreadable`,
  ///   `strangeSchema` or `damagedBackup` if the backup cannot be used; `readOnly` or `diskFull` if
  ///   a file cannot be written.
  public func restore(
    _ name: String, _ restoration: SyncAccount.Restoration = .undecided, at now: Int64
  ) throws(LibraryFailure) -> String? {
    switch LibraryFile(path: path(name)).inspect().condition {
    case .library: break
    case .newer: throw .newer(path: path(name))
    case .unreadable(let code): throw .unreadable(path: path(name), code: code)
    case .absent: throw .unreadable(path: path(name), code: ENOENT)
    default: throw .damagedBackup(path: path(name))
    }
    if SchemaCheck.ofFile(LibraryFile(path: path(name))) == .strange {
      throw .strangeSchema(path: path(name))
    }
    let check = LibraryFile(path: path(name)).readWithoutWAL {
      try String.fetchOne($0, sql: "PRAGMA quick_check(1)")
    }
    guard check == "ok" else { throw .damagedBackup(path: path(name)) }
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

  /// Replaces the library, which no other process has open.
  private func replace(
    by backup: String, _ restoration: SyncAccount.Restoration, at now: Int64
  ) throws(LibraryFailure) -> String? {
    switch file.inspect().condition {
    case .newer: throw .newer(path: file.path)
    case .foreign: throw .foreign(path: file.namedPath)
    case .unreadable(let code): throw .unreadable(path: file.path, code: code)
    case .interrupted(let replacement): _ = try file.finish(replacement)
    default: break
    }
    try file.copyUnfinished(from: backup)
    do {
      try markUnfinished(restoration)
    } catch {
      file.discardUnfinished()
      throw error
    }
    return try file.replace(.restored, at: now)
  }

  /// Marks the copy of a backup as restored, before it replaces the library, so that nothing is
  /// synced in between.
  private func markUnfinished(_ restoration: SyncAccount.Restoration) throws(LibraryFailure) {
    let newest = Generation(beside: file.path)
    let former = CarriedOverData(file)
    do {
      let queue = try DatabaseQueue(path: file.unfinishedPath, configuration: .library)
      defer { try? queue.close() }
      try LibrarySchema.migrator.migrate(queue)
      try queue.write {
        try $0.markRestored(replacing: former.account, choice: restoration, newest: newest)
        try $0.addToTrash(former.trash)
        for draft in former.drafts {
          // The backup may have another state of the draft.
          if let stored = try Draft.stored(draft.id, in: $0), !draft.holds(stored) {
            if !stored.holds(draft) { _ = try draft.saveCopy($0) }
          } else {
            try draft.save($0)
          }
        }
      }
      try queue.close()
    } catch {
      throw LibraryFailure(error, path: file.unfinishedPath)
    }
  }
}

/// The data of a replaced library that is copied to the restored backup. Data that cannot be read
/// is left out.
private struct CarriedOverData {
  var account: SyncAccount?
  var trash: [TrashedNote] = []
  /// The unfinished notes.
  var drafts: [Draft] = []

  init(_ file: LibraryFile) {
    guard case .library(let version) = file.inspect().condition else { return }
    guard var queue = try? DatabaseQueue(path: file.path, configuration: .readOnlyLibrary) else {
      return
    }
    if version < LibrarySchema.version {
      guard let copy = try? LibrarySchema.migratedCopy(of: queue) else { return }
      queue = copy
    }
    account = try? queue.read { try $0.syncAccount() }
    trash = (try? queue.read { try $0.trash() }) ?? []
    drafts =
      (try? queue.read { database in
        try database.rows("SELECT \(Draft.columns) FROM draft", make: Draft.init)
      }) ?? []
  }
}

extension Library {
  /// Backs the library up now.
  ///
  /// - Parameter now: Milliseconds since 1970, UTC.
  /// - Returns: The name of the backup.
  public func backUp(at now: Int64) throws(LibraryFailure) -> String {
    try refuseIfClosed()
    do {
      return try database.writeWithoutTransaction { try Backups(of: path).make(from: $0, at: now) }
    } catch {
      throw LibraryFailure(error, path: path)
    }
  }

  /// Checks every page on a separate connection, and makes a backup if one is due.
  ///
  /// - Returns: False if the library is damaged. It is salvaged when it is opened next.
  ///   True, without a check, if the library is closed or not in a file.
  func check(at now: Int64) throws(LibraryFailure) -> Bool {
    // Prevents other processes from moving the file.
    guard let file = openFile() else { return true }
    defer { withExtendedLifetime(file) {} }
    do {
      let queue = try DatabaseQueue(path: path, configuration: .readOnlyLibrary)
      defer { try? queue.close() }
      let isSound = try queue.inDatabase { database in
        // The check reads each page only once, so it does not need a cache of two megabytes.
        try database.execute(sql: "PRAGMA cache_size = -256")
        guard try String.fetchOne(database, sql: "PRAGMA quick_check(1)") == "ok" else {
          return false
        }
        let backups = Backups(of: path)
        if backups.isDue(at: now) { try backups.make(from: database, at: now) }
        return true
      }
      if !isSound { markDamage(.damaged(path: path)) }
      return isSound
    } catch {
      let failure = markDamage(LibraryFailure(error, path: path))
      guard case .damaged = failure else { throw failure }
      return false
    }
  }
}
