import FoundationEssentials
import GRDB
import Quran

extension Library {
  /// Merges the valid elements of an `ExportDocument` into the library, in one transaction. Nothing
  /// is deleted.
  ///
  /// - Favourites, drafts and cues are added if they are missing. If a stored draft does not
  ///   contain the text of an imported draft with the same ID, both are stored.
  /// - The higher progress of a surah, the setting that was changed last and the larger count of a
  ///   reading day are stored.
  /// - Missing notes are added. A note that was in the trash is removed from it.
  /// - If a stored note has another text, the text that contains all lines of the other is stored.
  ///   If neither does, the text that was changed last is stored, and the other becomes another
  ///   note.
  /// - Times in the future are replaced by `now`.
  /// - Importing the same document again changes nothing.
  ///
  /// The library is locked while the document is read, so a remote document should be downloaded
  /// first.
  ///
  /// - Parameters:
  ///   - now: Milliseconds since 1970, UTC.
  ///   - isDryRun: Whether to make the report without changing the library.
  ///   - keepsCommit: Whether the report contains the changes, for undo. They contain every
  ///     imported text.
  ///   - progress: Called with the number of elements that were read so far.
  ///   - source: Fills a buffer with a part of the document and returns the number of bytes as
  ///     read(2) does; 0 at the end.
  /// - Throws: An `ExportDocument.Failure`, a `LibraryFailure`, or an error of the source. Nothing
  ///   is changed then.
  public func importJSON(
    at now: Int64, isDryRun: Bool = false, keepsCommit: Bool = true,
    progress: @escaping (_ done: Int) -> Void = { _ in },
    from source: @escaping (UnsafeMutableRawBufferPointer) throws -> Int
  ) throws -> ImportReport {
    func merge(into database: Database) throws -> ImportReport {
      var merge = ImportMerge(database: database, now: now, keepsCommit: keepsCommit && !isDryRun)
      var walk = DocumentWalk(source, keepsElements: true)
      var done = 0
      _ = try walk.run { element in
        try merge.merge(element)
        done += 1
        progress(done)
      }
      merge.report.unknownKeys = walk.unknownKeys
      merge.report.unknownKeyCount = walk.unknownKeyCount
      return merge.finish()
    }
    return try merging(isDryRun: isDryRun, merge)
  }
}

/// Merges the elements of a document with the contents of the library.
private struct ImportMerge {
  let database: Database
  let now: Int64
  let keepsCommit: Bool
  var report = ImportReport()
  var edits: [Edit] = []
  var days: [Day: Int] = [:]

  func finish() -> ImportReport {
    var report = report
    report.commit = Commit(edits, days: days)
    return report
  }

  mutating func merge(_ element: DocumentWalk.Element) throws {
    switch element.content {
    case .notAList: report.skip(element, .notAList)
    case .tooLarge, .notKept: report.skip(element, .tooLarge)
    case .json(let json):
      do {
        let row = try ImportRow(
          json, of: element.list, unknownFields: &report.unknownFieldCount)
        report.count(element.list, try merge(row))
      } catch let refusal as ImportRefusal {
        report.skip(element, refusal.reason)
      }
    }
  }

  private mutating func merge(_ row: ImportRow) throws -> ImportReport.Outcome {
    switch row {
    case .favorite(let favorite):
      guard try database.entry(.favorite(favorite.ayah)) == nil else { return .alreadyThere }
      try put(.favorite(Favorite(favorite.ayah, favoritedAt: past(favorite.favoritedAt))))
      return .new
    case .note(let note): return try merge(note)
    case .progress(let progress): return try merge(progress)
    case .setting(let setting): return try merge(setting)
    case .readingDay(let day, let ayahs): return try merge(day, ayahs)
    case .draft(let draft): return try merge(draft)
    case .cue(let number, let ayah):
      try database.run(
        "INSERT OR IGNORE INTO device VALUES (?, ?)", DeviceKey.cue(number), ayah.description)
      return database.changesCount > 0 ? .new : .alreadyThere
    }
  }

  // MARK: Notes

  private mutating func merge(_ given: Note) throws -> ImportReport.Outcome {
    let new = given.with(createdAt: past(given.createdAt), modifiedAt: past(given.modifiedAt))
    guard case .note(let old) = try database.entry(.note(given.id)) else {
      // The name of a record contains the ayah. If the deletion of a note is not sent yet and its
      // record names another ayah, the ayah was changed in the document, so this is another note.
      let name = try recordName(of: given.id)
      let isPlaceholder = name == Note.placeholderRecordName(for: given.id)
      if !isPlaceholder, !name.contains("-\(given.ayah)-") {
        return try addCopy(of: new) ? .new : .alreadyThere
      }
      try put(.note(new))
      return .new
    }
    guard old.ayah == new.ayah else {
      return try addCopy(of: new) ? .keptBoth : .alreadyThere
    }
    guard old.text != new.text else { return .alreadyThere }
    // Compare the times as they were written, so that every device gets the same result.
    let isLater = Self.isLater((given.modifiedAt, new.text.text), (old.modifiedAt, old.text.text))
    let newHolds = LineMerge.holds(new.text.text, linesOf: old.text.text)
    let oldHolds = LineMerge.holds(old.text.text, linesOf: new.text.text)
    if newHolds || oldHolds {
      guard newHolds == oldHolds ? isLater : newHolds else { return .alreadyThere }
      try put(
        .note(
          new.with(
            createdAt: min(old.createdAt, new.createdAt),
            modifiedAt: max(old.modifiedAt, new.modifiedAt))))
      return oldHolds ? .replaced : .merged
    }
    let isCopied = try addCopy(of: isLater ? old : new, isReplaced: isLater)
    if isLater { try put(.note(new)) }
    return isCopied || isLater ? .keptBoth : .alreadyThere
  }

