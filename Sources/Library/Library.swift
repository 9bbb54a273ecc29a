public import FoundationEssentials
import GRDB
import GRDBSQLite
import Glibc
public import Quran
import Synchronization

/// The data of the user: favourites, notes, progress and settings in one SQLite file.
///
///     let library = try Library.open("/home/an/quran-vi/library.sqlite", at: now).library
///     let commit = try library.commit([.setFavorite(.first, true)], at: now)
///     try library.reverse(commit, at: now)
///
/// Every change is made in one transaction, which also adds to the outbox what sync must send.
/// Calls block until the disk and other processes are ready. The full-screen app therefore makes
/// them on the queue of a `LibraryOwner`.
public final class Library: Sendable {
  /// The path without symbolic links; empty for a library in memory.
  public let path: String
  /// The reason why the library cannot be changed; nil if it can.
  public let refusal: LibraryFailure?
  let database: any DatabaseWriter
  /// Nil if the library is closed, in memory, or in a file that was deleted after opening: see
  /// `WorkingCopy`.
  private let file: Mutex<OpenFile?>
  private let isClosed = Mutex(false)
  /// See `isFromBeforeConnection`.
  let beforeConnection = Mutex(false)
  /// The queue on which sync runs its transactions; nil unless a `LibraryOwner` shares the library.
  let syncQueue = Mutex<SyncQueue?>(nil)
  /// Nil if the library cannot be changed.
  let fileGuard: FileGuard?

  /// - Parameters:
  ///   - file: Created before the database was opened.
  ///   - fileGuard: Created before the database was opened; nil if the library cannot be changed.
  init(
    path: String, refusal: LibraryFailure?, file: OpenFile?, fileGuard: FileGuard? = nil,
    database: any DatabaseWriter
  ) {
    self.path = path
    self.refusal = refusal
    self.file = Mutex(file)
    self.fileGuard = fileGuard
    self.database = database
  }

  deinit { close() }

  /// Whether the library has no account, and a later state of it or another library at its path was
  /// synced. It is then a copy from before the library was connected.
  public var isFromBeforeConnection: Bool { beforeConnection.withLock { $0 } }

