import FoundationEssentials
import GRDB
import Quran

// The library's rows as values, and values as rows.
extension Database {
  /// What the library holds of a thing.
  func entry(_ thing: Thing) throws -> Entry? {
    switch thing {
    case .favorite(let ayah):
      try rows(
        "SELECT favoritedAt FROM favorite WHERE surah = ? AND ayah = ?",
        .int(ayah.surah.rawValue), .int(ayah.ayah)
      ) { Entry.favorite(Favorite(ayah, favoritedAt: $0.int64(0))) }.first
    case .note(let id):
      try rows("SELECT \(Note.columns) FROM note WHERE id = ?", .text(id.uuidString)) {
        Note($0).map(Entry.note)
      }.first
    case .progress(let surah):
      try rows(
        "SELECT lastReadAyah, lastUpdatedAt FROM progress WHERE surah = ?", .int(surah.rawValue)
      ) {
        Entry.progress(
          SurahProgress(surah, lastReadAyah: $0.int(0), lastUpdatedAt: $0.int64(1)))
      }.first
    case .setting(let key):
      try rows("SELECT value, lastModifiedAt FROM setting WHERE key = ?", .text(key)) {
        Entry.setting(Setting(key: key, value: $0.string(0), lastModifiedAt: $0.int64(1)))
      }.first
    }
  }

  /// Makes the library hold this of the thing, nothing where nil, and puts the change
  /// into the outbox: one row for each changed thing, its generation the number of its
  /// changes.
  ///
  /// - Returns: what changed; nil where it was so already.
  func put(_ entry: Entry?, as thing: Thing, at now: Int64) throws -> Edit? {
    try put(entry, as: thing, before: try self.entry(thing), at: now)
  }

  /// The same, by who has just looked.
  ///
  /// - Parameter before: what the library holds of it now.
  /// - Returns: what changed; nil where it was so already.
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
      .text(thing.kind), .text(thing.key), .text(entry == nil ? "delete" : "save"),
      .int(now.later(than: before)))
    return Edit(thing, from: before, to: entry)
  }

  func store(_ entry: Entry) throws {
    switch entry {
    case .favorite(let favorite):
      try run(
        "INSERT OR REPLACE INTO favorite VALUES (?, ?, ?)",
        .int(favorite.ayah.surah.rawValue), .int(favorite.ayah.ayah), .int(favorite.favoritedAt))
    case .note(let note):
      try run(
        """
        INSERT INTO note (\(Note.columns)) VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT (id) DO UPDATE SET surah = excluded.surah, ayah = excluded.ayah,
          createdAt = excluded.createdAt, modifiedAt = excluded.modifiedAt,
          text = excluded.text
        """,
        .text(note.id.uuidString), .int(note.ayah.surah.rawValue), .int(note.ayah.ayah),
        .int(note.createdAt), .int(note.modifiedAt), .text(note.text.text))
    case .progress(let progress):
      try run(
        "INSERT OR REPLACE INTO progress VALUES (?, ?, ?, ?)",
        .int(progress.surah.rawValue), .int(progress.lastReadAyah), .int(progress.totalAyahs),
        .int(progress.lastUpdatedAt))
    case .setting(let setting):
      try run(
        "INSERT OR REPLACE INTO setting VALUES (?, ?, ?)",
        .text(setting.key), .text(setting.value), .int(setting.lastModifiedAt))
    }
  }

  func remove(_ thing: Thing) throws {
    switch thing {
    case .favorite(let ayah):
      try run(
        "DELETE FROM favorite WHERE surah = ? AND ayah = ?",
        .int(ayah.surah.rawValue), .int(ayah.ayah))
    case .note(let id):
      try run("DELETE FROM note WHERE id = ?", .text(id.uuidString))
    case .progress(let surah):
      try run("DELETE FROM progress WHERE surah = ?", .int(surah.rawValue))
    case .setting(let key):
      try run("DELETE FROM setting WHERE key = ?", .text(key))
    }
  }
}

extension AyahID {
  /// The ayah that two columns of a row name.
  init?(_ row: Row, _ surah: Int, _ ayah: Int) {
    self.init(surah: row[surah], ayah: row[ayah])
  }
}

extension Note {
  static let columns = "id, surah, ayah, createdAt, modifiedAt, text"

  /// Nil where the row names no ayah or has no proper id, which only a fault outside
  /// this program can store.
  init?(row: Row) {
    guard let ayah = AyahID(row, 1, 2), let id = UUID(uuidString: row[0]) else { return nil }
    self.init(
      id: id, ayah: ayah, text: NoteText(stored: row[5]), createdAt: row[3], modifiedAt: row[4])
  }

  init?(_ row: RawRow) {
    guard let ayah = AyahID(surah: row.int(1), ayah: row.int(2)),
      let id = UUID(uuidString: row.string(0))
    else { return nil }
    self.init(
      id: id, ayah: ayah, text: NoteText(stored: row.string(5)), createdAt: row.int64(3),
      modifiedAt: row.int64(4))
  }

  /// The notes of an ayah, oldest first.
  static func all(of ayah: AyahID, in database: Database) throws -> [Note] {
    try database.rows(
      "SELECT \(columns) FROM note WHERE surah = ? AND ayah = ? ORDER BY createdAt, id",
      .int(ayah.surah.rawValue), .int(ayah.ayah), make: Note.init)
  }
}

extension Draft {
  static let columns = "id, note, surah, ayah, base, changedAt, text"

  /// Creates a draft from a row. Nil if the row has no valid ayah or ID.
  init?(row: Row) {
    guard let ayah = AyahID(row, 2, 3), let id = UUID(uuidString: row[0]) else { return nil }
    self.init(
      // Before schema version 5 a draft had the ID of its note.
      id: id, noteID: (row[1] as String?).flatMap(UUID.init(uuidString:)) ?? id, ayah: ayah,
      base: (row[4] as String?).map(NoteText.init(stored:)), text: row[6], changedAt: row[5])
  }

  /// Stores the draft in place of its earlier state, and of the draft that it continues. U+0000 is
  /// left out, because a string that is bound to a statement ends there.
  ///
  /// - Parameter writer: The process that writes it; nil if none does: see `Writer`.
  func save(_ database: Database, writer: String? = nil) throws {
    let text = text.utf8.contains(0) ? String(text.unicodeScalars.filter { $0 != "\0" }) : text
    try database.cachedStatement(
      sql: """
        INSERT OR REPLACE INTO draft (\(Self.columns), writer) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """
    ).execute(
      arguments: [
        id.uuidString, noteID.uuidString, ayah.surah.rawValue, ayah.ayah, base?.text, changedAt,
        text, writer,
      ])
    if let resumedFrom {
      try database.run("DELETE FROM draft WHERE id = ?", .text(resumedFrom.uuidString))
    }
  }
}
