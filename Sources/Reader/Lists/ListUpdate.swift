import Library
import Quran

// Selecting rows of the lists, and opening them.
extension Model {
  /// The list on the screen, and its number of rows.
  var list: (state: ListState, count: Int) {
    let count =
      switch tab {
      case .surahs: listedSurahs.count
      case .juz: Division.juz.count
      case .favorites: libraryState.favorites.count
      case .notes: listedDrafts.count + (lists.notes?.count ?? 0)
      case .search: search.rowCount
      case .progress: progress.rows.count
      case .settings: settings.rows.count
      case .texts: texts.rows.count
      }
    return (lists[tab], count)
  }

  /// The ayah that the selected row opens; nil if it opens none.
  var selectedAyah: AyahID? {
    let row = list.state.selection
    switch tab {
    case .surahs:
      let surahs = listedSurahs
      return surahs.indices.contains(row) ? place(in: surahs[row]) : nil
    case .juz:
      guard let ayahs = Division.juz.ayahs(of: row + 1) else { return nil }
      return placesShown.first { ayahs.contains($0) } ?? ayahs.lowerBound
    case .favorites:
      let favorites = libraryState.favorites
      return favorites.indices.contains(row) ? favorites[row].ayah : nil
    case .notes:
      return selectedDraft?.ayah ?? selectedNote?.ayah
    case .search:
      return search.target(row)
    case .progress:
      guard progress.rows.indices.contains(row), case .surah(let surah) = progress.rows[row] else {
        return hasOpenedAyah ? placeToContinue : nil
      }
      return place(in: surah)
    case .settings, .texts:
      return nil
    }
  }

  /// The ayah under the cursor and the ayah where reading continues; empty if no ayah was ever
  /// opened.
  private var placesShown: [AyahID] {
    hasOpenedAyah ? [position.cursor, place.ayah ?? position.cursor] : []
  }

  /// Returns the ayah at which a surah is opened: the one under the cursor or the one where reading
  /// continues if it is in the surah, else the one after the last read, else the first.
  func place(in surah: SurahNumber) -> AyahID {
    if let ayah = placesShown.first(where: { $0.surah == surah }) { return ayah }
    let last = libraryState.shown.lastReadAyah(of: surah)
    return last < surah.ayahCount ? surah.ayah(clamping: last + 1) : surah.firstAyah
  }

  mutating func select(_ row: Int) {
    let row = min(max(row, 0), max(list.count - 1, 0))
    lists[tab].selection =
      tab == .settings ? settings.selectableRow(for: row, after: lists[tab].selection) : row
    revealSelection()
  }

  /// Scrolls the list so that the selected row is visible, ends the preview in the text pane, and
  /// rebuilds the rows of the progress and settings screens.
  mutating func revealSelection() {
    lists.preview = nil
    progress.rows = tab == .progress ? makeProgressRows() : []
    settings.rows = tab == .settings ? makeSettingRows() : []
    guard let height = geometry.list?.height else { return }
    lists[tab].reveal(height: height, count: list.count)
    guard tab == .settings else { return }
    // The whole of a fact is shown.
    let row = settings.selectableRow(for: lists[tab].selection, after: 0)
    lists[tab].selection = row
    let last = settings.wholeRow(at: row).upperBound
    lists[tab].top = min(max(lists[tab].top, last - height + 1), row)
  }

  mutating func openSelection() -> [Effect] {
    if tab == .settings { return changeSetting() }
    if tab == .texts { return performOnText(.useText) }
    if let note = selectedNote, note.deletedAt != nil {
      guard canChange() else { return [] }
      overlay = .question(.restoreNote(note.id, note.ayah))
      return []
    }
    // In a library that cannot be changed, an unfinished note is not continued, only read.
    if let draft = selectedDraft, libraryState.refusal != nil {
      return openNote(draft.id, of: draft.ayah)
    }
    if tab == .search { return openSearchRow(lists[.search].selection) }
    guard let ayah = selectedAyah else {
      return tab == .surahs && !lists.filter.isEmpty ? searchForFilter() : []
    }
    if hasOpenedAyah, ayah == position.cursor {
      pane = .text
      typeset()
    } else {
      open(ayah)
    }
    return []
  }

  /// Goes from the text to the list of its tab, from the search to where it was opened, or from
  /// another list to that of surahs.
  mutating func goBack() {
    if pane == .text {
      focusList()
      typeset()
      showList()
    } else if tab == .search {
      leaveList()
    } else if tab != .surahs {
      switchToList(.surahs)
    }
  }

  /// Moves the focus from the text to the list of its tab. Esc in that list does not return to the
  /// text, except in the search.
  mutating func focusList() {
    if pane == .text, tab != .search { lists.textOrigin = nil }
    pane = .list
  }

  /// Returns to where the user came from: from the search to the list in which it was opened,
  /// otherwise to the text that the user left for the lists. If there is neither, shows the list of
  /// surahs.
  mutating func leaveList() {
    if tab == .search, let list = lists.searchOrigin {
      lists.searchOrigin = nil
      switchToList(list)
    } else if let tab = lists.textOrigin {
      lists.textOrigin = nil
      switchToList(tab)
      pane = .text
      typeset()
    } else if tab != .surahs {
      switchToList(.surahs)
    }
  }

  /// Updates the list after it is opened: the lists of surahs and juz select the ayah under the
  /// cursor, and the other lists keep their selection.
  private mutating func showList() {
    if tab == .surahs || tab == .juz { selectPositionInLists() } else { revealSelection() }
  }

  /// Shows a list, and stores where it was opened, so that `leaveList` can return there.
  mutating func showTab(_ tab: Tab) {
    if pane == .text { lists.textOrigin = self.tab }
    if tab != .search || pane == .text {
      lists.searchOrigin = nil
    } else if self.tab != .search {
      lists.searchOrigin = self.tab
    }
    switchToList(tab)
  }

  private mutating func switchToList(_ tab: Tab) {
    // The filter may be open, if a tab was clicked.
    if overlay == .filter { overlay = nil }
    self.tab = tab
    pane = .list
    typeset()
    showList()
  }

  /// Selects the ayah under the cursor in the lists of surahs and juz, and clears a filter that
  /// hides its surah.
  mutating func selectPositionInLists() {
    if !listedSurahs.contains(position.cursor.surah) { lists.filter = TextField() }
    lists[.surahs].selection =
      listedSurahs.firstIndex(of: position.cursor.surah) ?? 0
    lists[.juz].selection = position.cursor.juz - 1
    revealSelection()
  }
}
