import Editions
import Library
import Messages
import Quran
import Text

// `quran-vi progress`
extension CommandContext {
  /// Prints the reading progress.
  ///
  /// - Throws: The failure of the library or of the output.
  public func showProgress() throws(CommandFailure) {
    let snapshot = try openForReading().snapshot
    let today = Day(containing: now())
    if asJSON {
      try console.json(object: ProgressEntry(snapshot, today: today))
    } else {
      let page = ProgressPage(
        snapshot: snapshot, today: today, columns: console.columns, messages: messages)
      try console.lines(page.lines)
    }
  }

  /// Sets the last read ayah of surahs, forwards or backwards.
  ///
  /// - Throws: `.usage` if `references` is empty or one is not a single ayah; the failure of the
  ///   library or of the output.
  public func setProgress(_ references: [String]) throws(CommandFailure) {
    let needsAyah = CommandFailure(.usage, messages.progressNeedsAyah)
    guard !references.isEmpty else { throw needsAyah }
    var changes: [(SurahNumber, Int)] = []
    for reference in try QuranReference.list(references, messages: messages) {
      guard let ayah = reference.ayah else { throw needsAyah }
      changes.append((ayah.surah, ayah.ayah))
    }
    try commitProgress(changes)
  }

  /// Resets the progress of surahs.
  ///
  /// - Throws: `.usage` if `references` is empty or one does not cover whole surahs; the failure of
  ///   the library or of the output.
  public func resetProgress(_ references: [String]) throws(CommandFailure) {
    let needsSurah = CommandFailure(.usage, messages.progressNeedsSurah)
    guard !references.isEmpty else { throw needsSurah }
    var changes: [(SurahNumber, Int)] = []
    for ayahs in try QuranReference.list(references, messages: messages).map(\.ayahs) {
      let surahs = SurahNumber.all.filter {
        ayahs.contains($0.firstAyah) && ayahs.contains($0.lastAyah)
      }
      guard surahs.first?.firstAyah == ayahs.lowerBound,
        surahs.last?.lastAyah == ayahs.upperBound
      else { throw needsSurah }
      changes += surahs.map { ($0, 0) }
    }
    try commitProgress(changes)
  }

  /// - Parameter changes: The last read ayah of each surah, or 0.
  private func commitProgress(
    _ changes: [(surah: SurahNumber, last: Int)]
  ) throws(CommandFailure) {
    let library = try openForChanges()
    let (commit, snapshot) = try convertingFailures {
      let commit = try library.commit(
        changes.map { .setProgress($0.surah, to: $0.last) }, at: now())
      return (commit, try library.snapshot())
    }
    let changed = Set(commit.edits.map(\.thing))
    let surahs = Set(changes.map(\.surah)).sorted()
    if asJSON {
      try console.json(
        surahs.map {
          SurahEntry($0, snapshot.progress(of: $0), changed: changed.contains(.progress($0)))
        })
      return
    }
    for surah in surahs {
      let name = "\(surah) (\(surah.surah.transliteration))"
      let last = snapshot.lastReadAyah(of: surah)
      try console.line(
        last == 0
          ? messages.surahBegunAgain(name) : messages.surahReadUpTo(name, last, of: surah.ayahCount)
      )
    }
  }
}

/// The progress of a surah in the JSON output.
private struct SurahEntry: Encodable {
  let surah: Int
  let lastReadAyah: Int
  let totalAyahs: Int
  /// From 0 to 100.
  let percentage: Double
  /// Milliseconds since 1970, UTC; nil if nothing was read.
  let lastUpdatedAt: Int64?
  /// Whether the command changed the surah; nil if it only shows the progress.
  let changed: Bool?

  init(_ surah: SurahNumber, _ progress: SurahProgress?, changed: Bool? = nil) {
    self.changed = changed
    self.surah = surah.rawValue
    lastReadAyah = progress?.lastReadAyah ?? 0
    totalAyahs = surah.ayahCount
    percentage = progress?.percentage ?? 0
    lastUpdatedAt = progress?.lastUpdatedAt
  }
}

/// The progress in the JSON output.
private struct ProgressEntry: Encodable {
  /// The lengths of streaks, in days. A streak is a series of consecutive days with reading.
  struct DayStreak: Encodable {
    let current: Int
    let longest: Int
    let includesToday: Bool
  }
  struct ReadingDay: Encodable {
    let day: String
    let ayahs: Int
  }
  struct Plan: Encodable {
    let start: String
    let end: String
    let days: Int
    /// The number of the current day: 1 on the first day, and more than `days` after the last one.
    let day: Int
    /// The number of ayahs read before the plan began.
    let read: Int
    /// The number of ayahs read since the plan began.
    let done: Int
    /// The number of ayahs that are due by the end of the current day.
    let due: Int
    /// The number of ayahs in the plan.
    let total: Int
    /// The number of ayahs by which the reading is ahead of the plan; negative if it is behind.
    let ahead: Int
    /// The number of ayahs that remain to be read today.
    let left: Int
    /// The day on which the plan will be finished at the current pace; nil if nothing or everything
    /// was read.
    let finish: String?
  }

  /// The number of ayahs that were read.
  let read: Int
  let total: Int
  /// From 0 to 100.
  let percentage: Double
  let streak: DayStreak
  let plan: Plan?
  let readingDays: [ReadingDay]
  let surahs: [SurahEntry]

  init(_ snapshot: Snapshot, today: Day) {
    read = snapshot.readCount
    total = AyahID.count
    percentage = snapshot.percentage
    let streak = Streak(snapshot.readingDays, today: today)
    self.streak = DayStreak(
      current: streak.current, longest: streak.longest, includesToday: streak.includesToday)
    plan = snapshot.khatmPlan.map { plan in
      let status = plan.status(on: today, readCount: snapshot.readCount)
      return Plan(
        start: "\(plan.start)", end: "\(plan.end)", days: plan.days, day: status.day,
        read: plan.readBeforeStart, done: status.done, due: status.due, total: status.total,
        ahead: status.ahead, left: status.left, finish: status.finish.map { "\($0)" })
    }
    readingDays = snapshot.readingDays.sorted { $0.key < $1.key }.map {
      ReadingDay(day: "\($0.key)", ayahs: $0.value)
    }
    surahs = SurahNumber.all.map { SurahEntry($0, snapshot.progress(of: $0)) }
  }
}
