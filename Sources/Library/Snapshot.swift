import FoundationEssentials
import GRDB
public import Quran

/// All of the library that the screens show at once, held in memory: everything but
/// the texts of the notes.
public struct Snapshot: Hashable, Sendable {
  /// By `AyahID.index`; `Int64.min` where the ayah is no favourite.
  private var favoriteTimes = [Int64](repeating: .min, count: AyahID.count + 1)
  /// By `AyahID.index`.
  private var noteCounts = [Int32](repeating: 0, count: AyahID.count + 1)
  /// By surah.
  private var progressOfSurah = [SurahProgress?](repeating: nil, count: SurahNumber.count + 1)
  private var favoritesOfSurah = [Int](repeating: 0, count: SurahNumber.count + 1)
  private var notesOfSurah = [Int](repeating: 0, count: SurahNumber.count + 1)
  public private(set) var favoriteCount = 0
  public private(set) var noteCount = 0
  /// Ayahs up to the last read of each surah, in all.
  public private(set) var readCount = 0
  public private(set) var settings: [String: String] = [:]
  public var device: [String: String] = [:]
  /// Ayahs read on each day, on this device.
  public var readingDays: [Day: Int] = [:]
  /// Oldest first; without those that another process is writing now.
  public var drafts: [Draft] = []

  public init() {}

  public func favoritedAt(_ ayah: AyahID) -> Int64? {
    let time = favoriteTimes[ayah.index]
    return time == .min ? nil : time
  }

  public func isFavorite(_ ayah: AyahID) -> Bool { favoriteTimes[ayah.index] != .min }
  public func noteCount(of ayah: AyahID) -> Int { Int(noteCounts[ayah.index]) }
  public func noteCount(of surah: SurahNumber) -> Int { notesOfSurah[surah.rawValue] }
  public func favoriteCount(of surah: SurahNumber) -> Int { favoritesOfSurah[surah.rawValue] }
  public func progress(of surah: SurahNumber) -> SurahProgress? {
    progressOfSurah[surah.rawValue]
  }
  /// 0 where the surah was not begun.
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

  public func readingStep(at ayah: AyahID) -> ReadingStep {
    let last = lastReadAyah(of: ayah.surah)
    return ayah.ayah <= last ? .again : ayah.ayah == last + 1 ? .next : .ahead
  }

  /// Every favourite, in the order of the book.
  public var favorites: [Favorite] {
    favoriteTimes.indices.dropFirst().compactMap { index in
      let time = favoriteTimes[index]
      guard time != .min, let ayah = AyahID(index: index) else { return nil }
      return Favorite(ayah, favoritedAt: time)
    }
  }

  /// Every surah's progress that was ever recorded.
  public var progress: [SurahProgress] { progressOfSurah.compactMap { $0 } }

  /// Where reading goes on: this device's place, else the surah read last. Of several
  /// read at one time, as an import dates them, it is one to be finished, the last in
  /// the book.
  public var continueReading: AyahID? {
    if let ayah = device[DeviceKey.position].flatMap(AyahID.init) { return ayah }
    func rank(_ progress: SurahProgress) -> (Int64, Int, Int) {
      (progress.lastUpdatedAt, progress.isComplete ? 0 : 1, progress.surah.rawValue)
    }
    let latest = progress.filter { $0.lastReadAyah > 0 }.max { rank($0) < rank($1) }
    return latest.map { $0.surah.ayah(clamping: $0.lastReadAyah) }
  }

  public func cue(_ number: Int) -> AyahID? {
    device[DeviceKey.cue(number)].flatMap(AyahID.init)
  }

  /// What stands in a setting that is a JSON string.
  public func string(_ key: SettingKey) -> String? {
    settings[key.rawValue].flatMap { try? JSONDecoder().decode(String.self, from: Data($0.utf8)) }
  }

  // MARK: Changing

  /// Takes what a commit changed.
  public mutating func apply(_ commit: Commit) {
    for edit in commit.edits { apply(edit) }
    for (day, count) in commit.days {
      let ayahs = (readingDays[day] ?? 0) + count
      readingDays[day] = ayahs > 0 ? ayahs : nil
    }
    guard let edit = commit.draft else { return }
    drafts.removeAll { $0.id == edit.draft.id || $0.id == edit.draft.resumedFrom }
    if edit.isKept { drafts.append(edit.draft) }
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

  /// Shows a change before it is committed. `apply` does not take it back: what is
  /// anticipated belongs on a copy of what is stored.
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
    case .dropDraft(let id): drafts.removeAll { $0.id == id }
    }
  }

  private mutating func anticipate(_ surah: SurahNumber, _ last: Int, at now: Int64) {
    let before = progressOfSurah[surah.rawValue]
    let progress = SurahProgress(
      surah, lastReadAyah: last, lastUpdatedAt: now.later(than: before.map { .progress($0) }))
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
      guard let ayah = AyahID(surah: $0.int(0), ayah: $0.int(1)) else { return }
      setFavorite(ayah, at: $0.int64(2))
    }
    // Counted from the index alone, without the texts.
    try database.eachRow("SELECT surah, ayah, count(*) FROM note GROUP BY surah, ayah") {
      guard let ayah = AyahID(surah: $0.int(0), ayah: $0.int(1)) else { return }
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
    drafts = try Row.fetchAll(
      database, sql: "SELECT \(Draft.columns), writer FROM draft ORDER BY changedAt"
    ).compactMap { row in
      Writer.isElsewhere(row[7] ?? "") ? nil : Draft(row: row)
    }
  }
}
