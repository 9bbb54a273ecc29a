import FoundationEssentials
import GRDB
import Quran

extension Library {
  /// Merges an `ExportDocument` into the library: all of it that is good, in one
  /// transaction. Nothing is ever deleted.
  ///
  /// Favourites, drafts and cues are added where there is none. Of a note, a setting and a
  /// surah's progress that differ the one changed last stays, of a reading day the larger
  /// count. Times that are yet to come are taken as now. The same document imported again
  /// changes nothing.
  ///
  /// The library stays locked while the document is read: what comes from afar belongs
  /// into a file first.
  ///
  /// - Parameters:
  ///   - now: milliseconds since 1970, UTC.
  ///   - isDryRun: whether nothing is to be written, and the report is all.
  ///   - keepsCommit: whether the report tells what changed, for undo. It then holds every
  ///     text that was imported.
  ///   - progress: told how many elements are done.
  ///   - source: the document: fills a buffer as read(2) does, 0 at the end.
  /// - Throws: an `ExportDocument.Failure`, a `LibraryFailure`, or what the source throws;
  ///   then nothing is changed.
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
        try merge.take(element)
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

/// Puts the elements of a document beside what the library holds.
private struct ImportMerge {
  let database: Database
  let now: Int64
  let keepsCommit: Bool
  var report = ImportReport()
  private var edits: [Edit] = []

  init(database: Database, now: Int64, keepsCommit: Bool) {
    self.database = database
    self.now = now
    self.keepsCommit = keepsCommit
  }

  func finish() -> ImportReport {
    var report = report
    report.commit = Commit(edits)
    return report
  }

  mutating func take(_ element: DocumentWalk.Element) throws {
    switch element.content {
    case .notAList: report.skip(element, .notAList)
    case .tooLarge, .notKept: report.skip(element, .tooLarge)
    case .json(let json):
      do {
        let row = try ImportRow(
          json, of: element.table, unknownFields: &report.unknownFieldCount)
        report.count(element.table, wasNew: try merge(row))
      } catch let refusal as ImportRefusal {
        report.skip(element, refusal.reason)
      }
    }
  }

  /// - Returns: whether the library changed.
  private mutating func merge(_ row: ImportRow) throws -> Bool {
    switch row {
    case .favorite(let favorite):
      guard try database.entry(.favorite(favorite.ayah)) == nil else { return false }
      return try put(
        .favorite(Favorite(favorite.ayah, favoritedAt: past(favorite.favoritedAt))))
    case .note(let note):
      let new = Note(
        id: note.id, ayah: note.ayah, text: note.text, createdAt: past(note.createdAt),
        modifiedAt: past(note.modifiedAt))
      if case .note(let old) = try database.entry(.note(note.id)) {
        let isSame = (old.ayah, old.text) == (new.ayah, new.text)
        guard isNewer(note.modifiedAt, than: old.modifiedAt, isSame: isSame) else { return false }
      }
      return try put(.note(new))
    case .progress(let progress):
      if case .progress(let old) = try database.entry(.progress(progress.surah)) {
        let isSame = old.lastReadAyah == progress.lastReadAyah
        guard isNewer(progress.lastUpdatedAt, than: old.lastUpdatedAt, isSame: isSame) else {
          return false
        }
      }
      return try put(
        .progress(
          SurahProgress(
            progress.surah, lastReadAyah: progress.lastReadAyah,
            lastUpdatedAt: past(progress.lastUpdatedAt))))
    case .setting(let setting):
      let isJSON = try Bool.fetchOne(
        database.cachedStatement(sql: "SELECT json_valid(?)"), arguments: [setting.value])
      guard isJSON == true else { throw ImportRefusal(reason: .unfit(field: "value")) }
      if case .setting(let old) = try database.entry(.setting(setting.key)) {
        let isSame = old.value == setting.value
        guard isNewer(setting.lastModifiedAt, than: old.lastModifiedAt, isSame: isSame) else {
          return false
        }
      }
      return try put(
        .setting(
          Setting(
            key: setting.key, value: setting.value, lastModifiedAt: past(setting.lastModifiedAt))))
    case .readingDay(let day, let ayahs):
      try database.cachedStatement(
        sql: """
          INSERT INTO readingDay VALUES (?, ?)
          ON CONFLICT (day) DO UPDATE SET ayahs = excluded.ayahs WHERE excluded.ayahs > ayahs
          """
      ).execute(arguments: [day.description, ayahs])
      return database.changesCount > 0
    case .draft(var draft):
      draft.changedAt = past(draft.changedAt)
      let isThere = try Bool.fetchOne(
        database.cachedStatement(sql: "SELECT true FROM draft WHERE id = ?"),
        arguments: [draft.id.uuidString])
      guard isThere == nil else { return false }
      try draft.save(database)
      return true
    case .cue(let number, let ayah):
      try database.cachedStatement(sql: "INSERT OR IGNORE INTO device VALUES (?, ?)")
        .execute(arguments: [DeviceKey.cue(number), ayah.description])
      return database.changesCount > 0
    }
  }

  private mutating func put(_ entry: Entry) throws -> Bool {
    guard let edit = try database.put(entry, as: entry.thing, at: now) else { return false }
    if keepsCommit { edits.append(edit) }
    return true
  }

  /// A time as it is kept: neither yet to come nor before there were such times.
  private func past(_ time: Int64) -> Int64 { min(max(time, 0), now) }

  /// Whether what was changed at a time wins over what is there.
  ///
  /// - Parameter isSame: whether both say the same. Then there is no news in it, also at
  ///   a later time: one yet to come would be later at every import.
  private func isNewer(_ time: Int64, than old: Int64, isSame: Bool) -> Bool {
    !isSame && past(time) > old
  }
}
