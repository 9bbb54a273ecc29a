import FoundationEssentials
import GRDB
import Glibc

/// Opens a library, in as many attempts as it takes: see `Library.open`.
struct LibraryOpener {
  let file: LibraryFile
  let now: Int64
  private let setsAside: Bool
  /// The states of the files that SQLite reported as damaged. A process that repairs them changes
  /// one.
  private var damaged: Files?
  private(set) var isDamaged = false
  private var notices: [Notice] = []

  private struct Files: Hashable {
    let library: FileState?
    let wal: FileState?
  }

  private var files: Files {
    Files(
      library: FileState(of: file.path),
      wal: file.size(file.walPath) > 0 ? FileState(of: file.walPath) : nil)
  }

  init(file: LibraryFile, now: Int64, setsAside: Bool) {
    self.file = file
    self.now = now
    self.setsAside = setsAside
  }

  /// Makes one attempt to open the library.
  ///
  /// - Returns: Nil if it has to be repeated, because another process changes the file or the file
  ///   was just prepared.
  mutating func attempt() throws(LibraryFailure) -> OpenedLibrary? {
    var found = file.inspect()
    switch found.condition {
    case .newer: throw .newer(path: file.path)
    case let condition where file.isForeign(condition): throw .foreign(path: file.namedPath)
    case .unreadable(let code): throw .unreadable(path: file.path, code: code)
    case .unmarked: try refuseUnlessOurs()
    case .library where file.size(file.journalPath) > 0:
      // Opened for writing, SQLite would roll back the transaction of the journal, and change the
      // file, before the schema can be read.
      try refuseStrangeSchema(of: file)
    case .interrupted(let replacement):
      // The replacement was allowed when it began, so `setsAside` is not checked again.
      if file.isLink { throw .damagedBehindLink(path: file.path) }
      try refuseStrangeSchema(of: LibraryFile(path: file.path(replacement)))
    case .absent where !found.isWritable:
      try file.makeDirectory(file.directory)
      found = file.inspect()
    default: break
    }
    guard found.isWritable else {
      guard found.condition != .absent else { throw .readOnly }
      return try openUnchangeable(found, .readOnly)
    }
    isDamaged = damaged != nil && files == damaged
    // SQLite may have refused to read the schema because of what another program added to it.
    if isDamaged, file.size(file.walPath) == 0 { try refuseStrangeSchema(of: file) }
    if isDamaged || [.empty, .notADatabase, .damaged].contains(found.condition) {
      try refuseToMove()
    }
    if found.condition == .library(version: LibrarySchema.version), !isDamaged {
      return try openSound(found)
    }
    do {
      let lock = try FileLock(file.lockPath, .exclusive)
      try withExtendedLifetime(lock) { () throws(LibraryFailure) in
        // Another process may have prepared it in between.
        if file.inspect() == found, !isDamaged || files == damaged { try prepare(found) }
      }
    } catch FileLock.Failure.cannotCreate(let code) {
      throw LibraryFailure(code: code, path: file.lockPath)
    } catch let failure as LibraryFailure {
      // A library of an older version can be read if there is no room to migrate it.
      guard case .library = found.condition, !isDamaged, [.diskFull, .readOnly].contains(failure)
      else { throw failure }
      return try openUnchangeable(found, failure)
    } catch {
      isDamaged = isDamaged || [.empty, .notADatabase, .damaged].contains(found.condition)
    }
    return nil
  }

  // MARK: Refusing

  /// Throws if the file must not be renamed.
  private func refuseToMove() throws(LibraryFailure) {
    if file.isLink { throw .damagedBehindLink(path: file.path) }
    if !setsAside { throw .damaged(path: file.path) }
  }

  /// Throws `strangeSchema` if the schema has objects of another program. The file is opened for
  /// reading only, without its WAL and its journal, so that SQLite does not change it.
  private func refuseStrangeSchema(of file: LibraryFile) throws(LibraryFailure) {
    if SchemaCheck.ofFile(file) == .strange { throw .strangeSchema(path: file.path) }
  }

  /// Throws if nothing shows that a database is a library, unless it is empty and at the default
  /// path.
  private func refuseUnlessOurs() throws(LibraryFailure) {
    let isOurs: Bool
    do {
      isOurs = try self.isOurs()
    } catch {
      throw LibraryFailure(error, path: file.path)
    }
    guard isOurs else { throw .foreign(path: file.namedPath) }
  }

  /// Checks the schema, before anything that it defines is run.
  ///
  /// - Throws: `newer` or `strangeSchema`.
  private func check(_ database: Database) throws -> SchemaCheck {
    let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
    guard version <= LibrarySchema.version else { throw LibraryFailure.newer(path: file.path) }
    let check = try SchemaCheck(database)
    guard check != .strange else { throw LibraryFailure.strangeSchema(path: file.path) }
    return check
  }

