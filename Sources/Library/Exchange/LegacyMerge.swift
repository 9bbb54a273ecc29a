import FoundationEssentials
import GRDB
import Quran

extension Library {
  /// Merges the data of the older app into the library, in one transaction. Nothing is deleted or
  /// lowered, and the same rows imported again change nothing.
  ///
  /// Missing favourites are added, and progress is raised. The note with ordinal k is not added if
  /// it was imported before, even if it was edited or deleted later, if it is in the trash, or if
  /// more than k notes of the ayah have its text.
  ///
  /// The times of the notes of one ayah differ by 1 ms, so that their order is preserved.
  ///
  /// - Parameters:
  ///   - date: The time of the data, in milliseconds since 1970, UTC. A time in the future is
  ///     replaced by `now`.
  ///   - now: Milliseconds since 1970, UTC.
  ///   - isDryRun: Whether to make the report without changing the library.
  ///   - restoresDeleted: Whether to add notes that were imported before and deleted later.
  ///   - keepsCommit: Whether the report has the changes, for undo.
  ///   - progress: Called with the number of rows that were processed so far.
  /// - Throws: `LibraryFailure`. Nothing is changed then.
  public func importLegacy(
    _ rows: LegacyRows, datedAt date: Int64, at now: Int64, isDryRun: Bool = false,
    restoresDeleted: Bool = false, keepsCommit: Bool = true,
    progress: @escaping (_ done: Int) -> Void = { _ in }
  ) throws(LibraryFailure) -> ImportReport {
    do {
      return try merging(isDryRun: isDryRun) { database in
        var merge = LegacyMerge(
          database: database, date: min(max(date, 0), now), keepsCommit: keepsCommit && !isDryRun,
          restoresDeleted: restoresDeleted, progress: progress)
        return try merge.run(rows)
      }
    } catch {
      throw LibraryFailure(error, path: path)
    }
  }
}

/// Merges the data of the older app with the contents of the library.
private struct LegacyMerge {
  let database: Database
  let date: Int64
  let keepsCommit: Bool
  let restoresDeleted: Bool
  let progress: (Int) -> Void
  var report = ImportReport()
  var edits: [Edit] = []
  var imported: Set<UUID> = []
  var done = 0

  mutating func run(_ rows: LegacyRows) throws -> ImportReport {
    try merge(rows.favorites)
    try merge(rows.notes)
    for (surah, last) in rows.progress { try merge(surah, last) }
    try database.recordImports(of: imported)
    try database.setDeviceValues([DeviceKey.importOffered: "1"])
    report.commit = Commit(edits, addedImports: keepsCommit ? imported : [], removedImports: [])
    return report
  }

  private mutating func merge(_ favorites: [AyahID]) throws {
    var known: Set<AyahID> = []
    try database.eachRow("SELECT surah, ayah FROM favorite") {
      if let ayah = AyahID($0, surahColumn: 0, ayahColumn: 1) { known.insert(ayah) }
    }
    for ayah in favorites {
      let isNew = known.insert(ayah).inserted
      if isNew { try add(.favorite(Favorite(ayah, favoritedAt: date))) }
      count(.favorites, isNew ? .new : .alreadyThere)
    }
  }

  private mutating func merge(_ notes: [LegacyRows.Note]) throws {
    let known = try KnownNotes(database, of: notes)
    var copies = known.copies
    var missing = restoresDeleted ? known.missing(of: notes) : [:]
    var rest = notes.reduce(into: [AyahID: Int64]()) { $0[$1.ayah, default: 0] += 1 }
    for note in notes {
      rest[note.ayah, default: 1] -= 1
      let content = NoteContent(note)
      let isThere: Bool
      if known.ids.contains(note.id) {
        isThere = true
      } else if restoresDeleted {
        isThere = missing[content, default: 0] <= 0
        missing[content, default: 0] -= 1
      } else {
        isThere =
          known.imported.contains(note.id) || known.inTrash.contains(note.id)
          || copies[content, default: 0] > note.ordinal
      }
      if !isThere {
        copies[content, default: 0] += 1
        let added = Note(
          id: note.id, ayah: note.ayah, text: note.text,
          createdAt: max(date - rest[note.ayah, default: 0], 0), modifiedAt: date)
        try add(.note(added))
        if known.inTrash.contains(note.id) {
          // A text in the trash that the note does not contain stays there under another ID.
          try database.keepTrashedText(of: added)
          try database.run("DELETE FROM trash WHERE id = ?", note.id.uuidString)
        }
      }
      if !known.imported.contains(note.id) { imported.insert(note.id) }
      count(.notes, isThere ? .alreadyThere : .new)
    }
  }

