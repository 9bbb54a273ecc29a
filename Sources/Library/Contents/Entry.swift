public import FoundationEssentials
public import Quran

/// An ayah that the user marked as a favourite.
public struct Favorite: Hashable, Sendable {
  /// The marked ayah.
  public let ayah: AyahID
  /// The time at which it was marked, in milliseconds since 1970, UTC.
  public let favoritedAt: Int64

  /// Creates a favourite.
  ///
  /// - Parameter favoritedAt: Milliseconds since 1970, UTC.
  public init(_ ayah: AyahID, favoritedAt: Int64) {
    self.ayah = ayah
    self.favoritedAt = favoritedAt
  }
}

/// A note that the user wrote about an ayah. An ayah may have several.
public struct Note: Hashable, Sendable, Identifiable {
  /// The ID of the note, the same on every device.
  public let id: UUID
  /// The ayah that the note is about.
  public let ayah: AyahID
  /// The text of the note.
  public let text: NoteText
  /// The time at which the note was added, in milliseconds since 1970, UTC.
  public let createdAt: Int64
  /// The time of the last change, in milliseconds since 1970, UTC.
  public let modifiedAt: Int64

  /// Creates a note. Times are milliseconds since 1970, UTC.
  public init(id: UUID, ayah: AyahID, text: NoteText, createdAt: Int64, modifiedAt: Int64) {
    self.id = id
    self.ayah = ayah
    self.text = text
    self.createdAt = createdAt
    self.modifiedAt = modifiedAt
  }

  /// Returns the note with another ID, ayah or other times. What is nil stays.
  package func with(
    id: UUID? = nil, ayah: AyahID? = nil, createdAt: Int64? = nil, modifiedAt: Int64? = nil
  ) -> Note {
    Note(
      id: id ?? self.id, ayah: ayah ?? self.ayah, text: text,
      createdAt: createdAt ?? self.createdAt, modifiedAt: modifiedAt ?? self.modifiedAt)
  }
}

/// How far a surah has been read.
public struct SurahProgress: Hashable, Sendable {
  /// The surah.
  public let surah: SurahNumber
  /// The number of the last ayah that was read, 0…`totalAyahs`. It is 0 if none was read, and after
  /// the surah was reset.
  public let lastReadAyah: Int
  /// The time of the last change, in milliseconds since 1970, UTC.
  public let lastUpdatedAt: Int64

  /// Creates the progress of a surah.
  ///
  /// - Parameters:
  ///   - lastReadAyah: Clamped to 0…`totalAyahs`.
  ///   - lastUpdatedAt: Milliseconds since 1970, UTC.
  public init(_ surah: SurahNumber, lastReadAyah: Int, lastUpdatedAt: Int64) {
    self.surah = surah
    self.lastReadAyah = min(max(lastReadAyah, 0), surah.ayahCount)
    self.lastUpdatedAt = lastUpdatedAt
  }

  /// The number of ayahs of the surah.
  public var totalAyahs: Int { surah.ayahCount }
  /// The part of the surah that was read, 0…100.
  public var percentage: Double { Double(lastReadAyah) / Double(totalAyahs) * 100 }
  /// Whether the whole surah was read.
  public var isComplete: Bool { lastReadAyah == totalAyahs }
}

/// A setting that is synced between the devices of the user.
public struct Setting: Hashable, Sendable {
  /// The name of the setting: see `SettingKey`.
  public let key: String
  /// The value as JSON.
  public let value: String
  /// The time of the last change, in milliseconds since 1970, UTC.
  public let lastModifiedAt: Int64

  /// Creates a setting.
  ///
  /// - Parameters:
  ///   - value: JSON.
  ///   - lastModifiedAt: Milliseconds since 1970, UTC.
  public init(key: String, value: String, lastModifiedAt: Int64) {
    self.key = key
    self.value = value
    self.lastModifiedAt = lastModifiedAt
  }
}

/// The identity of something that is stored and synced on its own.
public enum Thing: Hashable, Sendable {
  /// The favourite of an ayah.
  case favorite(AyahID)
  /// The note with an ID.
  case note(UUID)
  /// The progress of a surah.
  case progress(SurahNumber)
  /// The setting with a key.
  case setting(String)

  /// The kinds of things. The raw values never change: the library stores them, for example in the
  /// outbox, and the names of records on the service begin with them.
  public enum Kind: String, CaseIterable, Codable, CodingKeyRepresentable, Sendable {
    /// Favourites.
    case favorite
    /// Notes.
    case note
    /// The progress of surahs.
    case progress
    /// Settings.
    case setting
  }

  /// The kind of the thing.
  public var kind: Kind {
    switch self {
    case .favorite: .favorite
    case .note: .note
    case .progress: .progress
    case .setting: .setting
    }
  }

