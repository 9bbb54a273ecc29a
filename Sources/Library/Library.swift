public import FoundationEssentials
import GRDB
import GRDBSQLite
import Glibc
public import Quran
import Synchronization

/// The reader's own data: favourites, notes, progress and settings in one SQLite file.
///
///     let library = try Library.open("/home/an/.local/share/quran-vi/library.sqlite").library
///     let commit = try library.commit([.setFavorite(.first, true)], at: now)
///     try library.reverse(commit, at: now)
///
/// Every change goes through `commit`, in one transaction that also writes the outbox.
/// All calls wait for the disk, and for other processes: the main thread of the reader
/// leaves them to a `LibraryOwner`.
public final class Library: Sendable {
  public let path: String
  /// Nil where it may be changed; else why not.
  public let refusal: LibraryFailure?
  let database: any DatabaseWriter
  /// Nil where it is in no file, or in one that is gone already: see `WorkingCopy`.
  private let file: Mutex<OpenFile?>
  private let isClosed = Mutex(false)
  /// Nil where nobody shares the library.
  let serializer = Mutex<SyncSerializer?>(nil)
  /// Nil where nothing is changed.
  let fileGuard: FileGuard?

  /// - Parameters:
  ///   - file: made before the database is opened.
  ///   - fileGuard: likewise; nil where nothing is to be changed.
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

