import FoundationEssentials
import GRDB
public import Quran

/// The contents of a library in memory, without the texts of the notes.
public struct Snapshot: Hashable, Sendable {
  /// The times at which ayahs were marked, by `AyahID.index`; `Int64.min` if the ayah is not a
  /// favourite.
  private var favoriteTimes = [Int64](repeating: .min, count: AyahID.count + 1)
  /// The numbers of notes of ayahs, by `AyahID.index`.
  private var noteCounts = [Int32](repeating: 0, count: AyahID.count + 1)
  /// The progress of surahs, by `SurahNumber.rawValue`; nil if none was recorded.
  private var progressOfSurah = [SurahProgress?](repeating: nil, count: SurahNumber.count + 1)
  private var favoritesOfSurah = [Int](repeating: 0, count: SurahNumber.count + 1)
  private var notesOfSurah = [Int](repeating: 0, count: SurahNumber.count + 1)
  /// The number of favourites.
  public private(set) var favoriteCount = 0
  /// The number of notes.
  public private(set) var noteCount = 0
  /// The sum of the last read ayahs of all surahs.
  public private(set) var readCount = 0
  /// The values of the settings as JSON, by key.
  public private(set) var settings: [String: String] = [:]
  /// The values of this device: see `DeviceKey`.
  public var device: [String: String] = [:]
  /// The numbers of ayahs read on this device, by day.
  public var readingDays: [Day: Int] = [:]
  /// The stored drafts, oldest first, without those of other running processes.
  public var drafts: [Draft] = []

  /// Creates the snapshot of an empty library.
  public init() {}

  /// Returns the time at which an ayah was marked; nil if it is not a favourite.
  public func favoritedAt(_ ayah: AyahID) -> Int64? {
    let time = favoriteTimes[ayah.index]
    return time == .min ? nil : time
  }

  /// Whether an ayah is a favourite.
  public func isFavorite(_ ayah: AyahID) -> Bool { favoriteTimes[ayah.index] != .min }
  /// Returns the number of notes of an ayah.
  public func noteCount(of ayah: AyahID) -> Int { Int(noteCounts[ayah.index]) }
  /// Returns the number of notes of all ayahs of a surah.
  public func noteCount(of surah: SurahNumber) -> Int { notesOfSurah[surah.rawValue] }
  /// Returns the number of favourites of a surah.
  public func favoriteCount(of surah: SurahNumber) -> Int { favoritesOfSurah[surah.rawValue] }
  /// Returns the progress of a surah; nil if none was recorded.
  public func progress(of surah: SurahNumber) -> SurahProgress? {
    progressOfSurah[surah.rawValue]
  }
  /// Returns the number of the last read ayah of a surah; 0 if none was read.
  public func lastReadAyah(of surah: SurahNumber) -> Int {
    progressOfSurah[surah.rawValue]?.lastReadAyah ?? 0
  }

  /// How reading an ayah relates to the progress of its surah.
  public enum ReadingStep: Sendable {
    /// The ayah is read already.
    case again
    /// The ayah follows the last one read.
    case next
    /// Ayahs before it are not read yet.
    case ahead
  }

  /// Returns how reading an ayah relates to the progress of its surah.
  public func readingStep(at ayah: AyahID) -> ReadingStep {
    let last = lastReadAyah(of: ayah.surah)
    return ayah.ayah <= last ? .again : ayah.ayah == last + 1 ? .next : .ahead
  }

  /// The favourites in the order of the book.
  public var favorites: [Favorite] {
    favoriteTimes.indices.dropFirst().compactMap { index in
      let time = favoriteTimes[index]
      guard time != .min, let ayah = AyahID(index: index) else { return nil }
      return Favorite(ayah, favoritedAt: time)
    }
  }

  /// The progress of the surahs of which any was recorded.
  public var progress: [SurahProgress] { progressOfSurah.compactMap { $0 } }

  /// The ayah at which reading continues: the position of this device or, if there is none, the
  /// last read ayah of the surah with the latest progress. An import gives all surahs the same
  /// time. Of surahs with the same time, the last unfinished one is used.
  public var continueReading: AyahID? {
    if let ayah = device[DeviceKey.position].flatMap(AyahID.init) { return ayah }
    func rank(_ progress: SurahProgress) -> (Int64, Int, Int) {
      (progress.lastUpdatedAt, progress.isComplete ? 0 : 1, progress.surah.rawValue)
    }
    let latest = progress.filter { $0.lastReadAyah > 0 }.max { rank($0) < rank($1) }
    return latest.map { $0.surah.ayah(clamping: $0.lastReadAyah) }
  }

  /// Returns the ayah of a cue; nil if the cue is not set.
  ///
  /// - Parameter number: 1…9.
  public func cue(_ number: Int) -> AyahID? {
    device[DeviceKey.cue(number)].flatMap(AyahID.init)
  }

  /// Returns the value of a setting; nil if it is not set or is not a JSON string.
  public func string(_ key: SettingKey) -> String? {
    settings[key.rawValue].flatMap { try? JSONDecoder().decode(String.self, from: Data($0.utf8)) }
  }

  /// Returns whether a setting is `true`; nil if it is not set or is neither `true` nor `false`.
  public func flag(_ key: SettingKey) -> Bool? { settings[key.rawValue].flatMap(Bool.init) }

  /// The maximum number of columns of the text, in `TextWidth.columns`.
  public var textWidth: Int {
    settings[SettingKey.width.rawValue].flatMap { Int($0) }
      .flatMap { TextWidth.columns.contains($0) ? $0 : nil } ?? TextWidth.standard
  }

