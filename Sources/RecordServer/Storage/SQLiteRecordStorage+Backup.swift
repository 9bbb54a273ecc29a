import GRDB
import Glibc

extension SQLiteRecordStorage {
  /// Writes a copy of the committed state to a new file while requests are served. The file is
  /// complete or not created at all. Only its owner can read it, because it contains the records of
  /// all users.
  ///
  /// - Throws: a `StorageFailure`, also if a file with this name exists.
  public func backUp(to path: String) async throws(StorageFailure) {
    let unfinished = Self.unfinishedName(path)
    defer { Self.removeDatabase(unfinished) }
    do {
      // Use a separate connection, so that writers do not wait for the copy.
      let source: any DatabaseWriter =
        database is DatabasePool ? try DatabaseQueue(path: database.path) : database
      try await Self.copy(source, to: unfinished)
      // Unlike `rename`, `link` does not replace an existing file.
      guard link(unfinished, path) == 0 else { throw StorageFailure.file(.create, path) }
      synchronizeDirectory(of: path)
    } catch {
      throw StorageFailure(error)
    }
  }

  /// Replaces the database file of a service by a backup. No server may have the file open.
  ///
  /// All tokens expire, because clients may know a state that is newer than the backup. For the
  /// same reason, the sequence numbers, and therefore the change tags, continue far beyond the
  /// previous ones.
  ///
  /// - Returns: the path to which the previous file was moved; nil if there was none.
  @discardableResult
  public static func restore(
    _ backup: String, to path: String
  ) async throws(StorageFailure) -> String? {
    let unfinished = unfinishedName(path)
    defer { removeDatabase(unfinished) }
    do {
      guard access(backup, R_OK) == 0 else { throw StorageFailure.file(.read, backup) }
      let source = try SQLiteRecordStorage.opened(backup)
      defer { try? source.close() }
      try await Self.copy(source, to: unfinished)
      let copy = try SQLiteRecordStorage(path: unfinished)
      try await copy.expireTokensAndSkipNumbers()
      try await copy.finish(unfinished)
      let aside = try setAside(path)
      guard rename(unfinished, path) == 0 else { throw StorageFailure.file(.create, path) }
      synchronizeDirectory(of: path)
      return aside
    } catch {
      throw StorageFailure(error)
    }
  }

  /// The name of a file that becomes `path` when it is complete.
  private static func unfinishedName(_ path: String) -> String {
    "\(path).\(UInt64.random(in: .min ... .max)).new"
  }

  /// Copies the committed state of a database to a new file, and writes it to the disk.
  private static func copy(_ source: any DatabaseWriter, to path: String) async throws {
    // SQLite would create a file that other users can read; it writes into an existing empty one.
    let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw StorageFailure.file(.create, path) }
    defer { Glibc.close(descriptor) }
    try await source.vacuum(into: path)
    guard fsync(descriptor) == 0 else { throw StorageFailure.file(.write, path) }
  }

  /// The suffixes of the files that SQLite creates beside a database file.
  private static let suffixes = ["-wal", "-journal", "-shm"]

  /// Deletes a database file and the files that SQLite creates beside it.
  private static func removeDatabase(_ path: String) {
    for suffix in [""] + suffixes { unlink(path + suffix) }
  }

  /// Moves an existing database aside, with its WAL or journal.
  ///
  /// - Returns: its new path; nil if there was none.
  private static func setAside(_ path: String) throws -> String? {
    let exists = access(path, F_OK) == 0
    if exists { try checkpointWAL(path) }
    let name = unusedNameAside(path)
    // `link` rather than `rename`, so that a file exists at `path` at any time: a server that
    // starts in the meantime would create an empty one.
    guard !exists || link(path, name) == 0 else { throw StorageFailure.file(.create, name) }
    // SQLite would apply the WAL or journal of the previous file to the restored one.
    var isAside = exists
    for suffix in suffixes where access(path + suffix, F_OK) == 0 {
      guard rename(path + suffix, name + suffix) == 0 else {
        throw StorageFailure.file(.create, name + suffix)
      }
      isAside = true
    }
    return isAside ? name : nil
  }

  /// Moves the content of the WAL into the database file. A file that can no longer be read is left
  /// as it is.
  ///
  /// - Throws: `busy` if another process has the file open.
  private static func checkpointWAL(_ path: String) throws {
    do {
      let previous = try opened(path)
      try previous.inDatabase { database in
        try database.execute(sql: "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE")
      }
      try previous.close()
    } catch let error as DatabaseError
      where [.SQLITE_NOTADB, .SQLITE_CORRUPT, .SQLITE_IOERR, .SQLITE_ERROR].contains(
        error.resultCode)
    {
      guard process(using: path) == nil else { throw StorageFailure.busy }
    }
  }

  private static func opened(_ path: String) throws -> DatabaseQueue {
    try refuseForeign(path)
    var configuration = Configuration()
    configuration.busyMode = .immediateError
    return try DatabaseQueue(path: path, configuration: configuration)
  }

  /// Renews the epochs and skips sequence numbers. The distance is random, because an earlier
  /// restore of the same backup may also have skipped numbers and assigned the following ones.
  private func expireTokensAndSkipNumbers() async throws {
    try await database.write { database in
      let sequenceGap = RecordTables.sequenceGap * Int64.random(in: 1...65_536)
      try database.execute(
        sql: """
          UPDATE environment SET epoch = abs(random() / 2) + 1, number = number + \(sequenceGap);
          UPDATE owner SET number = number + \(sequenceGap);
          UPDATE zone SET sequence = sequence + \(sequenceGap);
          UPDATE sequence SET number = number + \(sequenceGap);
          """)
      try RecordTables.addRestore(to: database)
    }
  }

  /// Returns a path to which the database can be moved, beside which no such files exist.
  private static func unusedNameAside(_ path: String) -> String {
    var number = 1
    while ([""] + suffixes).contains(where: {
      access("\(path).before-restore-\(number)\($0)", F_OK) == 0
    }) { number += 1 }
    return "\(path).before-restore-\(number)"
  }

  /// Closes the database so that its file has everything, and writes the file to the disk.
  func finish(_ path: String) async throws(StorageFailure) {
    do {
      try await database.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
      try close()
      try Self.synchronize(path)
    } catch {
      throw StorageFailure(error)
    }
  }

  private static func synchronize(_ path: String) throws {
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw StorageFailure.file(.open, path) }
    defer { Glibc.close(descriptor) }
    guard fsync(descriptor) == 0 else { throw StorageFailure.file(.write, path) }
  }
}
