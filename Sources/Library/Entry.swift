public import FoundationEssentials
public import Quran

/// An ayah marked by its reader.
public struct Favorite: Hashable, Sendable {
  public let ayah: AyahID
  /// Milliseconds since 1970, UTC.
  public let favoritedAt: Int64

  public init(_ ayah: AyahID, favoritedAt: Int64) {
    self.ayah = ayah
    self.favoritedAt = favoritedAt
  }
}

/// What a reader wrote about an ayah. An ayah may have several.
public struct Note: Hashable, Sendable, Identifiable {
  public let id: UUID
  public let ayah: AyahID
  public let text: NoteText
  /// Milliseconds since 1970, UTC, as the next.
  public let createdAt: Int64
  public let modifiedAt: Int64

  public init(id: UUID, ayah: AyahID, text: NoteText, createdAt: Int64, modifiedAt: Int64) {
    self.id = id
    self.ayah = ayah
    self.text = text
    self.createdAt = createdAt
    self.modifiedAt = modifiedAt
  }
}

/// How far a surah has been read.
public struct SurahProgress: Hashable, Sendable {
  public let surah: SurahNumber
  /// 0…`totalAyahs`; 0 before the first ayah, also after starting again.
  public let lastReadAyah: Int
  /// Milliseconds since 1970, UTC.
  public let lastUpdatedAt: Int64

  /// - Parameter lastReadAyah: held to what the surah has.
  public init(_ surah: SurahNumber, lastReadAyah: Int, lastUpdatedAt: Int64) {
    self.surah = surah
    self.lastReadAyah = min(max(lastReadAyah, 0), surah.ayahCount)
    self.lastUpdatedAt = lastUpdatedAt
  }

  public var totalAyahs: Int { surah.ayahCount }
  /// 0…100.
  public var percentage: Double { Double(lastReadAyah) / Double(totalAyahs) * 100 }
  public var isComplete: Bool { lastReadAyah == totalAyahs }
}

/// A setting that follows the reader from device to device.
public struct Setting: Hashable, Sendable {
  public let key: String
  /// A JSON value, as text.
  public let value: String
  /// Milliseconds since 1970, UTC.
  public let lastModifiedAt: Int64

  public init(key: String, value: String, lastModifiedAt: Int64) {
    self.key = key
    self.value = value
    self.lastModifiedAt = lastModifiedAt
  }
}

/// The name of one thing that can change and is synced.
public enum Thing: Hashable, Sendable {
  case favorite(AyahID)
  case note(UUID)
  case progress(SurahNumber)
  case setting(String)

  /// The outbox's name of the kind.
  public var kind: String {
    switch self {
    case .favorite: "favorite"
    case .note: "note"
    case .progress: "progress"
    case .setting: "setting"
    }
  }

  /// The outbox's name of the thing among its kind.
  public var key: String {
    switch self {
    case .favorite(let ayah): ayah.description
    case .note(let id): id.uuidString
    case .progress(let surah): surah.description
    case .setting(let key): key
    }
  }
}

extension Thing {
  /// What there is where nothing was before. A surah's progress is never taken away
  /// but begun again: other devices must hear of that.
  func beginning(at now: Int64) -> Entry? {
    guard case .progress(let surah) = self else { return nil }
    return .progress(SurahProgress(surah, lastReadAyah: 0, lastUpdatedAt: now))
  }
}

/// What the library holds of a thing.
public enum Entry: Hashable, Sendable {
  case favorite(Favorite)
  case note(Note)
  case progress(SurahProgress)
  case setting(Setting)

  public var thing: Thing {
    switch self {
    case .favorite(let favorite): .favorite(favorite.ayah)
    case .note(let note): .note(note.id)
    case .progress(let progress): .progress(progress.surah)
    case .setting(let setting): .setting(setting.key)
    }
  }

  /// When it was last changed, by its own word. Milliseconds since 1970, UTC.
  public var time: Int64 {
    switch self {
    case .favorite(let favorite): favorite.favoritedAt
    case .note(let note): note.modifiedAt
    case .progress(let progress): progress.lastUpdatedAt
    case .setting(let setting): setting.lastModifiedAt
    }
  }

  var lastReadAyah: Int {
    if case .progress(let progress) = self { progress.lastReadAyah } else { 0 }
  }

  /// The same, changed now. A favourite keeps the time it was first marked.
  func touched(at now: Int64) -> Entry {
    switch self {
    case .favorite: self
    case .note(let note):
      .note(
        Note(
          id: note.id, ayah: note.ayah, text: note.text, createdAt: note.createdAt,
          modifiedAt: now))
    case .progress(let progress):
      .progress(
        SurahProgress(progress.surah, lastReadAyah: progress.lastReadAyah, lastUpdatedAt: now))
    case .setting(let setting):
      .setting(Setting(key: setting.key, value: setting.value, lastModifiedAt: now))
    }
  }
}

/// One thing before and after a change; nil is "not there".
public struct Edit: Hashable, Sendable {
  public let thing: Thing
  public let before: Entry?
  public let after: Entry?

  public init(_ thing: Thing, from before: Entry?, to after: Entry?) {
    self.thing = thing
    self.before = before
    self.after = after
  }
}

/// A draft that was discarded, or brought back.
public struct DraftEdit: Hashable, Sendable {
  public let draft: Draft
  /// Whether the draft is stored after this edit.
  public let isKept: Bool
}

/// What one transaction changed, in order. It can be reversed: see `Library.reverse`.
public struct Commit: Hashable, Sendable {
  public internal(set) var edits: [Edit]
  public private(set) var draft: DraftEdit?
  /// How many ayahs more count as read on a day; negative for less.
  public private(set) var days: [Day: Int]
  /// The legacy notes that count as imported from here on; and those that do no more.
  let imported: Set<UUID>
  let forgotten: Set<UUID>

  public init(_ edits: [Edit]) {
    self.init(edits, imported: [])
  }

  init(
    _ edits: [Edit], imported: Set<UUID> = [], forgotten: Set<UUID> = [], draft: DraftEdit? = nil,
    days: [Day: Int] = [:]
  ) {
    self.edits = edits
    self.imported = imported
    self.forgotten = forgotten
    self.draft = draft
    self.days = days
  }

  public var isEmpty: Bool { edits.isEmpty && draft == nil && days.isEmpty }

  /// The number of edits, drafts and reading days in this commit.
  public var count: Int { edits.count + (draft == nil ? 0 : 1) + days.count }

  /// Each changed thing once, from what it was at first to what it was at last, in the
  /// order of the first changes; without those that came to nothing.
  var net: [Edit] {
    var order: [Thing] = []
    var edits: [Thing: Edit] = [:]
    for edit in self.edits {
      if let first = edits[edit.thing] {
        edits[edit.thing] = Edit(edit.thing, from: first.before, to: edit.after)
      } else {
        order.append(edit.thing)
        edits[edit.thing] = edit
      }
    }
    return order.compactMap { edits[$0] }.filter { $0.before != $0.after }
  }
}

extension Int64 {
  /// The end of the year 9998, in milliseconds since 1970, UTC: no clock shows a later time, and
  /// no time that is stored or sent is later.
  public static let latestTime: Int64 = 253_370_764_799_999

  /// This time, or one later than that of an entry: a change is told from what it
  /// changed also in the same millisecond, and where the clock went back. Never later than
  /// `latestTime`.
  func later(than entry: Entry?) -> Int64 {
    guard let time = entry?.time, time >= self else { return Swift.min(self, .latestTime) }
    return time < .latestTime ? time + 1 : .latestTime
  }
}
