import FoundationEssentials
import Library
import Quran

/// The library as the screen shows it: what it holds, with the changes that are on
/// their way to it.
struct LibraryState {
  private(set) var shown = Snapshot()
  /// In the order of the book.
  private(set) var favorites: [Favorite] = []
  /// Why nothing can be changed; nil where it can.
  var refusal: LibraryFailure?
  private(set) var isOpen = false
  /// What reading brought since it was last sent to be kept.
  private(set) var unkept = ReadingSession()
  /// What the library holds for certain.
  private var stored = Snapshot()
  /// Drafts that were saved as notes, or thrown away: an answer may still come for them.
  private var closedDrafts: Set<UUID> = []
  /// Surahs whose progress was set since reading was last sent: it says nothing of them.
  private var overruled: Set<SurahNumber> = []
  /// Sent and not answered yet, oldest first.
  private var pending: [(request: LibraryRequest, at: Int64)] = []

  mutating func open(_ snapshot: Snapshot) {
    isOpen = true
    stored = snapshot
    show()
  }

  /// A change is on its way.
  mutating func sent(_ request: LibraryRequest, at now: Int64) {
    pending.append((request, now))
    shown.anticipate(request, at: now)
    favorites = shown.favorites
  }

  /// The answer to a request; nil where it was refused.
  mutating func answered(_ request: LibraryRequest, _ commit: Commit?) {
    if let index = pending.firstIndex(where: { $0.request == request }) {
      pending.remove(at: index)
    }
    if let commit {
      stored.apply(commit)
      if let edit = commit.draft {
        if edit.isKept { openDraft(edit.draft.id) } else { closedDrafts.insert(edit.draft.id) }
      }
      switch request {
      case .keep(let reading):
        stored.keep(reading)
        overruled = []
      case .save(let draft) where !closedDrafts.contains(draft.id):
        stored.drafts = stored.drafts.filter { $0.id != draft.id } + [draft]
      case .dropDraft(let id): stored.drafts.removeAll { $0.id == id }
      default: break
      }
    }
    show()
  }

  /// Sync changed the library.
  mutating func changed(_ commit: Commit) {
    stored.apply(commit)
    show()
  }

  /// A draft is written on.
  mutating func openDraft(_ id: UUID) { closedDrafts.remove(id) }

  /// The draft has served, or is not wanted.
  mutating func dropDraft(_ id: UUID) {
    closedDrafts.insert(id)
    stored.drafts.removeAll { $0.id == id }
    shown.drafts.removeAll { $0.id == id }
  }

  /// Keeps what reading brings, until it is sent.
  mutating func keep(_ body: (inout ReadingSession) -> Void) {
    body(&unkept)
    show()
  }

  /// Progress is set by hand: what reading brought before says nothing of it.
  mutating func overrule(_ surah: SurahNumber) {
    overruled.insert(surah)
    keep { $0.progress[surah] = nil }
  }

  /// What could not be kept waits for the next time; what is newer stays.
  mutating func keepAgain(_ earlier: ReadingSession) {
    let overruled = overruled
    keep { unkept in
      unkept.progress.merge(earlier.progress.filter { !overruled.contains($0.key) }) { max($0, $1) }
      unkept.ayahsRead.merge(earlier.ayahsRead, uniquingKeysWith: +)
      unkept.device.merge(earlier.device) { newer, _ in newer }
    }
  }

  /// What is to be sent now, if anything.
  mutating func takeUnkept(at now: Int64) -> LibraryRequest? {
    guard !unkept.isEmpty else { return nil }
    let request = LibraryRequest.keep(unkept)
    unkept = ReadingSession()
    sent(request, at: now)
    return request
  }

  /// By the ayah's index, the marks that stand with its number in flow layout.
  var flowMarks: [Int: String] {
    var marks: [Int: String] = [:]
    guard shown.favoriteCount + shown.noteCount > 0 else { return marks }
    for index in 1...AyahID.count {
      guard let ayah = AyahID(index: index) else { continue }
      // No row ends between a number and its marks.
      let text = shown.marks(of: ayah).replacing(" ", with: "")
      if !text.isEmpty { marks[index] = text }
    }
    return marks
  }

  private mutating func show() {
    shown = stored
    for (request, time) in pending { shown.anticipate(request, at: time) }
    shown.anticipate(.keep(unkept), at: 0)
    favorites = shown.favorites
  }
}

extension Snapshot {
  /// What an ayah is marked with: `♥ ✎2`.
  func marks(of ayah: AyahID) -> String {
    Self.marks(isFavorite: isFavorite(ayah), notes: noteCount(of: ayah))
  }

  static func marks(isFavorite: Bool, notes: Int) -> String {
    let pen = notes == 0 ? "" : notes == 1 ? "✎" : notes > 9 ? "✎+" : "✎\(notes)"
    return [isFavorite ? "♥" : "", pen].filter { !$0.isEmpty }.joined(separator: " ")
  }

  fileprivate mutating func anticipate(_ request: LibraryRequest, at now: Int64) {
    switch request {
    case .commit(let changes):
      for change in changes { anticipate(change, at: now) }
    case .keep(let reading):
      for (surah, last) in reading.progress { anticipate(.advance(surah, to: last), at: now) }
      keep(reading)
    default:
      break
    }
  }

  /// Takes what the library keeps of reading besides progress.
  fileprivate mutating func keep(_ reading: ReadingSession) {
    for (key, value) in reading.device { device[key] = value }
    for (day, count) in reading.ayahsRead { readingDays[day, default: 0] += count }
  }
}
