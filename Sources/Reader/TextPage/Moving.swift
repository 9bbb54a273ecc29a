import Library
import Messages
import Quran
import Terminal

// Moving through the lists and the text, and between them.
extension Model {
  /// Moves the selection of the list, or the place in the text.
  mutating func move(by count: Int, _ inText: (Pager, Reading) -> Reading) {
    if pane == .list {
      select(list.state.selection + count)
    } else {
      let next = inText(pager, reading)
      leave(from: reading.cursor, to: next.cursor)
      if count > 0, next == reading, next.cursor == .last { leave(.last) }
      read(next)
      place.read(to: next.cursor, rows: count, page: max((geometry.text?.height ?? 1) - 1, 1))
    }
  }

  mutating func page(half: Bool, _ direction: Int) {
    let height = (pane == .list ? geometry.list : geometry.text)?.height ?? 1
    // A full page keeps one row in view, so that the eye finds the place again.
    let count = direction * max(half ? height / 2 : height - 1, 1)
    move(by: count) { $0.scroll($1, by: count) }
  }

  mutating func jumpToEnd(last: Bool) {
    if pane == .list {
      select(last ? list.count - 1 : 0)
    } else {
      let surah = reading.cursor.surah
      let ayah = last ? surah.lastAyah : surah.firstAyah
      if ayah != reading.cursor { jumped(to: ayah) }
      read(
        last ? pager.show(Reading(cursor: ayah, top: reading.top)) : pager.open(ayah))
    }
  }

  mutating func select(_ row: Int) {
    let row = min(max(row, 0), max(list.count - 1, 0))
    lists[tab, default: ListState()].selection = row
    revealSelection()
  }

  /// Scrolls the list so that the selected row is on the screen, and shows what
  /// it leads to.
  mutating func revealSelection() {
    preview = nil
    progressRows = tab == .progress ? makeProgressRows() : []
    settingRows = tab == .settings ? makeSettingRows() : []
    guard let height = geometry.list?.height else { return }
    lists[tab, default: ListState()].reveal(height: height, count: list.count)
  }

  /// Takes a new place in the text.
  mutating func read(_ new: Reading) {
    if new == reading {
      if new.cursor == .last { say(messages.endOfBook) }
      if new.cursor == .first { say(messages.startOfBook) }
    }
    let isElsewhere =
      new.cursor.surah != reading.cursor.surah || new.cursor.juz != reading.cursor.juz
    reading = new
    hasBegun = true
    if isElsewhere { followReading() }
  }

  /// Shows an ayah in the text pane.
  mutating func open(_ ayah: AyahID) {
    pane = .text
    typeset()
    hasBegun = true
    jumped(to: ayah)
    reading = pager.open(ayah)
    followReading()
  }

  /// Updates the reading place and browsing after a jump to an ayah.
  mutating func jumped(to ayah: AyahID) {
    place.jump(to: ayah)
    arrived(at: ayah)
  }

  /// Back to where reading goes on; from there, to where it went on before.
  mutating func jumpBack() {
    let target = place.isLooking ? place.ayah : place.left
    if let target, target != reading.cursor || pane == .list {
      open(target)
    } else {
      say(messages.noPlaceToJumpBackTo)
    }
  }

  mutating func stepSurah(_ count: Int) {
    if pane == .list {
      select(list.state.selection + count)
    } else if let surah = SurahNumber(reading.cursor.surah.rawValue + count) {
      open(surah.firstAyah)
    } else {
      say(count > 0 ? messages.endOfBook : messages.startOfBook)
    }
  }

  /// Selects in the lists what is being read, so that going back lands there. A
  /// filter that hides it has done its work.
  private mutating func followReading() {
    if !listedSurahs.contains(reading.cursor.surah) { filter = TextField() }
    lists[.surahs, default: ListState()].selection =
      listedSurahs.firstIndex(of: reading.cursor.surah) ?? 0
    lists[.juz, default: ListState()].selection = reading.cursor.juz - 1
    revealSelection()
  }

  mutating func openSelection() -> [Effect] {
    if tab == .settings { return changeSetting() }
    if let note = selectedNote, note.deletedAt != nil {
      guard canChange() else { return [] }
      overlay = .question(.restoreNote(note.id, note.ayah))
      return []
    }
    guard let ayah = selectedAyah else { return [] }
    if tab == .search {
      markHits(at: ayah)
    } else if hasBegun, ayah == reading.cursor {
      pane = .text
      typeset()
    } else {
      open(ayah)
    }
    return []
  }

  mutating func goBack() {
    guard pane == .text else {
      if tab == .search {
        leaveSearch()
      } else if tab != .surahs {
        showTab(.surahs)
      }
      return
    }
    pane = .list
    typeset()
    showList()
  }

  /// The lists of the book's parts follow what is read; the others stay as they were.
  private mutating func showList() {
    if tab == .surahs || tab == .juz { followReading() } else { revealSelection() }
  }

  mutating func showTab(_ tab: Tab) {
    self.tab = tab
    pane = .list
    typeset()
    showList()
  }
}

extension Model.ListState {
  /// Moves `top` so that the selection is among `height` rows, and rows are not wasted.
  mutating func reveal(height: Int, count: Int) {
    selection = min(max(selection, 0), max(count - 1, 0))
    top = min(max(top, selection - height + 1), selection)
    top = max(min(top, count - height), 0)
  }
}