  /// A library's path without symbolic links: SQLite puts its files beside the one that a link
  /// names, and others put theirs there, too.
  public static func resolved(_ path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  var isInMemory: Bool { path.isEmpty }

  /// A library that lives in memory and goes with it.
  public static func inMemory() throws -> Library {
    let queue = try DatabaseQueue()
    try Schema.migrator.migrate(queue)
    return Library(path: "", refusal: nil, file: nil, database: queue)
  }

  // MARK: Reading

  public func snapshot() throws(LibraryFailure) -> Snapshot {
    try read { try Snapshot($0) }
  }

  /// The notes of an ayah, oldest first.
  public func notes(of ayah: AyahID) throws(LibraryFailure) -> [Note] {
    try read { try Note.all(of: ayah, in: $0) }
  }

  public func note(_ id: UUID) throws(LibraryFailure) -> Note? {
    try read {
      guard case .note(let note) = try $0.entry(.note(id)) else { return nil }
      return note
    }
  }

  /// Hands on every note with its whole text, in the order of the book and, in an
  /// ayah, of their making, one at a time.
  public func eachNote(_ body: (Note) throws -> Void) throws(LibraryFailure) {
    try read { database in
      let rows = try Row.fetchCursor(
        database, sql: "SELECT \(Note.columns) FROM note ORDER BY surah, ayah, createdAt, id")
      while let row = try rows.next() {
        if let note = Note(row: row) { try body(note) }
      }
    }
  }

  /// Every note as a list shows it, in the order of the book.
  public func noteList() throws(LibraryFailure) -> [NoteSummary] {
    try read { database in
      var list: [NoteSummary] = []
      try database.eachRow(
        """
        SELECT id, surah, ayah, createdAt, modifiedAt, substr(text, 1, \(NoteSummary.length))
        FROM note ORDER BY surah, ayah, createdAt, id
        """
      ) { row in
        guard let id = row.uuid(0), let ayah = AyahID(surah: row.int(1), ayah: row.int(2)) else {
          return
        }
        list.append(
          NoteSummary(
            Note(
              id: id, ayah: ayah, text: NoteText(stored: row.string(5)), createdAt: row.int64(3),
              modifiedAt: row.int64(4))))
      }
      return list
    }
  }

  func read<Value>(_ body: (Database) throws -> Value) throws(LibraryFailure) -> Value {
    try refuseIfClosed()
    do {
      // In memory nobody else writes meanwhile. To forbid writing and allow it again, as `read`
      // does on the one connection there is, makes SQLite compile every statement anew.
      return try isInMemory ? database.unsafeRead(body) : database.read(body)
    } catch {
      throw LibraryFailure(error, path: path)
    }
  }

  // MARK: Changing

  /// Carries out changes in one transaction.
  ///
  /// - Parameter now: milliseconds since 1970, UTC.
  /// - Returns: what really changed; empty where all was so already.
  @discardableResult
  public func commit(_ changes: [Change], at now: Int64) throws(LibraryFailure) -> Commit {
    try write { database in
      Commit(try changes.compactMap { try database.carryOut($0, at: now) })
    }
  }

  /// Takes a commit back: everything it changed is as it was before.
  ///
  /// - Returns: the commit to reverse for redoing it.
  /// - Throws: `changedMeanwhile` where a thing is no longer as the commit left it;
  ///   then nothing is changed.
  @discardableResult
  public func reverse(_ commit: Commit, at now: Int64) throws(LibraryFailure) -> Commit {
    try write { database in
      var edits: [Edit] = []
      for edit in commit.net.reversed() {
        let found = try database.entry(edit.thing)
        // An undo before this one may have stamped it anew.
        guard found?.touched(at: 0) == edit.after?.touched(at: 0) else {
          throw LibraryFailure.changedMeanwhile(edit.thing)
        }
        let now = now.later(than: edit.before).later(than: edit.after)
        let entry = edit.before?.touched(at: now) ?? edit.thing.beginning(at: now)
        if let edit = try database.put(entry, as: edit.thing, before: found, at: now) {
          edits.append(edit)
        }
      }
      // What was imported and taken back can be imported again.
      try database.note(imported: commit.forgotten)
      try database.forget(imported: commit.imported)
      return Commit(
        edits, imported: commit.forgotten, forgotten: commit.imported,
        draft: try commit.draft.map { try database.reverse($0) },
        days: try database.reverse(commit.days))
    }
  }

  /// Keeps values of this device; nil takes one away.
  public func keep(_ values: [String: String?]) throws(LibraryFailure) {
    try write { try $0.keep(values) }
  }

  /// Keeps what reading brought, in one transaction: how far it came, the place, and
  /// how many ayahs it was today.
  public func keep(_ reading: ReadingSession, at now: Int64) throws(LibraryFailure) -> Commit {
    try write { database in
      let edits = try reading.progress.sorted { $0.key < $1.key }.compactMap {
        try database.carryOut(.advance($0.key, to: $0.value), at: now)
      }
      try database.keep(reading.device)
      for (day, count) in reading.ayahsRead where count > 0 {
        try database.execute(
          sql: """
            INSERT INTO readingDay VALUES (?, ?)
            ON CONFLICT (day) DO UPDATE SET ayahs = ayahs + excluded.ayahs
            """, arguments: [day.description, count])
      }
      return Commit(edits)
    }
  }

  public func save(_ draft: Draft) throws(LibraryFailure) {
    try write { try draft.save($0, writer: Writer.current) }
  }

  public func dropDraft(_ id: UUID) throws(LibraryFailure) {
    try write { try $0.drop(id) }
  }

  /// Drops a draft as `dropDraft` does, so that `reverse` brings it back.
  ///
  /// - Parameter draft: as it is on the screen: the library may not keep all of it yet.
  public func discard(_ draft: Draft) throws(LibraryFailure) -> Commit {
    try write {
      try $0.drop(draft.id)
      if let resumed = draft.resumedFrom { try $0.drop(resumed) }
      return Commit([], draft: DraftEdit(draft: draft, isKept: false))
    }
  }

  func write<Value>(_ body: (Database) throws -> Value) throws(LibraryFailure) -> Value {
    try refuseIfClosed()
    if let refusal { throw refusal }
    do {
      guard !isInMemory else {
        return try database.writeWithoutTransaction { try $0.inTransactionInMemory(body) }
      }
      return try database.write {
        try fileGuard?.begin($0)
        return try body($0)
      }
    } catch {
      let code = database.unsafeReentrantWrite { $0.systemError }
      throw LibraryFailure(error, path: path, system: code)
    }
  }

  /// Makes ready the connection of a library that was found sound.
  ///
  /// - Returns: `foreignVersion` of now.
  func prepareConnection() throws -> Int {
    try database.writeWithoutTransaction { database in
      // A restored backup is in another mode.
      if try String.fetchOne(database, sql: "PRAGMA journal_mode") != "wal" {
        try database.execute(sql: "PRAGMA journal_mode = WAL")
      }
      try database.execute(sql: "PRAGMA synchronous = FULL")
      // The version in the WAL may be another than that in the file.
      guard try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0 <= Schema.version else {
        throw LibraryFailure.newer(path: path)
      }
      try fileGuard?.opened(database)
      return try database.dataVersion()
    }
  }

  /// `PRAGMA data_version` of the connection that writes: it changes when, and only
  /// when, another connection or process changed the library.
  func foreignVersion() throws(LibraryFailure) -> Int {
    try refuseIfClosed()
    do {
      return try database.writeWithoutTransaction { try $0.dataVersion() }
    } catch {
      throw LibraryFailure(error, path: path)
    }
  }

  /// What keeps others from moving the file; nil where it is closed, or in none.
  func hold() -> OpenFile? { file.withLock { $0 } }

  /// From here on everything is refused, and others may move the file.
  public func close() {
    let wasClosed = isClosed.withLock { isClosed in
      defer { isClosed = true }
      return isClosed
    }
    // Its WAL is not to be taken into another file.
    let reader = !wasClosed && isReplaced ? LastReader(of: path) : nil
    defer { withExtendedLifetime(reader) {} }
    try? database.close()
    file.withLock { $0 = nil }
  }

  /// Whether its file was replaced or removed since it was opened.
  public var isReplaced: Bool {
    guard let fileGuard else { return false }
    return (try? database.unsafeRead(fileGuard.isReplaced)) ?? false
  }

  /// GRDB would go on with a connection that is none.
  func refuseIfClosed() throws(LibraryFailure) {
    guard !isClosed.withLock({ $0 }) else {
      throw .database(code: ResultCode.SQLITE_MISUSE.rawValue, message: "closed")
    }
  }
}

/// A note without the rest of its text.
public struct NoteSummary: Hashable, Sendable, Identifiable {
  public let id: UUID
  public let ayah: AyahID
  /// The first line that has anything on it, of the text's first 200 characters.
  public let start: String
  public let createdAt: Int64
  public let modifiedAt: Int64
  /// When another device deleted it; nil for a note that is there.
  public let deletedAt: Int64?

