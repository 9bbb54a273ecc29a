import Library
import Messages
import Quran

// Which ayahs count as read.
extension Model {
  /// While looking around, nothing counts as read.
  enum Browsing: Hashable {
    case off
    /// Since the reader came to a place otherwise than by reading on; until reading
    /// goes on where it was left.
    case arrived
    /// Since the reader asked for it; until the reader asks again.
    case chosen
  }

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
  mutating func count(_ ayah: AyahID) -> Bool {
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

  mutating func restart(_ surah: SurahNumber) -> [Effect] {
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
}