  // MARK: Changing

  /// Applies the changes of a commit.
  public mutating func apply(_ commit: Commit) {
    for edit in commit.edits { apply(edit) }
    for (day, count) in commit.days {
      let ayahs = (readingDays[day] ?? 0) + count
      readingDays[day] = ayahs > 0 ? ayahs : nil
    }
    guard let edit = commit.draft else { return }
    drafts.removeAll { $0.id == edit.draft.id || $0.id == edit.draft.resumedFrom }
    if edit.isStored { drafts.append(edit.draft) }
  }

  private mutating func apply(_ edit: Edit) {
    switch edit.thing {
    case .favorite(let ayah):
      if case .favorite(let favorite) = edit.after {
        setFavorite(ayah, at: favorite.favoritedAt)
      } else {
        setFavorite(ayah, at: nil)
      }
    case .note:
      if case .note(let note) = edit.before { addNotes(-1, to: note.ayah) }
      if case .note(let note) = edit.after { addNotes(1, to: note.ayah) }
    case .progress(let surah):
      if case .progress(let progress) = edit.after {
        set(progress, of: surah)
      } else {
        set(nil, of: surah)
      }
    case .setting(let key):
      if case .setting(let setting) = edit.after {
        settings[key] = setting.value
      } else {
        settings[key] = nil
      }
    }
  }

  /// Applies a change that is not committed yet. Call this on a copy of the snapshot: `apply` does
  /// not reverse it when the commit arrives, so a new note would be counted twice.
  ///
  /// - Parameter now: Milliseconds since 1970, UTC.
  public mutating func anticipate(_ change: Change, at now: Int64) {
    switch change {
    case .setFavorite(let ayah, true): setFavorite(ayah, at: favoritedAt(ayah) ?? now)
    case .setFavorite(let ayah, false): setFavorite(ayah, at: nil)
    case .addNote(_, let ayah, _): addNotes(1, to: ayah)
    case .deleteNote(_, let ayah): addNotes(-1, to: ayah)
    case .editNote: break
    case .advance(let surah, let last):
      guard last > lastReadAyah(of: surah) else { return }
      anticipate(surah, last, at: now)
    case .setProgress(let surah, let last): anticipate(surah, last, at: now)
    case .set(let key, let value): settings[key] = value
    case .deleteDraft(let id): drafts.removeAll { $0.id == id }
    case .discardDraft(let draft):
      drafts.removeAll { $0.id == draft.id || $0.id == draft.resumedFrom }
    }
  }

  private mutating func anticipate(_ surah: SurahNumber, _ last: Int, at now: Int64) {
    let before = progressOfSurah[surah.rawValue]
    let progress = SurahProgress(
      surah, lastReadAyah: last, lastUpdatedAt: now.advanced(past: before.map { .progress($0) }))
    if progress.lastReadAyah != lastReadAyah(of: surah) { set(progress, of: surah) }
  }

  private mutating func setFavorite(_ ayah: AyahID, at time: Int64?) {
    let step = (time == nil ? 0 : 1) - (isFavorite(ayah) ? 1 : 0)
    favoriteTimes[ayah.index] = time ?? .min
    favoriteCount += step
    favoritesOfSurah[ayah.surah.rawValue] += step
  }

  private mutating func addNotes(_ count: Int, to ayah: AyahID) {
    let count = max(count, -Int(noteCounts[ayah.index]))
    noteCounts[ayah.index] += Int32(count)
    noteCount += count
    notesOfSurah[ayah.surah.rawValue] += count
  }

  private mutating func set(_ progress: SurahProgress?, of surah: SurahNumber) {
    readCount += (progress?.lastReadAyah ?? 0) - lastReadAyah(of: surah)
    progressOfSurah[surah.rawValue] = progress
  }
}

// MARK: Reading it

extension Snapshot {
  init(_ database: Database) throws {
    self.init()
    try database.eachRow("SELECT surah, ayah, favoritedAt FROM favorite") {
      guard let ayah = AyahID($0, surahColumn: 0, ayahColumn: 1) else { return }
      setFavorite(ayah, at: $0.int64(2))
    }
    // SQLite counts in the index, without reading the texts.
    try database.eachRow("SELECT surah, ayah, count(*) FROM note GROUP BY surah, ayah") {
      guard let ayah = AyahID($0, surahColumn: 0, ayahColumn: 1) else { return }
      addNotes($0.int(2), to: ayah)
    }
    try database.eachRow("SELECT surah, lastReadAyah, lastUpdatedAt FROM progress") {
      guard let surah = SurahNumber($0.int(0)) else { return }
      set(SurahProgress(surah, lastReadAyah: $0.int(1), lastUpdatedAt: $0.int64(2)), of: surah)
    }
    try database.eachRow("SELECT key, value FROM setting") { settings[$0.string(0)] = $0.string(1) }
    try database.eachRow("SELECT key, value FROM device") { device[$0.string(0)] = $0.string(1) }
    try database.eachRow("SELECT day, ayahs FROM readingDay") {
      if let day = Day($0.string(0)) { readingDays[day] = $0.int(1) }
    }
    drafts = try database.rows(
      "SELECT \(Draft.columns), writer FROM draft ORDER BY changedAt"
    ) { row in
      DraftWriter.isElsewhere(row.string(7)) ? nil : Draft(row)
    }
  }
}
