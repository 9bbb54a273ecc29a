import FoundationEssentials
import GRDB
import Glibc

/// What opening a library found that its reader should know.
public enum Notice: Hashable, Sendable {
  /// The file could not be read. It lies under another name, and a new library is in
  /// its place, with what could be read of the old one.
  ///
  /// - Parameters:
  ///   - salvaged: how many favourites, notes and other rows were found.
  ///   - hasBackup: whether `quran-vi backup restore` would bring one back.
  case setAside(path: String, salvaged: Int, hasBackup: Bool)
  /// The file was gone, and a new library is in its place. There was one before: its newest changes
  /// may lie under this name, or a backup of it is there.
  case gone(wal: String?, hasBackup: Bool)
  /// Another file was in the library's place than the one that the WAL belongs to, which lies
  /// under this name now.
  case walSetAside(path: String)
  /// While it was open, its file was replaced; what it held lies under this name, nil where that
  /// was overwritten.
  case replaced(former: String?)
  /// While it was open, its file was removed; it was written again.
  case removed
  /// It can be read, but not changed.
  case unchangeable(LibraryFailure)
  /// The check of all its pages found damage; the next start salvages it.
  case damaged
}

/// A library that was opened, and what it holds.
public struct Opening: Sendable {
  public let library: Library
  public let snapshot: Snapshot
  public let notices: [Notice]
  /// `foreignVersion` before the snapshot was taken.
  let version: Int
}

extension Library {
  /// How long processes wait for each other, in seconds.
  static let patience = 5.0

  /// Opens the library, making it where there is none.
  ///
  /// - Parameters:
  ///   - path: nil where there is no home directory.
  ///   - now: milliseconds since 1970, UTC.
  ///   - setsAside: whether a damaged library is set aside and salvaged. Not for commands that
  ///     only read.
  /// - Throws: why there is none to open; a file that was found is then as it was.
  public static func open(
    _ path: String?, at now: Int64, setsAside: Bool = true
  ) throws(LibraryFailure) -> Opening {
    guard let path else { throw .noPlace }
    var opener = Opener(file: LibraryFile(path: path), now: now, setsAside: setsAside)
    // Another process holds the exclusive lock only while it creates, migrates or repairs the
    // library.
    let end = ContinuousClock.now + .seconds(patience)
    repeat {
      for _ in 0..<3 {
        if let opening = try opener.attempt() { return opening }
      }
      usleep(10_000)
    } while ContinuousClock.now < end
    throw opener.isDamaged ? .damagedInUse(path: opener.file.path) : .busy
  }
}

/// The steps from a path to an open library.
private struct Opener {
  let file: LibraryFile
  let now: Int64
  private let setsAside: Bool
  /// What SQLite called damaged when it was opened. Whoever mends it changes the file or its WAL.
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

  /// - Returns: nil where it is to be tried again: another process is at work, or
  ///   the file was just prepared.
  mutating func attempt() throws(LibraryFailure) -> Opening? {
    var found = file.look()
    // Without a WAL the schema can be read from the file alone.
    var schema: SchemaCheck?
    switch found.condition {
    case .newer: throw .newer(path: file.path)
    case let condition where file.isForeign(condition): throw .foreign(path: file.namedPath)
    case .unreadable(let code): throw .unreadable(path: file.path, code: code)
    case .unmarked: try refuseUnlessOurs()
    case .library where file.size(file.walPath) == 0:
      schema = try refuseStrangeSchema(of: file)
    case .interrupted(let replacement):
      try refuseToMove()
      _ = try refuseStrangeSchema(of: file.replacing(replacement))
    case .absent where !found.isWritable:
      try file.makeDirectory(file.directory)
      found = file.look()
    default: break
    }
    guard found.isWritable else {
      guard found.condition != .absent else { throw .readOnly }
      return try openUnchangeable(found, .readOnly)
    }
    isDamaged = damaged != nil && files == damaged
    if isDamaged || [.empty, .notADatabase, .damaged].contains(found.condition) {
      try refuseToMove()
    }
    if found.condition == .library(version: Schema.version), !isDamaged {
      return try openSound(found, schema)
    }
    do {
      let lock = try FileLock(file.lockPath, .exclusive)
      try withExtendedLifetime(lock) { () throws(LibraryFailure) in
        // Another process may have prepared it in between.
        if file.look() == found, !isDamaged || files == damaged { try prepare(found) }
      }
    } catch FileLock.Failure.cannotCreate(let code) {
      throw LibraryFailure(code: code, path: file.lockPath)
    } catch let failure as LibraryFailure {
      // An older version can be read where there is no room to bring it to this one.
      guard case .library = found.condition, !isDamaged, [.diskFull, .readOnly].contains(failure)
      else { throw failure }
      return try openUnchangeable(found, failure)
    } catch {
      isDamaged = isDamaged || [.empty, .notADatabase, .damaged].contains(found.condition)
    }
    return nil
  }

