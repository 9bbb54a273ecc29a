import FoundationEssentials
import GRDB
import Quran

extension Library {
  /// Merges the data of the older phone app into the library, in one transaction: adds missing
  /// favourites and notes, and raises progress. If it is repeated at once, it changes nothing.
  ///
  /// A note is not added if the library has a note with its ID. Without `restoresDeleted` it is not
  /// added either if it was imported before, even if it was edited or deleted later, nor if it is
  /// in the trash, nor if more than `ordinal` notes of the ayah have its text. With
  /// `restoresDeleted`, as many notes with the same ayah and text are added as the library lacks.
  ///
  /// The creation times of the notes of one ayah differ by 1 ms, so that their order is preserved.
  ///
  /// - Parameters:
  ///   - rows: The data of the app.
  ///   - date: The time that the entries get, in milliseconds since 1970, UTC: usually when the
  ///     file with the data was last modified. A time in the future is replaced by `now`.
  ///   - now: Milliseconds since 1970, UTC.
  ///   - isDryRun: Whether to make the report without changing the library.
  ///   - restoresDeleted: Whether to add notes that were imported before and deleted later.
  ///   - keepsCommit: Whether the report has the changes, for undo. That of a dry run has none.
  ///   - progress: Called with the number of rows that were processed so far.
  /// - Returns: What was changed or, in a dry run, would be.
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

/// Merges the data of the older phone app with the contents of the library.
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
    try database.storeImports(of: imported)
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
    var remaining = notes.reduce(into: [AyahID: Int64]()) { $0[$1.ayah, default: 0] += 1 }
    for note in notes {
      remaining[note.ayah, default: 1] -= 1
      let content = NoteContent(note)
      let isSkipped: Bool
      if known.ids.contains(note.id) {
        isSkipped = true
      } else if restoresDeleted {
        isSkipped = missing[content, default: 0] <= 0
        missing[content, default: 0] -= 1
      } else {
        isSkipped =
          known.imported.contains(note.id) || known.inTrash.contains(note.id)
          || copies[content, default: 0] > note.ordinal
      }
      if !isSkipped {
        copies[content, default: 0] += 1
        let added = Note(
          id: note.id, ayah: note.ayah, text: note.text,
          createdAt: max(date - remaining[note.ayah, default: 0], 0), modifiedAt: date)
        try add(.note(added))
        if known.inTrash.contains(note.id) {
          // If the note lacks lines of the text in the trash, that text stays there under a new ID.
          try database.keepTrashedText(of: added)
          try database.run("DELETE FROM trash WHERE id = ?", note.id.uuidString)
        }
      }
      if !known.imported.contains(note.id) { imported.insert(note.id) }
      count(.notes, isSkipped ? .alreadyThere : .new)
    }
  }

  private mutating func merge(_ surah: SurahNumber, _ last: Int) throws {
    let before = try database.entry(.progress(surah))
    let isFurther = before.map { last > $0.lastReadAyah } ?? true
    if isFurther {
      let time = date.advanced(past: before)
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
  /// The number of stored notes with a content.
  private(set) var copies: [NoteContent: Int] = [:]
  /// The number of stored notes with a content whose ID is not among those to be imported.
  private var withOtherIDs: [NoteContent: Int] = [:]

  init(_ database: Database, of notes: [LegacyRows.Note]) throws {
    guard !notes.isEmpty else { return }
    let wanted = Set(notes.map(\.id))
    let contents = Set(notes.map(NoteContent.init))
    let ayahs = Set(notes.map(\.ayah))
    func wantedID(_ row: Row) -> UUID? { row.uuid(0).flatMap { wanted.contains($0) ? $0 : nil } }
    try database.eachRow("SELECT id, surah, ayah, text FROM note") { row in
      let id = wantedID(row)
      if let id { ids.insert(id) }
      // Texts of other ayahs, which may be long, are not read.
      guard let ayah = AyahID(row, surahColumn: 1, ayahColumn: 2), ayahs.contains(ayah) else {
        return
      }
      let content = NoteContent(ayah: ayah, text: NoteText(stored: row.string(3)))
      guard contents.contains(content) else { return }
      copies[content, default: 0] += 1
      if id == nil { withOtherIDs[content, default: 0] += 1 }
    }
    try database.eachRow("SELECT id FROM trash") {
      if let id = wantedID($0) { inTrash.insert(id) }
    }
    try database.eachRow("SELECT id FROM imported") {
      if let id = wantedID($0) { imported.insert(id) }
    }
  }

  /// Returns the number of notes to add for each content if deleted notes are restored. If it is 0
  /// or less, none is added.
  func missing(of notes: [LegacyRows.Note]) -> [NoteContent: Int] {
    var missing = withOtherIDs.mapValues { -$0 }
    for note in notes where !ids.contains(note.id) { missing[NoteContent(note), default: 0] += 1 }
    return missing
  }
}

extension Database {
  /// Adds the IDs of legacy notes to the table of imported notes.
  func storeImports(of ids: Set<UUID>) throws {
    guard !ids.isEmpty else { return }
    let statement = try cachedStatement(sql: "INSERT OR IGNORE INTO imported VALUES (?)")
    // In the order of the primary key, so that SQLite writes the pages of the table one by one.
    for id in ids.map(\.uuidString).sorted() { try statement.execute(arguments: [id]) }
  }

  /// Removes the IDs of legacy notes from the table of imported notes.
  func deleteImports(of ids: Set<UUID>) throws {
    guard !ids.isEmpty else { return }
    let statement = try cachedStatement(sql: "DELETE FROM imported WHERE id = ?")
    for id in ids { try statement.execute(arguments: [id.uuidString]) }
  }
}
