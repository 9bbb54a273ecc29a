import FoundationEssentials
import GRDB
import Quran

// The library's rows as values, and values as rows.
extension Database {
  /// What the library holds of a thing.
  func entry(_ thing: Thing) throws -> Entry? {
    switch thing {
    case .favorite(let ayah):
      try Int64.fetchOne(
        cachedStatement(sql: "SELECT favoritedAt FROM favorite WHERE surah = ? AND ayah = ?"),
        arguments: [ayah.surah.rawValue, ayah.ayah]
      ).map { .favorite(Favorite(ayah, favoritedAt: $0)) }
    case .note(let id):
      try Row.fetchOne(
        cachedStatement(sql: "SELECT \(Note.columns) FROM note WHERE id = ?"),
        arguments: [id.uuidString]
      ).flatMap(Note.init(row:)).map { .note($0) }
    case .progress(let surah):
      try Row.fetchOne(
        cachedStatement(sql: "SELECT lastReadAyah, lastUpdatedAt FROM progress WHERE surah = ?"),
        arguments: [surah.rawValue]
      ).map { .progress(SurahProgress(surah, lastReadAyah: $0[0], lastUpdatedAt: $0[1])) }
    case .setting(let key):
      try Row.fetchOne(
        cachedStatement(sql: "SELECT value, lastModifiedAt FROM setting WHERE key = ?"),
        arguments: [key]
      ).map { .setting(Setting(key: key, value: $0[0], lastModifiedAt: $0[1])) }
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
    try cachedStatement(
      sql: """
        INSERT INTO outbox (kind, key, op, generation, changedAt) VALUES (?, ?, ?, 1, ?)
        ON CONFLICT (kind, key) DO UPDATE SET
          op = excluded.op, generation = generation + 1, changedAt = excluded.changedAt,
          attempts = 0, notBefore = NULL, parked = NULL, lastError = NULL
        """
    ).execute(
      arguments: [
        thing.kind, thing.key, entry == nil ? "delete" : "save", now.later(than: before),
      ])
    return Edit(thing, from: before, to: entry)
  }

  func store(_ entry: Entry) throws {
    switch entry {
    case .favorite(let favorite):
      try cachedStatement(sql: "INSERT OR REPLACE INTO favorite VALUES (?, ?, ?)")
        .execute(
          arguments: [favorite.ayah.surah.rawValue, favorite.ayah.ayah, favorite.favoritedAt])
    case .note(let note):
      try cachedStatement(
        sql: """
          INSERT INTO note (\(Note.columns)) VALUES (?, ?, ?, ?, ?, ?)
          ON CONFLICT (id) DO UPDATE SET surah = excluded.surah, ayah = excluded.ayah,
            createdAt = excluded.createdAt, modifiedAt = excluded.modifiedAt,
            text = excluded.text
          """
      ).execute(
        arguments: [
          note.id.uuidString, note.ayah.surah.rawValue, note.ayah.ayah, note.createdAt,
          note.modifiedAt, note.text.text,
        ])
    case .progress(let progress):
      try cachedStatement(sql: "INSERT OR REPLACE INTO progress VALUES (?, ?, ?, ?)")
        .execute(
          arguments: [
            progress.surah.rawValue, progress.lastReadAyah, progress.totalAyahs,
            progress.lastUpdatedAt,
          ])
    case .setting(let setting):
      try cachedStatement(sql: "INSERT OR REPLACE INTO setting VALUES (?, ?, ?)")
        .execute(arguments: [setting.key, setting.value, setting.lastModifiedAt])
    }
  }

  func remove(_ thing: Thing) throws {
    switch thing {
    case .favorite(let ayah):
      try cachedStatement(sql: "DELETE FROM favorite WHERE surah = ? AND ayah = ?")
        .execute(arguments: [ayah.surah.rawValue, ayah.ayah])
    case .note(let id):
      try cachedStatement(sql: "DELETE FROM note WHERE id = ?")
        .execute(arguments: [id.uuidString])
    case .progress(let surah):
      try cachedStatement(sql: "DELETE FROM progress WHERE surah = ?")
        .execute(arguments: [surah.rawValue])
    case .setting(let key):
      try cachedStatement(sql: "DELETE FROM setting WHERE key = ?").execute(arguments: [key])
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
}

extension Draft {
  static let columns = "id, surah, ayah, basedOn, changedAt, text"

  init?(row: Row) {
    guard let ayah = AyahID(row, 1, 2), let id = UUID(uuidString: row[0]) else { return nil }
    self.init(id: id, ayah: ayah, basedOn: row[3], text: row[5], changedAt: row[4])
  }

  /// Writes the draft in place of what was kept of it. Without U+0000, where what is
  /// bound to a statement would end.
  ///
  /// - Parameter writer: the process that is writing it, if one is: see `Writer`.
  func save(_ database: Database, writer: String? = nil) throws {
    let text = text.utf8.contains(0) ? String(text.unicodeScalars.filter { $0 != "\0" }) : text
    try database.cachedStatement(
      sql: "INSERT OR REPLACE INTO draft (\(Self.columns), writer) VALUES (?, ?, ?, ?, ?, ?, ?)"
    ).execute(
      arguments: [
        id.uuidString, ayah.surah.rawValue, ayah.ayah, basedOn, changedAt, text, writer,
      ])
  }
}
