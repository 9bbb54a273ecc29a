import FoundationEssentials
import GRDB
import Quran

extension Database {
  /// Carries out a change.
  ///
  /// - Parameter now: Milliseconds since 1970, UTC.
  /// - Returns: The edit; nil if nothing was changed.
  func carryOut(_ change: Change, at now: Int64) throws -> Edit? {
    let now = min(now, .latestTime)
    switch change {
    case .setFavorite(let ayah, let isFavorite):
      let thing = Thing.favorite(ayah)
      let before = try entry(thing)
      guard (before != nil) != isFavorite else { return nil }
      let favorite = isFavorite ? Entry.favorite(Favorite(ayah, favoritedAt: now)) : nil
      return try put(favorite, as: thing, before: before, at: now)

    case .addNote(let id, let ayah, let text):
      // A note has this ID if another terminal has saved the same draft. If the texts differ, both
      // are stored.
      if case .note(let note) = try entry(.note(id)) {
        guard note.text != text || note.ayah != ayah else { return nil }
        return try add(UUID(), ayah, text, at: now)
      }
      return try add(id, ayah, text, at: now)

    case .editNote(let id, let ayah, let text, let base):
      guard case .note(let note) = try entry(.note(id)) else {
        return try add(id, ayah, text, at: now)
      }
      guard let merged = text.merged(with: note.text, base: base) else {
        return try add(UUID(), ayah, text, at: now)
      }
      guard merged != note.text else { return nil }
      let edited = Note(
        id: id, ayah: note.ayah, text: merged, createdAt: note.createdAt,
        modifiedAt: now.advanced(past: .note(note)))
      return try put(.note(edited), as: .note(id), before: .note(note), at: now)

    case .deleteNote(let id, _):
      return try put(nil, as: .note(id), at: now)

    case .advance(let surah, let last):
      return try set(surah, last, at: now) { $0 < $1 }

    case .setProgress(let surah, let last):
      return try set(surah, last, at: now) { $0 != $1 }

    case .set(let key, let value):
      let before = try entry(.setting(key))
      if case .setting(let setting) = before, setting.value == value { return nil }
      let time = now.advanced(past: before)
      let setting = value.map { Setting(key: key, value: $0, lastModifiedAt: time) }
      return try put(setting.map(Entry.setting), as: .setting(key), before: before, at: now)

    case .deleteDraft(let id):
      try deleteDraft(id)
      return nil

    case .discardDraft(let draft):
      try deleteDraft(draft.id)
      if let resumed = draft.resumedFrom { try deleteDraft(resumed) }
      return nil
    }
  }

  /// Subtracts numbers of ayahs from the counts of days, to reverse a commit. Ayahs that were read
  /// after the commit stay counted.
  ///
  /// - Returns: The negated numbers, which reverse this change.
  func reverse(_ days: [Day: Int]) throws -> [Day: Int] {
    for (day, count) in days {
      let before = try Int.fetchOne(
        self, sql: "SELECT ayahs FROM readingDay WHERE day = ?", arguments: [day.description])
      try run("DELETE FROM readingDay WHERE day = ?", day.description)
      let after = (before ?? 0) - count
      guard after > 0 else { continue }
      try run("INSERT INTO readingDay VALUES (?, ?)", day.description, after)
    }
    return days.mapValues { -$0 }
  }

  /// Reverses the discarding or restoring of a draft.
  ///
  /// - Throws: `changedMeanwhile` if the draft was changed after it.
  func reverse(_ edit: DraftEdit) throws -> DraftEdit {
    let draft = edit.draft
    let text = try String.fetchOne(
      self, sql: "SELECT text FROM draft WHERE id = ?", arguments: [draft.id.uuidString])
    guard text == (edit.isStored ? draft.text : nil) else {
      throw LibraryFailure.changedMeanwhile(.note(draft.id))
    }
    if edit.isStored { try deleteDraft(draft.id) } else { try draft.save(self) }
    return DraftEdit(draft: draft, isStored: !edit.isStored)
  }

  /// Deletes a draft.
  func deleteDraft(_ draft: UUID) throws {
    try run("DELETE FROM draft WHERE id = ?", draft.uuidString)
  }

  private func add(_ id: UUID, _ ayah: AyahID, _ text: NoteText, at now: Int64) throws -> Edit? {
    let note = Note(id: id, ayah: ayah, text: text, createdAt: now, modifiedAt: now)
    return try put(.note(note), as: .note(id), at: now)
  }

  /// Sets the progress of a surah.
  ///
  /// - Parameter isChange: Returns whether to change the progress, given the last read ayah before
  ///   and after the change.
  private func set(
    _ surah: SurahNumber, _ last: Int, at now: Int64, where isChange: (Int, Int) -> Bool
  ) throws -> Edit? {
    let before = try entry(.progress(surah))
    let progress = SurahProgress(
      surah, lastReadAyah: last, lastUpdatedAt: now.advanced(past: before))
    guard isChange(before?.lastReadAyah ?? 0, progress.lastReadAyah) else { return nil }
    return try put(.progress(progress), as: .progress(surah), before: before, at: now)
  }

  /// Stores values of this device. Nil deletes a value.
  func setDeviceValues(_ values: [String: String?]) throws {
    for (key, value) in values.sorted(by: { $0.key < $1.key }) {
      if let value {
        try run("INSERT OR REPLACE INTO device VALUES (?, ?)", key, value)
      } else {
        try run("DELETE FROM device WHERE key = ?", key)
      }
    }
  }
}