  private mutating func merge(_ surah: SurahNumber, _ last: Int) throws {
    let before = try database.entry(.progress(surah))
    let isFurther = before.map { last > $0.lastReadAyah } ?? true
    if isFurther {
      let time = date.later(than: before)
      try add(
        .progress(SurahProgress(surah, lastReadAyah: last, lastUpdatedAt: time)), before: before)
    }
    count(.progress, !isFurther ? .alreadyThere : before == nil ? .new : .replaced)
  }

  private mutating func add(_ entry: Entry, before: Entry? = nil) throws {
    let edit = try database.put(entry, as: entry.thing, before: before, at: date)
    if keepsCommit, let edit { edits.append(edit) }
  }

  private mutating func count(_ list: ExportDocument.List, _ outcome: ImportReport.Outcome) {
    report.count(list, outcome)
    done += 1
    progress(done)
  }
}

/// The ayah and text of a note.
private struct NoteContent: Hashable {
  let ayah: AyahID
  let text: NoteText
}

extension NoteContent {
  init(_ note: LegacyRows.Note) {
    self.init(ayah: note.ayah, text: note.text)
  }
}

/// The contents of the library that concern the notes to be imported.
private struct KnownNotes {
  /// The IDs of stored notes.
  private(set) var ids: Set<UUID> = []
  /// The IDs of notes in the trash.
  private(set) var inTrash: Set<UUID> = []
  /// The IDs of notes that were imported before.
  private(set) var imported: Set<UUID> = []
  /// The numbers of stored notes, by content.
  private(set) var copies: [NoteContent: Int] = [:]
  /// The numbers of stored notes that do not have the ID of a note to be imported, by content.
  private var withOtherIDs: [NoteContent: Int] = [:]

  init(_ database: Database, of notes: [LegacyRows.Note]) throws {
    guard !notes.isEmpty else { return }
    let names = Set(notes.map(\.id))
    let contents = Set(notes.map(NoteContent.init))
    let ayahs = Set(notes.map(\.ayah))
    func known(_ row: Row) -> UUID? { row.uuid(0).flatMap { names.contains($0) ? $0 : nil } }
    try database.eachRow("SELECT id, surah, ayah, text FROM note") { row in
      let id = known(row)
      if let id { ids.insert(id) }
      // Other texts, which may be long, are not read.
      guard let ayah = AyahID(row, surahColumn: 1, ayahColumn: 2), ayahs.contains(ayah) else {
        return
      }
      let content = NoteContent(ayah: ayah, text: NoteText(stored: row.string(3)))
      guard contents.contains(content) else { return }
      copies[content, default: 0] += 1
      if id == nil { withOtherIDs[content, default: 0] += 1 }
    }
    try database.eachRow("SELECT id FROM trash") {
      if let id = known($0) { inTrash.insert(id) }
    }
    try database.eachRow("SELECT id FROM imported") {
      if let id = known($0) { imported.insert(id) }
    }
  }

  /// Returns the numbers of notes to add, by content, if deleted ones are restored.
  func missing(of notes: [LegacyRows.Note]) -> [NoteContent: Int] {
    var missing = withOtherIDs.mapValues { -$0 }
    for note in notes where !ids.contains(note.id) { missing[NoteContent(note), default: 0] += 1 }
    return missing
  }
}

extension Database {
  /// Records that legacy notes were imported.
  func recordImports(of ids: Set<UUID>) throws {
    guard !ids.isEmpty else { return }
    let statement = try cachedStatement(sql: "INSERT OR IGNORE INTO imported VALUES (?)")
    // In the order of the table, so that its pages are written in order.
    for id in ids.map(\.uuidString).sorted() { try statement.execute(arguments: [id]) }
  }

  /// Deletes the record that legacy notes were imported.
  func deleteImports(of ids: Set<UUID>) throws {
    guard !ids.isEmpty else { return }
    let statement = try cachedStatement(sql: "DELETE FROM imported WHERE id = ?")
    for id in ids { try statement.execute(arguments: [id.uuidString]) }
  }
}
