import FoundationEssentials
import Library
import Quran

/// The content of the library as the screen shows it, including changes that the library has not
/// confirmed yet.
struct LibraryState {
  /// The content with all changes.
  private(set) var shown = Snapshot()
  /// The favourites, in the order of the Quran.
  private(set) var favorites: [Favorite] = []
  /// The reason why nothing can be changed; nil if there is none.
  var refusal: LibraryFailure?
  /// Whether the library was read. Before that, nothing can be changed.
  private(set) var isOpen = false
  /// The changes made by reading that are not sent to the library yet.
  private(set) var unsaved = ReadingChanges()
  /// The content that the library has confirmed.
  private var stored = Snapshot()
  /// The drafts that were saved as notes or discarded; replies about them may still arrive.
  private var closedDrafts: Set<UUID> = []
  /// The surahs whose progress was set explicitly since the changes made by reading were last
  /// saved. Earlier progress by reading, which is restored after a refusal, does not apply to them.
  private var overriddenSurahs: Set<SurahNumber> = []
  /// The requests that were sent and are not answered yet, oldest first.
  private var pending: [(request: LibraryRequest, at: Int64)] = []

  /// Replaces the confirmed content, when the library was opened or another process changed it.
  mutating func open(_ snapshot: Snapshot) {
    isOpen = true
    stored = snapshot
    show()
  }

  /// Shows a change that is sent to the library.
  ///
  /// - Parameter now: Milliseconds since 1970, UTC.
  mutating func sent(_ request: LibraryRequest, at now: Int64) {
    pending.append((request, now))
    shown.anticipate(request, at: now)
    favorites = shown.favorites
  }

  /// Handles the reply to a request.
  ///
  /// - Parameter commit: What the request changed; nil if the library refused it.
  mutating func answered(_ request: LibraryRequest, _ commit: Commit?) {
    if let index = pending.firstIndex(where: { $0.request == request }) {
      pending.remove(at: index)
    }
    if let commit {
      stored.apply(commit)
      if let edit = commit.draft {
        if edit.isStored { reopenDraft(edit.draft.id) } else { closedDrafts.insert(edit.draft.id) }
      }
      switch request {
      case .saveReading(let reading):
        stored.record(reading)
        overriddenSurahs = []
      case .save(let draft) where !closedDrafts.contains(draft.id):
        stored.drafts.removeAll { $0.id == draft.id || $0.id == draft.resumedFrom }
        stored.drafts.append(draft)
      case .deleteDraft(let id): stored.drafts.removeAll { $0.id == id }
      default: break
      }
    }
    show()
  }

  /// Applies a commit of sync.
  mutating func changed(_ commit: Commit) {
    stored.apply(commit)
    show()
  }

  /// Accepts replies about a draft that was closed and is edited again.
  mutating func reopenDraft(_ id: UUID) { closedDrafts.remove(id) }

  /// Removes a draft that was saved as a note or discarded, and the one that it continued.
  mutating func deleteDraft(_ draft: Draft) {
    closedDrafts.insert(draft.id)
    stored.drafts.removeAll { $0.id == draft.id || $0.id == draft.resumedFrom }
    shown.drafts.removeAll { $0.id == draft.id || $0.id == draft.resumedFrom }
  }

  /// Records changes made by reading, to be sent later.
  mutating func record(_ body: (inout ReadingChanges) -> Void) {
    body(&unsaved)
    show()
  }

  /// Discards unsaved progress of a surah, whose progress is set explicitly.
  mutating func overrideProgress(of surah: SurahNumber) {
    overriddenSurahs.insert(surah)
    record { $0.progress[surah] = nil }
  }

  /// Restores changes that the library refused. The later of two last read ayahs of a surah is
  /// kept, unless its progress was set explicitly since. The numbers of ayahs read are added, and
  /// newer values of the device are kept.
  mutating func mergeUnsaved(_ earlier: ReadingChanges) {
    let overriddenSurahs = overriddenSurahs
    record { unsaved in
      unsaved.progress.merge(earlier.progress.filter { !overriddenSurahs.contains($0.key) }) {
        max($0, $1)
      }
      unsaved.ayahsRead.merge(earlier.ayahsRead, uniquingKeysWith: +)
      unsaved.device.merge(earlier.device) { newer, _ in newer }
    }
  }

  /// Returns the request that saves all unsaved changes, and marks them as sent; nil if there are
  /// none.
  mutating func saveRequest(at now: Int64) -> LibraryRequest? {
    guard !unsaved.isEmpty else { return nil }
    let request = LibraryRequest.saveReading(unsaved)
    unsaved = ReadingChanges()
    // What is shown already has these changes.
    pending.append((request, now))
    show()
    return request
  }

  /// The annotations that are shown with the numbers of ayahs in flow layout, by the ayah's index.
  var flowAnnotations: [Int: String] {
    var annotations: [Int: String] = [:]
    guard shown.favoriteCount + shown.noteCount + shown.drafts.count > 0 else {
      return annotations
    }
    let unfinished = Set(shown.drafts.map(\.ayah))
    for ayah in AyahID.first...AyahID.last {
      let isFavorite = shown.isFavorite(ayah)
      let notes = shown.noteCount(of: ayah)
      let isUnfinished = unfinished.contains(ayah)
      guard isFavorite || notes > 0 || isUnfinished else { continue }
      // Without spaces, so that no row breaks within the annotations.
      annotations[ayah.index] = Snapshot.annotations(
        isFavorite: isFavorite, notes: notes, isUnfinished: isUnfinished, separator: "")
    }
    return annotations
  }

  private mutating func show() {
    shown = stored
    for (request, time) in pending { shown.anticipate(request, at: time) }
    shown.anticipate(.saveReading(unsaved), at: 0)
    favorites = shown.favorites
  }
}

extension Snapshot {
  /// Returns the annotations of an ayah: `♥` for a favourite, `✎` for a note, `✎2` for two notes,
  /// `✎+` for more than nine, `✎…` for an unfinished note, `✎2…` for two notes and an unfinished
  /// one.
  static func annotations(
    isFavorite: Bool, notes: Int, isUnfinished: Bool = false, separator: String = " "
  ) -> String {
    let count = notes > 9 ? "+" : notes > 1 ? "\(notes)" : ""
    let pen =
      isUnfinished
      ? (notes == 1 ? "✎1…" : "✎\(count)…") : notes > 0 ? "✎" + count : ""
    guard isFavorite else { return pen }
    // All of them fit between the number of an ayah and its text.
    return pen.isEmpty ? "♥" : pen.count > 2 ? "♥\(pen)" : "♥\(separator)\(pen)"
  }

  fileprivate mutating func anticipate(_ request: LibraryRequest, at now: Int64) {
    switch request {
    case .commit(let changes):
      for change in changes { anticipate(change, at: now) }
    case .saveReading(let reading):
      for (surah, last) in reading.progress { anticipate(.advance(surah, to: last), at: now) }
      record(reading)
    case .save(let draft):
      drafts.removeAll { $0.id == draft.id || $0.id == draft.resumedFrom }
      drafts.append(draft)
    default:
      break
    }
  }

  /// Records changes made by reading other than progress.
  fileprivate mutating func record(_ reading: ReadingChanges) {
    for (key, value) in reading.device { device[key] = value }
    for (day, count) in reading.ayahsRead { readingDays[day, default: 0] += count }
  }
}
