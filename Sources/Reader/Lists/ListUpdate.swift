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
      case .notes: lists.notes?.count ?? 0
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
      return selectedNote?.ayah
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
    var row = min(max(row, 0), max(list.count - 1, 0))
    // A blank row is passed over.
    if tab == .settings, settings.rows.indices.contains(row), settings.rows[row] == .gap {
      row += row < lists[tab].selection ? -1 : 1
    }
    lists[tab].selection = row
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
  }

  mutating func openSelection() -> [Effect] {
    if tab == .settings { return changeSetting() }
    if tab == .texts { return performOnText(.useText) }
    if let note = selectedNote, note.deletedAt != nil {
      guard canChange() else { return [] }
      overlay = .question(.restoreNote(note.id, note.ayah))
      return []
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

  /// Goes from the text to the list from which it was opened, or leaves the list.
  mutating func goBack() {
    guard pane == .text else { return leaveList() }
    // Otherwise the text and the list would lead to each other.
    if tab != .search { lists.origin = nil }
    show(tab)
  }

  /// Returns to where the list was opened, or else to the list of surahs.
  mutating func leaveList() {
    let origin = lists.origin
    guard origin != nil || tab != .surahs else { return }
    lists.origin = nil
    show(origin?.tab ?? .surahs)
    guard origin?.pane == .text else { return }
    pane = .text
    typeset()
  }

  /// Updates the list after it is opened: the lists of surahs and juz select the ayah under the
  /// cursor, and the other lists keep their selection.
  private mutating func showList() {
    if tab == .surahs || tab == .juz { selectPositionInLists() } else { revealSelection() }
  }

  /// Shows a list. From a list that was opened in the text, `leaveList` returns to the text; from the
  /// search also to another list.
  mutating func showTab(_ tab: Tab) {
    if pane == .text || tab == .search && self.tab != .search {
      lists.origin = ListOrigin(tab: self.tab, pane: pane)
    }
    show(tab)
  }

  private mutating func show(_ tab: Tab) {
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
