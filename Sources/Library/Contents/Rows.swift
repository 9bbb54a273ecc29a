import FoundationEssentials
import GRDB
import Quran

// Reading and writing the entries of the library.
extension Database {
  /// Returns the value of a thing; nil if there is none.
  func entry(_ thing: Thing) throws -> Entry? {
    switch thing {
    case .favorite(let ayah):
      try rows(
        "SELECT favoritedAt FROM favorite WHERE surah = ? AND ayah = ?",
        ayah.surah.rawValue, ayah.ayah
      ) { Entry.favorite(Favorite(ayah, favoritedAt: $0.int64(0))) }.first
    case .note(let id):
      try rows("SELECT \(Note.columns) FROM note WHERE id = ?", id.uuidString) {
        Note($0).map(Entry.note)
      }.first
    case .progress(let surah):
      try rows(
        "SELECT lastReadAyah, lastUpdatedAt FROM progress WHERE surah = ?", surah.rawValue
      ) {
        Entry.progress(
          SurahProgress(surah, lastReadAyah: $0.int(0), lastUpdatedAt: $0.int64(1)))
      }.first
    case .setting(let key):
      try rows("SELECT value, lastModifiedAt FROM setting WHERE key = ?", key) {
        Entry.setting(Setting(key: key, value: $0.string(0), lastModifiedAt: $0.int64(1)))
      }.first
    }
  }

  /// Stores the value of a thing, or deletes it if nil, and adds the change to the outbox. The
  /// outbox has one row for each changed thing. The row contains a generation, which counts the
  /// changes, and the time of the last change, which is later than the time of the previous value.
  ///
  /// - Parameter now: Milliseconds since 1970, UTC.
  /// - Returns: The edit; nil if nothing was changed.
  func put(_ entry: Entry?, as thing: Thing, at now: Int64) throws -> Edit? {
    try put(entry, as: thing, before: try self.entry(thing), at: now)
  }

  /// Stores a value as the other `put` does, given the present value.
  ///
  /// - Parameters:
  ///   - before: The present value.
  ///   - now: Milliseconds since 1970, UTC.
  /// - Returns: The edit; nil if nothing was changed.
  func put(
    _ entry: Entry?, as thing: Thing, before: Entry?, at now: Int64
  ) throws -> Edit? {
    guard before != entry else { return nil }
    if let entry { try store(entry) } else { try remove(thing) }
    try run(
      """
      INSERT INTO outbox (kind, key, op, generation, changedAt) VALUES (?, ?, ?, 1, ?)
      ON CONFLICT (kind, key) DO UPDATE SET
        op = excluded.op, generation = generation + 1, changedAt = excluded.changedAt,
        attempts = 0, notBefore = NULL, waitsSince = NULL, parked = NULL, lastError = NULL,
        isRestored = FALSE
      """,
      thing.kind.rawValue, thing.key, entry == nil ? "delete" : "save",
      now.advanced(past: before))
    return Edit(thing, from: before, to: entry)
  }

  /// Stores a value without adding the change to the outbox.
  func store(_ entry: Entry) throws {
    switch entry {
    case .favorite(let favorite):
      try run(
        "INSERT OR REPLACE INTO favorite VALUES (?, ?, ?)",
        favorite.ayah.surah.rawValue, favorite.ayah.ayah, favorite.favoritedAt)
    case .note(let note):
      try run(
        """
        INSERT INTO note (\(Note.columns)) VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT (id) DO UPDATE SET surah = excluded.surah, ayah = excluded.ayah,
          createdAt = excluded.createdAt, modifiedAt = excluded.modifiedAt,
          text = excluded.text
        """,
        note.id.uuidString, note.ayah.surah.rawValue, note.ayah.ayah,
        note.createdAt, note.modifiedAt, note.text.text)
    case .progress(let progress):
      try run(
        "INSERT OR REPLACE INTO progress VALUES (?, ?, ?, ?)",
        progress.surah.rawValue, progress.lastReadAyah, progress.totalAyahs,
        progress.lastUpdatedAt)
    case .setting(let setting):
      try run(
        "INSERT OR REPLACE INTO setting VALUES (?, ?, ?)",
        setting.key, setting.value, setting.lastModifiedAt)
    }
  }

  /// Deletes the value of a thing without adding the change to the outbox.
  func remove(_ thing: Thing) throws {
    switch thing {
    case .favorite(let ayah):
      try run(
        "DELETE FROM favorite WHERE surah = ? AND ayah = ?",
        ayah.surah.rawValue, ayah.ayah)
    case .note(let id):
      try run("DELETE FROM note WHERE id = ?", id.uuidString)
    case .progress(let surah):
      try run("DELETE FROM progress WHERE surah = ?", surah.rawValue)
    case .setting(let key):
      try run("DELETE FROM setting WHERE key = ?", key)
    }
  }
}

