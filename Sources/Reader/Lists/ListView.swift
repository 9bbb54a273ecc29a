import Editions
import Library
import Messages
import Quran
import Terminal
import Text

extension Model {
  func drawList(on canvas: inout Canvas, _ area: Geometry.Area, _ geometry: Geometry) {
    drawListHeading(on: &canvas, geometry)
    let (state, count) = list
    if count == 0 {
      let text = emptyListText
      for (line, row) in wrapped(text, width: area.width - 2).enumerated() where line < area.height
      {
        canvas.put(row, row: area.row + line, column: 1, style: theme[.faint])
      }
      return
    }
    let surahs = listedSurahs
    let selected =
      tab == .settings
      ? settings.wholeRow(at: state.selection) : state.selection...state.selection
    for line in 0..<max(0, min(area.height, count - state.top)) {
      let index = state.top + line
      let row = area.row + line
      switch tab {
      case .surahs: draw(surahs[index].surah, on: &canvas, row: row, width: area.width)
      case .juz: drawJuz(index + 1, on: &canvas, row: row, width: area.width)
      case .favorites: drawFavorite(index, on: &canvas, row: row, width: area.width)
      case .notes: drawNote(index, on: &canvas, row: row, width: area.width)
      case .search: drawSearchRow(index, on: &canvas, row: row, width: area.width)
      case .progress: drawProgress(index, on: &canvas, row: row, width: area.width)
      case .settings: drawSetting(index, on: &canvas, row: row, width: area.width)
      case .texts: drawTextRow(index, on: &canvas, row: row, width: area.width)
      }
      guard selected.contains(index) else { continue }
      if index == state.selection { canvas.put("▸", row: row, column: 0, style: theme[.bar]) }
      if pane == .list {
        let selection = theme[.selection]
        canvas.restyle(row: row, columns: 0..<area.width) { style in
          guard style != theme[.hit] else { return }
          style = selection
        }
      }
    }
  }

  /// Draws the line above the list: a field, a count, the progress, or the place where reading
  /// continues.
  private func drawListHeading(on canvas: inout Canvas, _ geometry: Geometry) {
    guard let area = geometry.listHeading else { return }
    switch tab {
    case .search: drawSearchHeading(on: &canvas, area)
    case .surahs where overlay == .filter || !lists.filter.isEmpty: drawFilter(on: &canvas, area)
    case .favorites:
      drawCount(messages.favoriteCount(libraryState.favorites.count), on: &canvas, area)
    case .notes:
      let drafts = listedDrafts.count
      let count = messages.noteCount(libraryState.shown.noteCount)
      drawCount(
        drafts == 0 ? count : "\(count) · \(messages.unfinishedCount(drafts))", on: &canvas, area)
    case .progress: drawOverall(on: &canvas, area)
    case .texts: drawTextsHeading(on: &canvas, area)
    default: drawContinue(on: &canvas, area)
    }
  }

  private func drawCount(_ text: String, on canvas: inout Canvas, _ area: Geometry.Area) {
    canvas.put(text, row: area.row, column: 1, style: theme[.title])
  }

  /// Draws the place where reading continues, and how much of its surah is read.
  private func drawContinue(on canvas: inout Canvas, _ area: Geometry.Area) {
    let ayah = placeToContinue ?? position.cursor
    let used = canvas.put(
      (placeToContinue == nil ? messages.startReading : messages.continueReading) + "  ▸ ",
      row: area.row,
      column: 1,
      style: theme[.faint])
    var room = area.width - used - 2
    let last = libraryState.shown.lastReadAyah(of: ayah.surah)
    if last > 0 {
      let percent = "\(last * 100 / ayah.surah.ayahCount) %"
      let columns = min(max(room - 40, 0), 20)
      let bar = Self.bar(last, of: ayah.surah.ayahCount, columns: columns)
      let right = bar.isEmpty ? percent : "\(bar) \(percent)"
      canvas.put(
        right, row: area.row, column: area.width - right.columns - 1, style: theme[.mark])
      room -= right.columns + 2
    }
    canvas.put(
      "\(ayah) \(ayah.surah.surah.names)".fitted(to: room), row: area.row, column: 1 + used,
      style: theme[.title])
  }

  private var emptyListText: String {
    switch tab {
    case .surahs:
      messages.noSurahNamed(
        lists.filter.text.fitted(to: 60),
        clear: overlay == .filter ? key(.close, in: .overlay) : key(.escape),
        search: overlay == .filter ? key(.submit, in: .listPrompt) : openKey)
    case .juz, .progress, .settings: ""
    case .texts: messages.loading
    case .favorites: libraryState.isOpen ? messages.noFavorites(key(.favorite)) : libraryMessage
    case .notes: lists.notes == nil ? libraryMessage : messages.noNotesYet(key(.newNote))
    case .search:
      if search.query.isEmpty {
        search.query.onlyExcludes ? messages.nothingToSearchFor : messages.searchHint
      } else {
        isOpening ? libraryMessage : isSearchIncomplete ? messages.indexing : nothingFound
      }
    }
  }

  private var nothingFound: String {
    if let failure = search.referenceFailure { return messages.explain(failure) }
    let text = search.field.text.fitted(to: 60)
    guard search.hiddenCount == 0 else {
      return messages.noHitsInFilter(
        text, others: search.hiddenCount,
        key: key(search.chosenSurah == nil ? .nextFilter : .leave, in: .search))
    }
    let message = messages.noHits(text, similar: search.suggestion)
    guard search.suggestion != nil else { return message }
    return message + " " + messages.searchSuggestion(key(.submit, in: .search))
  }

  /// The reason why nothing of the library is shown.
  private var libraryMessage: String {
    libraryState.refusal.map(messages.explain) ?? messages.loading
  }

  /// Draws the row of a favourite or a note: the number of its ayah, the beginning of its text and,
  /// if there is room, the name of the surah and the day.
  func drawEntry(
    _ ayah: AyahID, _ text: String, _ time: Int64, on canvas: inout Canvas, _ row: Int,
    _ width: Int
  ) {
    canvas.put("\(ayah)", row: row, column: 2, style: theme[.number])
    var column = 10
    if width >= 50 {
      canvas.put(
        ayah.surah.surah.transliteration.fitted(to: 15), row: row, column: column,
        style: theme[.faint])
      column += 16
    }
    var end = width - 1
    if width >= 70 {
      end -= 12
      canvas.put(
        Day(containing: time).description, row: row, column: end + 2, style: theme[.faint])
    }
    // Only the part of a long text that can be shown is measured.
    let start = String(text.prefix(max(end - column, 0) + 1))
    canvas.put(start.fitted(to: end - column), row: row, column: column, style: theme[.text])
  }

  // MARK: Hints

  /// The hints of the list on the screen.
  var listHints: [String] {
    switch tab {
    case .surahs: surahListHints
    case .juz: juzListHints
    case .favorites: favoriteListHints
    case .notes: noteListHints
    case .search: searchHints
    case .progress: progressHints
    case .settings: settingsHints
    case .texts: textsHints
    }
  }

  /// The hint of the key that opens the selected row; empty if the list is empty.
  var readHints: [String] { list.count > 0 ? ["\(openKey) \(messages.hintRead)"] : [] }
  var helpHint: String { "\(key(.help)) \(messages.hintHelp)" }
  var goToHint: String { "\(key(.goTo)) \(messages.hintGoTo)" }
}
