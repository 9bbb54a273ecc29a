import Library
import Messages
import Quran
import Sync
import Terminal

// Favourites, reading progress and cues.
extension Model {
  // MARK: Favourites

  mutating func toggleFavorite() -> [Effect] {
    guard let ayah = targetAyah else {
      say(messages.openFirst)
      return []
    }
    let isFavorite = !libraryState.shown.isFavorite(ayah)
    let effects = commit([.setFavorite(ayah, isFavorite)])
    guard !effects.isEmpty else { return [] }
    say(
      isFavorite
        ? messages.favoriteAdded(key(.undo)) : messages.favoriteRemoved("\(ayah)", key(.undo)))
    typeset()
    revealSelection()
    return effects
  }

  // MARK: Progress

  /// The cursor was moved on by reading: the ayahs it left forward count.
  mutating func leave(from old: AyahID, to new: AyahID) {
    guard new > old else { return }
    for ayah in old..<new { leave(ayah) }
  }

  /// The ayah was read past.
  mutating func leave(_ ayah: AyahID) {
    let last = libraryState.shown.lastReadAyah(of: ayah.surah)
    switch browsing {
    case .off: break
    case .arrived:
      // Reading goes on exactly where it was left.
      guard ayah.ayah == last + 1 else { return }
      browsing = .off
    case .chosen: return
    }
    let isNew = count(ayah)
    guard isNew || ayah.ayah > last else { return }
    let today = today
    libraryState.keep { unkept in
      if ayah.ayah > last { unkept.progress[ayah.surah] = ayah.ayah }
      if isNew { unkept.ayahsRead[today, default: 0] += 1 }
    }
  }

  /// Counts an ayah as read today.
  ///
  /// - Returns: whether it was not counted yet.
  private mutating func count(_ ayah: AyahID) -> Bool {
    if counted.day != today { counted = (today, []) }
    return counted.ayahs.insert(ayah.index).inserted
  }

  var today: Day { Day(containing: now) }

  /// The reader came here otherwise than by reading on.
  mutating func arrived(at ayah: AyahID) {
    guard browsing != .chosen else { return }
    let last = libraryState.shown.lastReadAyah(of: ayah.surah)
    // Who opens a surah that is read to its end reads it again.
    let isNext = ayah.ayah == last + 1 || (ayah.ayah == 1 && last == ayah.surah.ayahCount)
    browsing = isNext ? .off : .arrived
  }

  mutating func toggleBrowsing() {
    browsing = browsing == .off ? .chosen : .off
    if pane == .text { place.stay(at: reading.cursor) }
    say(browsing == .off ? messages.browsingOff : messages.browsingOn)
  }

  mutating func markRead() -> [Effect] {
    guard let ayah = targetAyah else {
      say(messages.openFirst)
      return []
    }
    guard canChange() else { return [] }
    browsing = .off
    if pane == .text { place.stay(at: ayah) }
    guard libraryState.shown.lastReadAyah(of: ayah.surah) != ayah.ayah else {
      say(messages.alreadyRead("\(ayah)"))
      return []
    }
    let before = libraryState.shown.lastReadAyah(of: ayah.surah)
    libraryState.overrule(ayah.surah)
    let effects = commit([.setProgress(ayah.surah, to: ayah.ayah)])
    guard !effects.isEmpty else { return [] }
    if count(ayah) {
      let today = today
      libraryState.keep { $0.ayahsRead[today, default: 0] += 1 }
    }
    say(
      before > ayah.ayah
        ? messages.markedReadBack("\(ayah)", from: "\(ayah.surah):\(before)", key(.undo))
        : messages.markedRead("\(ayah)", key(.undo)))
    return effects
  }

  mutating func askRestart() {
    guard let surah = (targetAyah ?? selectedAyah)?.surah else {
      say(messages.openFirst)
      return
    }
    guard canChange() else { return }
    if libraryState.shown.lastReadAyah(of: surah) == 0 {
      say(messages.notBegun(surah.surah.transliteration))
    } else {
      overlay = .question(.restart(surah))
    }
  }

  private mutating func restart(_ surah: SurahNumber) -> [Effect] {
    // What was read and is not kept yet would bring it back.
    libraryState.overrule(surah)
    let effects = commit([.setProgress(surah, to: 0)])
    guard !effects.isEmpty else { return [] }
    counted.ayahs.subtract(surah.ayahs.lowerBound.index...surah.ayahs.upperBound.index)
    if pane == .text, reading.cursor.surah == surah {
      open(surah.firstAyah)
      place.stay(at: surah.firstAyah)
    }
    say(messages.restarted(surah.surah.transliteration, key(.undo)))
    revealSelection()
    return effects
  }

  mutating func answer(_ key: Key, _ question: Question) -> [Effect] {
    let isYes = key == "y" || key == "Y" || key == "c" || key == "C"
    let isNo = key == "n" || key == "N" || key == "k" || key == "K"
    switch question {
    case .restart(let surah):
      guard isYes || isNo else { return [] }
      overlay = nil
      return isYes ? restart(surah) : []
    case .dropPlan:
      guard isYes || isNo else { return [] }
      overlay = nil
      return isYes ? setPlan(days: nil) : []
    case .acceptDeletions(let deletion):
      guard isYes || isNo else { return [] }
      overlay = .page(.sync, 0)
      return isYes ? [.sync(.answer(.accept(deletion)))] : []
    case .answerRestored(let restoration):
      guard isYes || isNo else { return [] }
      overlay = .page(.sync, 0)
      return isYes ? [.sync(.answerRestored(restoration))] : []
    case .restoreNote(let id, _):
      guard isYes || isNo else { return [] }
      overlay = nil
      return isYes ? [.library(.restoreNote(id))] : []
    case .leaveNote:
      if isYes {
        overlay = nil
        return saveNote()
      }
      guard isNo else { return [] }
      overlay = nil
      say(messages.noteDiscarded(self.key(.undo)))
      return closeEditor(droppingDraft: true)
    }
  }

  // MARK: Cues

  mutating func cue(_ key: Key, isSetting: Bool) {
    guard case .character(let character) = key.code, let number = character.wholeNumberValue,
      character.isASCII, (1...9).contains(number)
    else {
      if keys.action(for: key) == .quit { overlay = nil }
      return
    }
    overlay = nil
    if isSetting {
      guard let ayah = targetAyah else {
        say(messages.openFirst)
        return
      }
      guard canChange() else { return }
      libraryState.keep { $0.device[DeviceKey.cue(number)] = .some(ayah.description) }
      say(messages.cueSet(number, "\(ayah)"))
    } else if let ayah = libraryState.shown.cue(number) {
      marked = nil
      open(ayah)
    } else {
      say(messages.noCue(number, self.key(.setCue)))
    }
  }
}