  /// Adds a copy of a note, unless an earlier import added it.
  ///
  /// The copy's ID is derived from the note's text and record name. If another note already has
  /// that ID (for example a copy that was edited since), the ID is derived from the record name of
  /// that note instead.
  ///
  /// - Parameter isReplaced: Whether the import replaces the note's text, so that from now on only
  ///   the copy contains it.
  /// - Returns: False if the library already has the copy.
  private mutating func addCopy(of note: Note, isReplaced: Bool = false) throws -> Bool {
    if let known = try existingCopy(of: note) {
      // Another device, where the note still has this text, may delete the copy. An edit is
      // stronger than a deletion, so the copy is marked as edited.
      if isReplaced { try put(Entry.note(known).touched(at: now.advanced(past: .note(known)))) }
      return false
    }
    var copy = note.conflictCopy(fromRecord: try recordName(of: note.id))
    while case .note = try database.entry(.note(copy.id)) {
      copy = note.conflictCopy(fromRecord: try recordName(of: copy.id))
    }
    try put(.note(copy))
    try database.markCopy(copy.id)
    return true
  }

  /// Returns the copy of a note that an earlier import added; nil if there is none.
  ///
  /// The ID of that copy is derived from a record name. A note that had no record at the time of
  /// the import had a placeholder for it, so both names are tried.
  private func existingCopy(of note: Note) throws -> Note? {
    var origins = [note.id]
    while let origin = origins.popLast() {
      let placeholder = Note.placeholderRecordName(for: origin)
      let name = try recordName(of: origin)
      for name in name == placeholder ? [name] : [name, placeholder] {
        let copy = note.conflictCopy(fromRecord: name)
        guard case .note(let taken) = try database.entry(.note(copy.id)) else { continue }
        if (taken.ayah, taken.text) == (copy.ayah, copy.text) { return taken }
        origins.append(taken.id)
      }
    }
    return nil
  }

  /// Returns the name of a note's record on the service, or a placeholder that is made from the ID.
  private func recordName(of id: UUID) throws -> String {
    let names = try database.rows(
      "SELECT min(name) FROM recordState WHERE kind = 'note' AND key = ?", id.uuidString
    ) { $0[0] as String? }
    return names.first ?? Note.placeholderRecordName(for: id)
  }

  // MARK: Other lists

  private func merge(_ given: Draft) throws -> ImportReport.Outcome {
    var draft = given
    draft.changedAt = past(given.changedAt)
    guard let stored = try Draft.stored(draft.id, in: database) else {
      try draft.save(database)
      return .new
    }
    return try !stored.holds(draft) && draft.saveCopy(database) ? .keptBoth : .alreadyThere
  }

  private mutating func merge(_ given: SurahProgress) throws -> ImportReport.Outcome {
    var time = past(given.lastUpdatedAt)
    var outcome = ImportReport.Outcome.new
    if case .progress(let old) = try database.entry(.progress(given.surah)) {
      guard given.lastReadAyah > old.lastReadAyah else { return .alreadyThere }
      time = max(time, old.lastUpdatedAt)
      outcome = .replaced
    }
    try put(
      .progress(
        SurahProgress(given.surah, lastReadAyah: given.lastReadAyah, lastUpdatedAt: time)))
    return outcome
  }

  private mutating func merge(_ given: Setting) throws -> ImportReport.Outcome {
    let isJSON = try Bool.fetchOne(
      database.cachedStatement(sql: "SELECT json_valid(?)"), arguments: [given.value])
    guard isJSON == true else { throw ImportRefusal(reason: .invalidValue(field: "value")) }
    var outcome = ImportReport.Outcome.new
    if case .setting(let old) = try database.entry(.setting(given.key)) {
      guard old.value != given.value,
        Self.isLater((given.lastModifiedAt, given.value), (old.lastModifiedAt, old.value))
      else { return .alreadyThere }
      outcome = .replaced
    }
    try put(
      .setting(
        Setting(key: given.key, value: given.value, lastModifiedAt: past(given.lastModifiedAt))))
    return outcome
  }

  private mutating func merge(_ day: Day, _ ayahs: Int) throws -> ImportReport.Outcome {
    let old = try Int.fetchOne(
      database.cachedStatement(sql: "SELECT ayahs FROM readingDay WHERE day = ?"),
      arguments: [day.description])
    guard ayahs > old ?? 0 else { return .alreadyThere }
    try database.run("INSERT OR REPLACE INTO readingDay VALUES (?, ?)", day.description, ayahs)
    if keepsCommit { days[day, default: 0] += ayahs - (old ?? 0) }
    return old == nil ? .new : .replaced
  }

  private mutating func put(_ entry: Entry) throws {
    guard let edit = try database.put(entry, as: entry.thing, at: now) else { return }
    if keepsCommit { edits.append(edit) }
  }

  /// Clamps a time to 1970 … now.
  private func past(_ time: Int64) -> Int64 { min(max(time, 0), now) }

  /// Whether a value is ranked after another: by time, then by bytes.
  private static func isLater(_ one: (Int64, String), _ other: (Int64, String)) -> Bool {
    one.0 == other.0
      ? other.1.utf8.lexicographicallyPrecedes(one.1.utf8) : one.0 > other.0
  }
}
