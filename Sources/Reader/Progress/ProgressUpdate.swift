import Library
import Messages
import Quran

// Which ayahs count as read.
extension Model {
  /// Counts as read the ayahs that the cursor passed: those from `old` to the one before `new`.
  mutating func countAsRead(from old: AyahID, to new: AyahID) {
    guard new > old else { return }
    for ayah in old..<new { countAsRead(ayah) }
  }

  /// Counts an ayah as read, unless the user is browsing. Browsing that began with a jump ends at
  /// the next unread ayah, which counts.
  mutating func countAsRead(_ ayah: AyahID) {
    let step = libraryState.shown.readingStep(at: ayah)
    switch progress.browsing {
    case .off: break
    case .afterJump:
      guard step == .next else {
        if step == .ahead { progress.isExplanationDue = true }
        return
      }
      progress.browsing = .off
    case .byUser: return
    }
    let isNew = countToday(ayah)
    guard isNew || step != .again else { return }
    let today = today
    libraryState.record { unsaved in
      if step != .again { unsaved.progress[ayah.surah] = ayah.ayah }
      if isNew { unsaved.ayahsRead[today, default: 0] += 1 }
    }
  }

  /// Explains browsing when an ayah did not count for the first time. This is done once in each
  /// library.
  mutating func explainBrowsing() {
    guard progress.isExplanationDue, message == nil, overlay == nil, editor == nil,
      libraryState.isOpen
    else { return }
    progress.isExplanationDue = false
    guard libraryState.shown.device[DeviceKey.browsingExplained] == nil else { return }
    showMessage(messages.browsingExplained(read: key(.markRead), browse: key(.browse)))
    libraryState.record { $0.device[DeviceKey.browsingExplained] = .some("1") }
  }

  /// Counts an ayah as read today.
  ///
  /// - Returns: false if it was counted before.
  private mutating func countToday(_ ayah: AyahID) -> Bool {
    if progress.counted.day != today { progress.counted = (today, []) }
    return progress.counted.ayahs.insert(ayah.index).inserted
  }

  var today: Day { Day(containing: now) }

  /// Updates browsing after a jump to an ayah.
  mutating func updateBrowsing(at ayah: AyahID) {
    guard progress.browsing != .byUser else { return }
    let snapshot = libraryState.shown
    // A surah that is read to its end is read again from its first ayah.
    let isReadAgain =
      ayah.ayah == 1 && snapshot.readingStep(at: ayah.surah.lastAyah) == .again
    progress.browsing = isReadAgain || snapshot.readingStep(at: ayah) == .next ? .off : .afterJump
  }

  mutating func toggleBrowsing() {
    progress.browsing = progress.browsing == .off ? .byUser : .off
    if pane == .text { place.confirm(at: position.cursor) }
    showMessage(progress.browsing == .off ? messages.browsingOff : messages.browsingOn)
  }

  mutating func markRead() -> [Effect] {
    guard canChange() else { return [] }
    let ayah = position.cursor
    progress.browsing = .off
    place.confirm(at: ayah)
    guard libraryState.shown.lastReadAyah(of: ayah.surah) != ayah.ayah else {
      showMessage(messages.alreadyRead("\(ayah)"))
      return []
    }
    let before = libraryState.shown.lastReadAyah(of: ayah.surah)
    libraryState.overrideProgress(of: ayah.surah)
    let effects = commit([.setProgress(ayah.surah, to: ayah.ayah)])
    guard !effects.isEmpty else { return [] }
    if countToday(ayah) {
      let today = today
      libraryState.record { $0.ayahsRead[today, default: 0] += 1 }
    }
    showMessage(
      before > ayah.ayah
        ? messages.markedReadBack("\(ayah)", from: "\(ayah.surah):\(before)", key(.undo))
        : messages.markedRead("\(ayah)", key(.undo)))
    return effects
  }

  mutating func askRestart() {
    guard let surah = (targetAyah ?? selectedAyah)?.surah, canChange() else { return }
    if libraryState.shown.lastReadAyah(of: surah) == 0 {
      showMessage(messages.notBegun(surah.surah.transliteration))
    } else {
      overlay = .question(.restart(surah))
    }
  }

  mutating func restart(_ surah: SurahNumber) -> [Effect] {
    // Unsaved progress of reading would restore what is reset here.
    libraryState.overrideProgress(of: surah)
    let effects = commit([.setProgress(surah, to: 0)])
    guard !effects.isEmpty else { return [] }
    progress.counted.ayahs.subtract(surah.ayahs.lowerBound.index...surah.ayahs.upperBound.index)
    if pane == .text, position.cursor.surah == surah {
      open(surah.firstAyah)
      place.confirm(at: surah.firstAyah)
    }
    showMessage(messages.restarted(surah.surah.transliteration, key(.undo)))
    revealSelection()
    return effects
  }
}