  // MARK: Refusing

  /// Refuses to set the file aside where that is not wanted.
  private func refuseToMove() throws(LibraryFailure) {
    if file.isLink { throw .damagedBehindLink(path: file.path) }
    if !setsAside { throw .damaged(path: file.path) }
  }

  /// Refuses a file whose schema has anything that is not ours, without touching it.
  ///
  /// - Returns: nil where the schema cannot be read.
  private func refuseStrangeSchema(of file: LibraryFile) throws(LibraryFailure) -> SchemaCheck? {
    let schema = SchemaCheck.ofFile(file)
    if schema == .strange { throw .strangeSchema(path: file.path) }
    return schema
  }

  /// Refuses a database that nothing says is a library, unless it is empty and in the default
  /// place.
  private func refuseUnlessOurs() throws(LibraryFailure) {
    let isOurs: Bool
    do {
      isOurs = try self.isOurs()
    } catch {
      throw LibraryFailure(error, path: file.path)
    }
    guard isOurs else { throw .foreign(path: file.namedPath) }
  }

  /// - Throws: `newer` or `strangeSchema`, before anything that the schema defines is run.
  private func check(_ database: Database) throws -> SchemaCheck {
    let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
    guard version <= Schema.version else { throw LibraryFailure.newer(path: file.path) }
    let check = try SchemaCheck(database)
    guard check != .strange else { throw LibraryFailure.strangeSchema(path: file.path) }
    return check
  }

  /// - Throws: `damaged` where the file does not belong to its WAL.
  private func refuseAnotherWAL(_ database: Database) throws {
    if file.size(file.walPath) > 0, file.isAnother(than: database) {
      throw LibraryFailure.damaged(path: file.path)
    }
  }

  // MARK: Opening