extension AyahID {
  /// Creates the ayah that two columns of a row name. Nil if there is no such ayah.
  init?(_ row: Row, surahColumn: Int, ayahColumn: Int) {
    self.init(surah: row.int(surahColumn), ayah: row.int(ayahColumn))
  }
}

extension Note {
  static let columns = "id, surah, ayah, createdAt, modifiedAt, text"
  /// The order of the book, the notes of an ayah oldest first, as SQL.
  static let order = "surah, ayah, createdAt, id"

  /// Creates a note from a row. Nil if the ayah or the ID is invalid, as in a damaged file.
  init?(_ row: Row) {
    guard let ayah = AyahID(row, surahColumn: 1, ayahColumn: 2), let id = row.uuid(0) else {
      return nil
    }
    self.init(
      id: id, ayah: ayah, text: NoteText(stored: row.string(5)), createdAt: row.int64(3),
      modifiedAt: row.int64(4))
  }

  /// Returns the notes of an ayah, oldest first.
  static func all(of ayah: AyahID, in database: Database) throws -> [Note] {
    try database.rows(
      "SELECT \(columns) FROM note WHERE surah = ? AND ayah = ? ORDER BY createdAt, id",
      ayah.surah.rawValue, ayah.ayah, make: Note.init)
  }
}

extension Draft {
  static let columns = "id, note, surah, ayah, base, changedAt, text"

  /// Creates a draft from a row. Nil if the row has no valid ayah or ID.
  init?(_ row: Row) {
    guard let ayah = AyahID(row, surahColumn: 2, ayahColumn: 3), let id = row.uuid(0) else {
      return nil
    }
    self.init(
      // Before schema version 5 a draft had the ID of its note.
      id: id, noteID: row.uuid(1) ?? id, ayah: ayah,
      base: (row[4] as String?).map(NoteText.init(stored:)), text: row.string(6),
      changedAt: row.int64(5))
  }

  /// Returns the drafts of an ayah.
  static func all(of ayah: AyahID, in database: Database) throws -> [Draft] {
    try database.rows(
      "SELECT \(columns) FROM draft WHERE surah = ? AND ayah = ?", ayah.surah.rawValue, ayah.ayah,
      make: Draft.init)
  }

  /// Returns the draft that is stored under an ID. Nil if there is none, or if its ayah is invalid.
  static func stored(_ id: UUID, in database: Database) throws -> Draft? {
    try database.rows(
      "SELECT \(columns) FROM draft WHERE id = ?", id.uuidString, make: Draft.init
    ).first
  }

  /// Whether the draft has the same ayah as another one, and all lines of its text.
  func holds(_ other: Draft) -> Bool {
    ayah == other.ayah && LineMerge.holds(text, linesOf: other.text)
  }

  /// Stores a copy of the draft under another ID, which is derived from its contents. It is used if
  /// another draft is already stored under the same ID.
  ///
  /// - Returns: False if that copy is stored already.
  func saveCopy(_ database: Database) throws -> Bool {
    let copy = Draft(
      id: UUID(name: "\(id)\n\(ayah)\n\(text)", in: Self.copies), noteID: noteID, ayah: ayah,
      base: base, text: text, changedAt: changedAt)
    guard try Draft.stored(copy.id, in: database) == nil else { return false }
    try copy.save(database)
    return true
  }

  /// The namespace of the IDs of these copies.
  private static let copies = UUID(
    uuid: (
      0x88, 0xFC, 0x77, 0x54, 0xA3, 0x88, 0x4E, 0xDE, 0x95, 0x81, 0x64, 0x88, 0x6F, 0x15, 0x36, 0x62
    ))

  /// Stores the draft. Replaces its earlier state, and deletes the draft from which it was resumed.
  /// U+0000 is left out, because a string that is bound to a statement ends there.
  ///
  /// - Parameter writer: The process that edits the draft, `DraftWriter.current`; nil for none.
  func save(_ database: Database, writer: String? = nil) throws {
    let text = text.utf8.contains(0) ? String(text.unicodeScalars.filter { $0 != "\0" }) : text
    try database.run(
      "INSERT OR REPLACE INTO draft (\(Self.columns), writer) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      id.uuidString, noteID.uuidString, ayah.surah.rawValue, ayah.ayah, base?.text, changedAt, text,
      writer)
    if let resumedFrom {
      try database.run("DELETE FROM draft WHERE id = ?", resumedFrom.uuidString)
    }
  }
}