  /// Throws `damaged` if the WAL does not belong to the file.
  private func refuseAnotherWAL(_ database: Database) throws {
    if file.size(file.walPath) > 0, file.isDifferentFile(from: database) {
      throw LibraryFailure.damaged(path: file.path)
    }
  }

  // MARK: Opening

  /// Opens a library of this version.
  ///
  /// - Returns: Nil if the attempt has to be repeated.
  private mutating func openSound(
    _ found: LibraryFile.Inspection
  ) throws(LibraryFailure) -> OpenedLibrary? {
    var lock: FileLock?
    do {
      lock = try FileLock(file.lockPath, .shared)
    } catch .held {
      return nil
    } catch {
      // The lock file cannot be created on a full disk, but the library can still be read.
    }
    guard file.inspect() == found else { return nil }
    let files = files
    let open = OpenFile(found, lock: lock)
    let fileGuard = FileGuard(path: file.path)
    // A file that turns out to be damaged is renamed without changing a byte, so closing it must
    // not make a checkpoint.
    let reader = CheckpointBlocker(of: file.path)
    defer { withExtendedLifetime((reader, open)) {} }
    let newest = Generation(beside: file.path)
    do {
      let queue = try DatabaseQueue(path: file.path, configuration: .library)
      try queue.inDatabase(refuseAnotherWAL)
      guard try queue.inDatabase(check) == .version(LibrarySchema.version) else {
        throw LibraryFailure.damaged(path: file.path)
      }
      let library = Library(
        path: file.path, refusal: nil, file: open, fileGuard: fileGuard, database: queue)
      let version = try library.prepareConnection()
      try library.detectRestoration(newest: newest)
      // Texts that cannot be stored now stay in their files.
      notices += ((try? library.recoverEditedDrafts()) ?? []).map { .filesOfEditor(path: $0) }
      return OpenedLibrary(
        library: library, snapshot: try library.snapshot(), notices: notices, version: version)
    } catch {
      let failure = LibraryFailure(error, path: file.path)
      if failure.isMissingTable || failure == .damaged(path: file.path) {
        damaged = files
        return nil
      }
      switch failure {
      case .busy: return nil
      case .diskFull, .readOnly: return try openUnchangeable(found, failure)
      default: throw failure
      }
    }
  }

  /// Opens a library that cannot be changed.
  private func openUnchangeable(
    _ found: LibraryFile.Inspection, _ reason: LibraryFailure
  ) throws(LibraryFailure) -> OpenedLibrary {
    func open(_ path: String, _ open: OpenFile?) throws -> OpenedLibrary {
      var queue = try DatabaseQueue(path: path, configuration: .readOnlyLibrary)
      _ = try queue.inDatabase(check)
      if case .library(let version) = found.condition, version < LibrarySchema.version {
        // Changes that other processes make later are not visible in the copy.
        queue = try LibrarySchema.migratedCopy(of: queue)
      }
      let library = Library(path: file.path, refusal: reason, file: open, database: queue)
      let version = try library.dataVersion()
      return OpenedLibrary(
        library: library, snapshot: try library.snapshot(),
        notices: notices + [.unchangeable(reason)], version: version)
    }
    do {
      // Open the file with its WAL, which works if SQLite can use the files beside it.
      do { return try open(file.path, OpenFile(found, lock: nil)) } catch {}
      // Otherwise open a copy, if there is a WAL.
      if file.size(file.walPath) > 0, let copy = WorkingCopy.of(file.path) {
        do { return try withExtendedLifetime(copy) { try open(copy.path, nil) } } catch {}
      }
      // Otherwise open the file without its WAL.
      return try open(file.immutableAddress, OpenFile(found, lock: nil))
    } catch {
      let failure = LibraryFailure(error, path: file.path)
      throw failure.isMissingTable ? .damaged(path: file.path) : failure
    }
  }

  // MARK: Preparing