  /// - Parameter schema: what the schema was found to be; nil where that is not known.
  private mutating func openSound(
    _ found: LibraryFile.Look, _ schema: SchemaCheck?
  ) throws(LibraryFailure) -> Opening? {
    var lock: FileLock?
    do {
      lock = try FileLock(file.lockPath, .shared)
    } catch .held {
      return nil
    } catch {
      // A full disk has no room for the lock; what is saved can still be read.
    }
    guard file.look() == found else { return nil }
    let files = files
    let open = OpenFile(found, lock: lock)
    let fileGuard = FileGuard(path: file.path)
    // What turns out to be damaged is to be set aside as it was found.
    let reader = LastReader(of: file.path)
    defer { withExtendedLifetime((reader, open)) {} }
    let newest = Generation(beside: file.path)
    do {
      let queue = try DatabaseQueue(path: file.path, configuration: .library)
      try queue.inDatabase(refuseAnotherWAL)
      guard try schema ?? queue.inDatabase(check) == .version(Schema.version) else {
        throw LibraryFailure.damaged(path: file.path)
      }
      let library = Library(
        path: file.path, refusal: nil, file: open, fileGuard: fileGuard, database: queue)
      let version = try library.prepareConnection()
      try library.askWherePutBack(newest)
      return Opening(
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

  /// Opens what may not be changed, or has no room to.
  private func openUnchangeable(
    _ found: LibraryFile.Look, _ reason: LibraryFailure
  ) throws(LibraryFailure) -> Opening {
    var configuration = GRDB.Configuration.library
    configuration.readonly = true
    func open(_ path: String, _ open: OpenFile?) throws -> Opening {
      let queue = try DatabaseQueue(path: path, configuration: configuration)
      _ = try queue.inDatabase(check)
      let library = Library(path: file.path, refusal: reason, file: open, database: queue)
      let version = try library.foreignVersion()
      return Opening(
        library: library, snapshot: try library.snapshot(),
        notices: notices + [.unchangeable(reason)], version: version)
    }
    do {
      // As usual, which sees the newest changes, where the files beside it are there;
      do { return try open(file.path, OpenFile(found, lock: nil)) } catch {}
      // else a copy, if there are changes that only the WAL has;
      if file.size(file.walPath) > 0, let copy = WorkingCopy.of(file.path) {
        do { return try withExtendedLifetime(copy) { try open(copy.path, nil) } } catch {}
      }
      // else the file by itself.
      return try open(file.immutableAddress, OpenFile(found, lock: nil))
    } catch {
      let failure = LibraryFailure(error, path: file.path)
      throw failure.isMissingTable ? .damaged(path: file.path) : failure
    }
  }

  // MARK: Preparing

  /// Leaves a sound library of this version in the place. Nobody else has it open.
  private mutating func prepare(_ found: LibraryFile.Look) throws(LibraryFailure) {
    do {
      switch found.condition {
      case .absent:
        try make { _ in }
        let wal = try file.install(at: now)
        let hasBackup = Backups(of: file.path).newest != nil
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

  /// Makes a library of this version under a name of its own, whole on the disk before
  /// it is given its place: whenever this ends, no half library is there.
  private func make(_ fill: (DatabaseQueue) throws -> Void) throws {
    try file.beginUnfinished()
    do {
      let queue = try DatabaseQueue(path: file.unfinishedPath, configuration: .library)
      defer { try? queue.close() }
      try queue.writeWithoutTransaction {
        // Synchronized once, by who gives it its place.
        try $0.execute(sql: "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF")
      }
      try Schema.migrator.migrate(queue)
      try fill(queue)
      try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = WAL") }
      try queue.close()
    } catch {
      file.discardUnfinished()
      throw error
    }
  }

  /// Whether a database without our application id is a library whose header is still in its WAL,
  /// or an empty file at the default path. Only a copy is opened, because opening a database can
  /// change its file.
  private func isOurs() throws -> Bool {
    guard let copy = WorkingCopy.of(file.path) else { throw LibraryFailure.diskFull }
    return try withExtendedLifetime(copy) {
      let queue = try DatabaseQueue(path: copy.path, configuration: .library)
      defer { try? queue.close() }
      return try queue.inDatabase {
        try file.isDefaultPlace && !file.isLink
          && Int.fetchOne($0, sql: "SELECT count(*) FROM sqlite_schema") == 0
          || Int.fetchOne($0, sql: "PRAGMA application_id") == Int(Schema.applicationID)
      }
    }
  }

  /// Brings the library to this version; before that, an older one is backed up.
  private func migrate() throws {
    // As in `openSound`.
    var reader: LastReader? = LastReader(of: file.path)
    defer { withExtendedLifetime(reader) {} }
    let queue = try DatabaseQueue(path: file.path, configuration: .library)
    defer { try? queue.close() }
    try queue.inDatabase { database in
      try refuseAnotherWAL(database)
      let check = try check(database)
      let tables = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema") ?? 0
      let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
      if tables > 0, check == .incomplete { throw LibraryFailure.damaged(path: file.path) }
      if tables > 0, version < Schema.version {
        try Backups(of: file.path).make(from: database, at: now)
      }
      try database.execute(sql: "PRAGMA journal_mode = WAL")
    }
    try Schema.migrator.migrate(queue)
    // The header of the file itself has to tell the version, also where it was only that
    // which was wrong: see `LibraryFile.look`.
    try queue.inDatabase {
      try $0.execute(sql: "PRAGMA user_version = \(Schema.version)")
      _ = try $0.checkpoint(.truncate)
    }
    reader = nil
    try queue.close()
  }

  private mutating func salvage() throws {
    var rows = 0
    try make { rows = try Salvage.copy(file.path, to: $0) }
    if let old = try file.replace(.salvaged, at: now) { notice(old, rows) }
  }

  private mutating func notice(_ old: String, _ rows: Int) {
    notices.append(
      .setAside(
        path: old, salvaged: rows, hasBackup: Backups(of: file.path).newest != nil))
  }
}

extension LibraryFailure {
  /// What SQLite says of a library that lacks one of its tables.
  fileprivate var isMissingTable: Bool {
    if case .database(code: ResultCode.SQLITE_ERROR.rawValue, _) = self { true } else { false }
  }
}

extension LibraryFile {
  /// The file as SQLite opens it where it can take no lock.
  var immutableAddress: String {
    // https://www.sqlite.org/uri.html
    let escapes: [Character: String] = ["%": "%25", "?": "%3F", "#": "%23"]
    return "file:" + path.map { escapes[$0] ?? String($0) }.joined() + "?immutable=1"
  }
}
