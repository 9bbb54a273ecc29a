import Library
import Quran

// Selecting in the lists, and opening what is selected.
extension Model {
  /// The list on the screen and how many rows it has.
  var list: (state: ListState, count: Int) {
    let count =
      switch tab {
      case .surahs: listedSurahs.count
      case .juz: Division.juz.count
      case .favorites: libraryState.favorites.count
      case .notes: noteList?.count ?? 0
      case .search: search.rowCount
      case .progress: progressRows.count
      case .settings: settingRows.count
      }
    return (lists[tab] ?? ListState(), count)
  }

  /// The place that the selected row of the list leads to.
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
      guard progressRows.indices.contains(row), case .surah(let surah) = progressRows[row] else {
        return hasBegun ? nextPlace : nil
      }
      return place(in: surah)
    case .settings:
      return nil
    }
  }

  /// What the text shows, and where reading goes on.
  private var placesShown: [AyahID] {
    hasBegun ? [reading.cursor, place.ayah ?? reading.cursor] : []
  }

  /// Where a surah is opened: where it is being read, or was read to, else its start.
  func place(in surah: SurahNumber) -> AyahID {
    if let ayah = placesShown.first(where: { $0.surah == surah }) { return ayah }
    let last = libraryState.shown.lastReadAyah(of: surah)
    return last < surah.ayahCount ? surah.ayah(clamping: last + 1) : surah.firstAyah
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

  /// Selects in the lists what is being read, so that going back lands there. A
  /// filter that hides it has done its work.
  mutating func followReading() {
    if !listedSurahs.contains(reading.cursor.surah) { filter = TextField() }
    lists[.surahs, default: ListState()].selection =
      listedSurahs.firstIndex(of: reading.cursor.surah) ?? 0
    lists[.juz, default: ListState()].selection = reading.cursor.juz - 1
    revealSelection()
  }
}