  /// Returns a path without symbolic links. SQLite puts its files beside the file that a link
  /// names, and so does this program.
  public static func resolved(_ path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// The path of the file in which sync stores the credentials of a library's account.
  ///
  /// - Parameter library: The path of the library.
  public static func credentialsPath(of library: String) -> String {
    LibraryFile(path: library).credentialsPath
  }

  /// Returns whether a path is the database file of a library or one of its companion files (WAL,
  /// lock, credentials, …). The file need not exist.
  ///
  /// - Parameter library: The path of the library.
  public static func isFile(_ path: String, of library: String) -> Bool {
    let (file, other) = (LibraryFile(path: library), LibraryFile(path: path))
    if let identity = FileIdentity(of: file.path), identity == FileIdentity(of: other.path) {
      return true
    }
    return file.ownPaths.contains(resolvingDirectory(of: other.path))
  }

  /// Returns the path with the symbolic links of its directory resolved.
  private static func resolvingDirectory(of path: String) -> String {
    let directory = resolved(Directory.containing(path))
    let name = path.utf8.lastIndex(of: UInt8(ascii: "/")).map {
      path[path.utf8.index(after: $0)...]
    }
    return "\(directory == "/" ? "" : directory)/\(name ?? path[...])"
  }

  var isInMemory: Bool { path.isEmpty }

  /// Creates an empty library in memory.
  public static func inMemory() throws -> Library {
    let queue = try DatabaseQueue()
    try LibrarySchema.migrator.migrate(queue)
    return Library(path: "", refusal: nil, file: nil, database: queue)
  }

  /// Copies the library into memory, where changes are tried out.
  public func copyInMemory() throws(LibraryFailure) -> Library {
    try refuseIfClosed()
    do {
      return Library(
        path: "", refusal: nil, file: nil, database: try LibrarySchema.migratedCopy(of: database))
    } catch {
      throw LibraryFailure(error, path: path)
    }
  }

  // MARK: Reading

  /// Returns the contents without the texts of the notes.
  public func snapshot() throws(LibraryFailure) -> Snapshot {
    try read { try Snapshot($0) }
  }

  /// The notes of an ayah, oldest first.
  public func notes(of ayah: AyahID) throws(LibraryFailure) -> [Note] {
    try read { try Note.all(of: ayah, in: $0) }
  }

  /// Returns the note with an ID; nil if there is none.
  public func note(_ id: UUID) throws(LibraryFailure) -> Note? {
    try notes(withIDs: [id]).first
  }

  /// Returns the notes that have these IDs, in the order of the IDs. IDs of notes that do not exist
  /// are ignored.
  public func notes(withIDs ids: [UUID]) throws(LibraryFailure) -> [Note] {
    try read { database in
      try ids.compactMap { id in
        guard case .note(let note) = try database.entry(.note(id)) else { return nil }
        return note
      }
    }
  }

  /// Passes every note to a closure, one at a time: in the order of the book, those of an ayah
  /// oldest first.
  ///
  /// - Throws: The reason why the library cannot be read; `database` with code -1 if the closure
  ///   throws another error.
  public func eachNote(_ body: (Note) throws -> Void) throws(LibraryFailure) {
    try read { database in
      // Each page is read once, so the cache of two megabytes, which stays allocated, is of no use.
      try database.execute(sql: "PRAGMA cache_size = -256")
      defer { try? database.execute(sql: "PRAGMA cache_size = -2000") }
      try database.eachRow("SELECT \(Note.columns) FROM note ORDER BY \(Note.order)") { row in
        if let note = Note(row) { try body(note) }
      }
    }
  }

  /// Returns all notes, in the order of `eachNote`.
  public func allNotes() throws(LibraryFailure) -> [Note] {
    var notes: [Note] = []
    try eachNote { notes.append($0) }
    return notes
  }

  /// Returns the beginnings of all notes, in the order of `eachNote`.
  public func noteList() throws(LibraryFailure) -> [NoteSummary] {
    try read { database in
      try database.rows(
        """
        SELECT id, surah, ayah, createdAt, modifiedAt, substr(text, 1, \(NoteSummary.scannedLength))
        FROM note ORDER BY \(Note.order)
        """
      ) { Note($0).map(NoteSummary.init) }
    }
  }

  func read<Value>(_ body: (Database) throws -> Value) throws(LibraryFailure) -> Value {
    try refuseIfClosed()
    do {
      return try database.readTransaction(body)
    } catch {
      throw markDamage(LibraryFailure(error, path: path))
    }
  }

  /// If the failure is `.damaged`, flags the file, so that the next open salvages it. Returns the
  /// failure unchanged.
  @discardableResult
  func markDamage(_ failure: LibraryFailure) -> LibraryFailure {
    if failure == .damaged(path: path), fileGuard != nil, !isReplaced {
      LibraryFile(path: path).markDamaged()
    }
    return failure
  }

  // MARK: Changing

  /// Carries out changes in one transaction.
  ///
  /// - Parameter now: Milliseconds since 1970, UTC.
  /// - Returns: What was changed; empty if nothing was.
  @discardableResult
  public func commit(_ changes: [Change], at now: Int64) throws(LibraryFailure) -> Commit {
    let discarded = changes.lazy.compactMap { change in
      if case .discardDraft(let draft) = change { draft } else { nil }
    }
    return try write { database in
      Commit(
        try changes.compactMap { try database.carryOut($0, at: now) },
        draft: discarded.first.map { DraftEdit(draft: $0, isStored: false) })
    }
  }

  /// Reverses a commit: everything that it changed is restored.
  ///
  /// - Parameter now: Milliseconds since 1970, UTC.
  /// - Returns: The reversed changes; to redo the commit, reverse them.
  /// - Throws: `changedMeanwhile` if a thing was changed after the commit; then nothing is changed.
  @discardableResult
  public func reverse(_ commit: Commit, at now: Int64) throws(LibraryFailure) -> Commit {
    try write { database in
      var edits: [Edit] = []
      for edit in commit.netEdits.reversed() {
        let found = try database.entry(edit.thing)
        // Times are not compared, because undo and redo set a new time.
        guard found?.touched(at: 0) == edit.after?.touched(at: 0) else {
          throw LibraryFailure.changedMeanwhile(edit.thing)
        }
        let now = now.advanced(past: edit.before).advanced(past: edit.after)
        let entry = edit.before?.touched(at: now) ?? edit.thing.beginning(at: now)
        if let edit = try database.put(entry, as: edit.thing, before: found, at: now) {
          edits.append(edit)
        }
      }
      // A note whose import is undone can be imported again.
      try database.storeImports(of: commit.removedImports)
      try database.deleteImports(of: commit.addedImports)
      return Commit(
        edits, addedImports: commit.removedImports, removedImports: commit.addedImports,
        draft: try commit.draft.map { try database.reverse($0) },
        days: try database.reverse(commit.days))
    }
  }

  /// Stores values of this device: see `DeviceKey`. Nil deletes a value.
  public func setDeviceValues(_ values: [String: String?]) throws(LibraryFailure) {
    try write { try $0.setDeviceValues(values) }
  }

  /// Stores what reading changed, in one transaction.
  ///
  /// - Parameter now: Milliseconds since 1970, UTC.
  /// - Returns: The changes of the progress of surahs.
  public func save(_ reading: ReadingChanges, at now: Int64) throws(LibraryFailure) -> Commit {
    try write { database in
      let edits = try reading.progress.sorted { $0.key < $1.key }.compactMap {
        try database.carryOut(.advance($0.key, to: $0.value), at: now)
      }
      try database.setDeviceValues(reading.device)
      for (day, count) in reading.ayahsRead where count > 0 {
        try database.run(
          """
          INSERT INTO readingDay VALUES (?, ?)
          ON CONFLICT (day) DO UPDATE SET ayahs = ayahs + excluded.ayahs
          """, day.description, count)
      }
      return Commit(edits)
    }
  }

  /// Stores a draft that this process is writing. Replaces its previous version, and deletes the
  /// stored draft from which it was resumed (`resumedFrom`).
  public func save(_ draft: Draft) throws(LibraryFailure) {
    try write { try draft.save($0, writer: DraftWriter.current) }
  }

  /// Deletes a draft.
  public func deleteDraft(_ id: UUID) throws(LibraryFailure) {
    try write { try $0.deleteDraft(id) }
  }

  /// Deletes a draft. `reverse` can restore it.
  ///
  /// - Parameter draft: The draft with the text on the screen, which may not be stored yet.
  public func discard(_ draft: Draft) throws(LibraryFailure) -> Commit {
    try commit([.discardDraft(draft)], at: draft.changedAt)
  }

  func write<Value>(_ body: (Database) throws -> Value) throws(LibraryFailure) -> Value {
    try refuseIfClosed()
    if let refusal { throw refusal }
    do {
      return try database.write {
        try fileGuard?.begin($0)
        return try body($0)
      }
    } catch {
      let code = database.unsafeReentrantWrite { $0.systemError }
      throw markDamage(LibraryFailure(error, path: path, system: code))
    }
  }

  /// Prepares the connection after opening.
  ///
  /// - Returns: The current `dataVersion`.
  func prepareConnection() throws -> Int {
    try database.writeWithoutTransaction { database in
      // A restored backup is not in WAL mode.
      if try String.fetchOne(database, sql: "PRAGMA journal_mode") != "wal" {
        try database.execute(sql: "PRAGMA journal_mode = WAL")
      }
      try database.execute(sql: "PRAGMA synchronous = FULL")
      // The version in the WAL may differ from that in the file.
      guard try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0 <= LibrarySchema.version
      else {
        throw LibraryFailure.newer(path: path)
      }
      try fileGuard?.opened(database)
      return try database.dataVersion()
    }
  }

  /// Returns `PRAGMA data_version` of the writing connection. It changes if and only if another
  /// connection or process changes the library.
  func dataVersion() throws(LibraryFailure) -> Int {
    try refuseIfClosed()
    do {
      return try database.writeWithoutTransaction { try $0.dataVersion() }
    } catch {
      throw LibraryFailure(error, path: path)
    }
  }

  /// Returns the open file. Other processes cannot move the file while the result is alive. Nil if
  /// the library is closed or not in a file.
  func openFile() -> OpenFile? { file.withLock { $0 } }

  /// Closes the library. Later calls fail, and other processes may move the file.
  public func close() {
    let wasClosed = isClosed.withLock { isClosed in
      defer { isClosed = true }
      return isClosed
    }
    // Keeps SQLite from checkpointing the old WAL into the file that replaced this one.
    let blocker = !wasClosed && isReplaced ? CheckpointBlocker(of: path) : nil
    defer { withExtendedLifetime(blocker) {} }
    try? database.close()
    file.withLock { $0 = nil }
  }

  /// Whether its file was replaced or removed after it was opened.
  public var isReplaced: Bool {
    guard let fileGuard else { return false }
    return (try? database.unsafeRead(fileGuard.isReplaced)) ?? false
  }

  /// Throws if `close()` was called, so that no call depends on what GRDB does with a closed
  /// connection.
  func refuseIfClosed() throws(LibraryFailure) {
    guard !isClosed.withLock({ $0 }) else {
      throw .database(code: ResultCode.SQLITE_MISUSE.rawValue, message: "closed")
    }
  }
}

extension Database {
  /// See `Library.dataVersion`.
  func dataVersion() throws -> Int {
    try Int.fetchOne(cachedStatement(sql: "PRAGMA data_version")) ?? 0
  }

  /// The `errno` of the last system call that failed in SQLite (`sqlite3_system_errno`).
  fileprivate var systemError: Int32 { sqliteConnection.map { sqlite3_system_errno($0) } ?? 0 }
}