  /// Creates, migrates or repairs the library. No other process has it open.
  private mutating func prepare(_ found: LibraryFile.Inspection) throws(LibraryFailure) {
    do {
      switch found.condition {
      case .absent:
        try file.refuseForeignCompanions()
        try make { _ in }
        let wal = try file.install(at: now)
        let hasBackup = !Backups(of: file.path).isEmpty
        if wal != nil || hasBackup { notices.append(.gone(wal: wal, hasBackup: hasBackup)) }
      case .interrupted(let replacement):
        let old = try file.finish(replacement)
        if let old, replacement == .salvaged {
          let queue = try DatabaseQueue(path: file.path, configuration: .library)
          notice(old, try queue.inDatabase(Salvage.count))
          try queue.close()
        }
      case .unmarked:
        try migrate()
      case .library where !isDamaged:
        try migrate()
      default:
        if file.isSoundWithoutWAL {
          notices.append(.walSetAside(path: try file.setWALAside(at: now)))
          damaged = nil
        } else {
          try salvage()
        }
      }
    } catch {
      let failure = LibraryFailure(error, path: file.path)
      guard case .damaged = failure, damaged != files else { throw failure }
      damaged = files
    }
  }

  /// Creates a library under another name, so that there is never an incomplete library at the
  /// path.
  private func make(_ fill: (DatabaseQueue) throws -> Void) throws {
    try file.beginUnfinished()
    do {
      let queue = try DatabaseQueue(path: file.unfinishedPath, configuration: .library)
      defer { try? queue.close() }
      try queue.writeWithoutTransaction {
        // The file is synchronized once, when it is moved to the path.
        try $0.execute(sql: "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF")
      }
      try LibrarySchema.migrator.migrate(queue)
      // Without the generation of the library that it replaces, this one would be detected as an
      // older copy that was restored.
      if let newest = Generation(beside: file.path) {
        try queue.write { try $0.setGeneration(newest) }
      }
      try fill(queue)
      try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = WAL") }
      try queue.close()
    } catch {
      file.discardUnfinished()
      throw error
    }
  }

  /// Whether a database without the application ID is a library whose header is only in its WAL, or
  /// an empty file at the default path. A copy is opened, because opening a database can change its
  /// file.
  private func isOurs() throws -> Bool {
    guard let copy = WorkingCopy.of(file.path) else { throw LibraryFailure.diskFull }
    return try withExtendedLifetime(copy) {
      let queue = try DatabaseQueue(path: copy.path, configuration: .library)
      defer { try? queue.close() }
      return try queue.inDatabase {
        try file.isDefaultPath && !file.isLink
          && Int.fetchOne($0, sql: "SELECT count(*) FROM sqlite_schema") == 0
          || Int.fetchOne($0, sql: "PRAGMA application_id") == Int(LibrarySchema.applicationID)
      }
    }
  }

  /// Migrates the library to this version, after a backup of an older one.
  private func migrate() throws {
    // A file that turns out to be damaged is renamed without changing a byte, so closing it must
    // not make a checkpoint.
    var reader: CheckpointBlocker? = CheckpointBlocker(of: file.path)
    defer { withExtendedLifetime(reader) {} }
    let queue = try DatabaseQueue(path: file.path, configuration: .library)
    defer { try? queue.close() }
    try queue.inDatabase { database in
      try refuseAnotherWAL(database)
      let check = try check(database)
      let tables = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema") ?? 0
      let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
      if tables > 0, check == .incomplete { throw LibraryFailure.damaged(path: file.path) }
      if tables > 0, version < LibrarySchema.version {
        try Backups(of: file.path).make(from: database, at: now)
      }
      try database.execute(sql: "PRAGMA journal_mode = WAL")
    }
    try LibrarySchema.migrator.migrate(queue)
    // The header of the file has to have the version, even if only the header was wrong: see
    // `LibraryFile.inspect`.
    try queue.inDatabase {
      try $0.execute(sql: "PRAGMA user_version = \(LibrarySchema.version)")
      _ = try $0.checkpoint(.truncate)
    }
    reader = nil
    try queue.close()
  }

  /// Replaces the file with a library of the rows that can be read.
  private mutating func salvage() throws {
    var rows = 0
    try make { rows = try Salvage.copy(file.path, to: $0) }
    if let old = try file.replace(.salvaged, at: now) { notice(old, rows) }
  }

  private mutating func notice(_ old: String, _ rows: Int) {
    notices.append(
      .setAside(
        path: old, salvaged: rows, hasBackup: !Backups(of: file.path).isEmpty))
  }
}

extension LibraryFailure {
  /// Whether this is the error of SQLite for a missing table.
  fileprivate var isMissingTable: Bool {
    if case .database(code: ResultCode.SQLITE_ERROR.rawValue, _) = self { true } else { false }
  }
}

extension LibraryFile {
  /// The URI with which SQLite opens the file without locks and without its WAL.
  var immutableAddress: String {
    // https://www.sqlite.org/uri.html
    let escapes: [Character: String] = ["%": "%25", "?": "%3F", "#": "%23"]
    return "file:" + path.map { escapes[$0] ?? String($0) }.joined() + "?immutable=1"
  }
}