  static let length = 200

  public init(_ note: Note) { self.init(note, deletedAt: nil) }

  public init(_ trashed: TrashedNote) { self.init(trashed.note, deletedAt: trashed.deletedAt) }

  private init(_ note: Note, deletedAt: Int64?) {
    self.deletedAt = deletedAt
    id = note.id
    ayah = note.ayah
    let start = note.text.text.unicodeScalars.prefix(Self.length)
    self.start = String(NoteText(stored: String(start)).firstLine)
    createdAt = note.createdAt
    modifiedAt = note.modifiedAt
  }
}

/// What reading brought since it was last kept.
public struct ReadingSession: Hashable, Sendable {
  /// How far surahs were read.
  public var progress: [SurahNumber: Int] = [:]
  public var ayahsRead: [Day: Int] = [:]
  /// Values of this device: see `DeviceKey`.
  public var device: [String: String?] = [:]

  public init() {}

  public var isEmpty: Bool { progress.isEmpty && ayahsRead.isEmpty && device.isEmpty }
}

extension Database {
  /// A transaction that is begun and ended by statements that are compiled once. GRDB compiles
  /// its own every time, which in memory is a good part of a transaction, and looks for what
  /// only a disk can do to one.
  fileprivate func inTransactionInMemory<Value>(
    _ body: (Database) throws -> Value
  ) throws -> Value {
    try eachRow("BEGIN IMMEDIATE") { _ in }
    do {
      let value = try body(self)
      try run("COMMIT")
      return value
    } catch {
      try? rollback()
      throw error
    }
  }

  /// See `Library.foreignVersion`.
  func dataVersion() throws -> Int {
    try Int.fetchOne(cachedStatement(sql: "PRAGMA data_version")) ?? 0
  }

  /// `errno` of the last call of the system that failed SQLite.
  fileprivate var systemError: Int32 { sqliteConnection.map { sqlite3_system_errno($0) } ?? 0 }

  /// - Returns: what changed, nil where it was so already.
  fileprivate func carryOut(_ change: Change, at now: Int64) throws -> Edit? {
    let now = min(now, .latestTime)
    switch change {
    case .setFavorite(let ayah, let isFavorite):
      let thing = Thing.favorite(ayah)
      let before = try entry(thing)
      guard (before != nil) != isFavorite else { return nil }
      let favorite = isFavorite ? Entry.favorite(Favorite(ayah, favoritedAt: now)) : nil
      return try put(favorite, as: thing, before: before, at: now)

    case .addNote(let id, let ayah, let text):
      // A draft that another terminal saved already: both texts are kept.
      if case .note(let note) = try entry(.note(id)) {
        guard note.text != text || note.ayah != ayah else { return nil }
        return try add(UUID(), ayah, text, at: now)
      }
      return try add(id, ayah, text, at: now)

    case .editNote(let id, let ayah, let text, let base):
      guard case .note(let note) = try entry(.note(id)) else {
        return try add(id, ayah, text, at: now)
      }
      guard let merged = text.merged(with: note.text, base: base) else {
        return try add(UUID(), ayah, text, at: now)
      }
      guard merged != note.text else { return nil }
      let edited = Note(
        id: id, ayah: note.ayah, text: merged, createdAt: note.createdAt,
        modifiedAt: now.later(than: .note(note)))
      return try put(.note(edited), as: .note(id), before: .note(note), at: now)

    case .deleteNote(let id, _):
      return try put(nil, as: .note(id), at: now)

    case .advance(let surah, let last):
      return try set(surah, last, at: now) { $0 < $1 }

    case .setProgress(let surah, let last):
      return try set(surah, last, at: now) { $0 != $1 }

    case .set(let key, let value):
      let before = try entry(.setting(key))
      if case .setting(let setting) = before, setting.value == value { return nil }
      let time = now.later(than: before)
      let setting = value.map { Setting(key: key, value: $0, lastModifiedAt: time) }
      return try put(setting.map(Entry.setting), as: .setting(key), before: before, at: now)

    case .dropDraft(let id):
      try drop(id)
      return nil
    }
  }