  /// The thing's key in the outbox, unique within its kind.
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
  /// Returns the entry that undo stores if the thing did not exist before the commit. The progress
  /// of a surah is never deleted but reset to 0, so that the reset is synced. Nil for other things,
  /// which undo deletes.
  func beginning(at now: Int64) -> Entry? {
    guard case .progress(let surah) = self else { return nil }
    return .progress(SurahProgress(surah, lastReadAyah: 0, lastUpdatedAt: now))
  }
}

/// The stored value of a `Thing`.
public enum Entry: Hashable, Sendable {
  /// A favourite.
  case favorite(Favorite)
  /// A note.
  case note(Note)
  /// The progress of a surah.
  case progress(SurahProgress)
  /// A setting.
  case setting(Setting)

  /// The thing whose value this is.
  public var thing: Thing {
    switch self {
    case .favorite(let favorite): .favorite(favorite.ayah)
    case .note(let note): .note(note.id)
    case .progress(let progress): .progress(progress.surah)
    case .setting(let setting): .setting(setting.key)
    }
  }

  /// The time of the last change that the entry states, in milliseconds since 1970, UTC. It comes
  /// from the device that made the change, whose clock may be wrong.
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

  /// Returns the entry with another time of its last change. The time of a favourite stays.
  func touched(at now: Int64) -> Entry {
    switch self {
    case .favorite: self
    case .note(let note): .note(note.with(modifiedAt: now))
    case .progress(let progress):
      .progress(
        SurahProgress(progress.surah, lastReadAyah: progress.lastReadAyah, lastUpdatedAt: now))
    case .setting(let setting):
      .setting(Setting(key: setting.key, value: setting.value, lastModifiedAt: now))
    }
  }
}

/// The change of one thing.
public struct Edit: Hashable, Sendable {
  /// The thing that was changed.
  public let thing: Thing
  /// The entry before the change; nil if there was none.
  public let before: Entry?
  /// The entry after the change; nil if it was deleted.
  public let after: Entry?

  /// Creates the edit of a thing. Without an entry before the edit, the thing was added; without an
  /// entry after it, the thing was deleted.
  public init(_ thing: Thing, from before: Entry?, to after: Entry?) {
    self.thing = thing
    self.before = before
    self.after = after
  }
}

/// A draft that was discarded, or restored by undo.
public struct DraftEdit: Hashable, Sendable {
  /// The draft.
  public let draft: Draft
  /// Whether the draft is stored after this edit.
  public let isStored: Bool
}

/// The changes of one transaction. They can be reversed: see `Library.reverse`.
public struct Commit: Hashable, Sendable {
  /// The edits, in the order in which they were made. A thing may occur more than once.
  public internal(set) var edits: [Edit]
  /// The draft that was discarded or restored; nil if none was.
  public private(set) var draft: DraftEdit?
  /// The changes of the numbers of ayahs read, by day.
  public private(set) var days: [Day: Int]
  /// The IDs of legacy notes that were recorded as imported.
  let addedImports: Set<UUID>
  /// The IDs of legacy notes whose record of the import was deleted.
  let removedImports: Set<UUID>

  /// Creates a commit that has only edits: no draft and no reading days.
  public init(_ edits: [Edit]) {
    self.init(edits, addedImports: [])
  }

  init(
    _ edits: [Edit], addedImports: Set<UUID> = [], removedImports: Set<UUID> = [],
    draft: DraftEdit? = nil, days: [Day: Int] = [:]
  ) {
    self.edits = edits
    self.addedImports = addedImports
    self.removedImports = removedImports
    self.draft = draft
    self.days = days
  }

  /// Whether the commit has no edit, draft or reading day.
  public var isEmpty: Bool { edits.isEmpty && draft == nil && days.isEmpty }

  /// The number of edits, drafts and reading days in this commit.
  public var count: Int { edits.count + (draft == nil ? 0 : 1) + days.count }

  /// One edit for each changed thing, from the entry before its first edit to the entry after its
  /// last one, in the order of the first edits. Things that are the same as before are left out.
  var netEdits: [Edit] {
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
  /// The end of the year 9998, in milliseconds since 1970, UTC. No time that is stored or sent is
  /// later.
  public static let latestTime: Int64 = 253_370_764_799_999

  /// Returns this time, or the time of an entry plus 1 ms if that is later, so that a change has a
  /// later time than the entry it changed even if the clock was set back. The result is never later
  /// than `latestTime`.
  func advanced(past entry: Entry?) -> Int64 {
    guard let time = entry?.time, time >= self else { return Swift.min(self, .latestTime) }
    return time < .latestTime ? time + 1 : .latestTime
  }
}