  /// What was read on these days since stays.
  fileprivate func reverse(_ days: [Day: Int]) throws -> [Day: Int] {
    for (day, count) in days {
      let before = try Int.fetchOne(
        self, sql: "SELECT ayahs FROM readingDay WHERE day = ?", arguments: [day.description])
      try execute(sql: "DELETE FROM readingDay WHERE day = ?", arguments: [day.description])
      let after = (before ?? 0) - count
      guard after > 0 else { continue }
      try execute(
        sql: "INSERT INTO readingDay VALUES (?, ?)", arguments: [day.description, after])
    }
    return days.mapValues { -$0 }
  }

  fileprivate func reverse(_ edit: DraftEdit) throws -> DraftEdit {
    let draft = edit.draft
    let text = try String.fetchOne(
      self, sql: "SELECT text FROM draft WHERE id = ?", arguments: [draft.id.uuidString])
    guard text == (edit.isKept ? draft.text : nil) else {
      throw LibraryFailure.changedMeanwhile(.note(draft.id))
    }
    if edit.isKept { try drop(draft.id) } else { try draft.save(self) }
    return DraftEdit(draft: draft, isKept: !edit.isKept)
  }

  fileprivate func drop(_ draft: UUID) throws {
    try run("DELETE FROM draft WHERE id = ?", .text(draft.uuidString))
  }

  private func add(_ id: UUID, _ ayah: AyahID, _ text: NoteText, at now: Int64) throws -> Edit? {
    let note = Note(id: id, ayah: ayah, text: text, createdAt: now, modifiedAt: now)
    return try put(.note(note), as: .note(id), at: now)
  }

  /// - Parameter isChange: whether it is one from the last ayah read before to another.
  private func set(
    _ surah: SurahNumber, _ last: Int, at now: Int64, where isChange: (Int, Int) -> Bool
  ) throws -> Edit? {
    let before = try entry(.progress(surah))
    let progress = SurahProgress(
      surah, lastReadAyah: last, lastUpdatedAt: now.later(than: before))
    guard isChange(before?.lastReadAyah ?? 0, progress.lastReadAyah) else { return nil }
    return try put(.progress(progress), as: .progress(surah), before: before, at: now)
  }

  func keep(_ values: [String: String?]) throws {
    for (key, value) in values.sorted(by: { $0.key < $1.key }) {
      if let value {
        try cachedStatement(sql: "INSERT OR REPLACE INTO device VALUES (?, ?)")
          .execute(arguments: [key, value])
      } else {
        try cachedStatement(sql: "DELETE FROM device WHERE key = ?").execute(arguments: [key])
      }
    }
  }
}

extension LibraryFailure {
  /// What an error of the database means to a reader.
  ///
  /// - Parameter code: `errno` of the call that failed SQLite, where it is known.
  init(_ error: any Error, path: String, system code: Int32 = 0) {
    if let failure = error as? LibraryFailure {
      self = failure
      return
    }
    guard let error = error as? DatabaseError else {
      self = .database(code: -1, message: "\(type(of: error))")
      return
    }
    let unknown = LibraryFailure.database(
      code: error.extendedResultCode.rawValue, message: error.message ?? "")
    self =
      switch (error.resultCode, error.extendedResultCode) {
      case (.SQLITE_FULL, _): .diskFull
      case (.SQLITE_IOERR, .SQLITE_IOERR_CORRUPTFS), (.SQLITE_IOERR, .SQLITE_IOERR_DATA):
        .damaged(path: path)
      // SQLite takes no other reason than ENOSPC for a full disk.
      case (.SQLITE_IOERR, _) where [ENOSPC, EDQUOT, EFBIG].contains(code): .diskFull
      case (.SQLITE_IOERR, .SQLITE_IOERR_SHMSIZE): .diskFull
      case (.SQLITE_IOERR, .SQLITE_IOERR_WRITE) where code == 0: .diskFull
      case (.SQLITE_CANTOPEN, _) where code != 0: LibraryFailure(code: code, path: path)
      case (.SQLITE_READONLY, _), (.SQLITE_PERM, _), (.SQLITE_CANTOPEN, _): .readOnly
      case (.SQLITE_BUSY, _), (.SQLITE_LOCKED, _), (.SQLITE_PROTOCOL, _): .busy
      case (.SQLITE_CORRUPT, _), (.SQLITE_NOTADB, _): .damaged(path: path)
      default: unknown
      }
  }
}
