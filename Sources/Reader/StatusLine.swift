import Editions
import Library
import Messages
import Terminal
import Text

// The last row of the screen.
extension Model {
  /// Draws the message, or the place and hints at the left and the edition at the right.
  func drawStatus(on canvas: inout Canvas, _ geometry: Geometry) {
    let row = geometry.status
    if let message {
      let lastRow = lastRow(of: message, geometry)
      draw(message, on: &canvas, lastRow: lastRow)
      if lastRow == row { return }
    }
    let isNarrow = size.columns < 60
    let gap = isNarrow ? "  " : "   "
    let edition = editionLabel(gap: gap)
    canvas.put(edition, row: row, column: statusWidth - edition.columns - 1, style: theme[.faint])
    let room = statusWidth - (edition.isEmpty ? 2 : edition.columns + 5)
    let left = hints.reduce("") { line, part in
      let longer = line.isEmpty ? part : line + gap + part
      return longer.columns <= room ? longer : line
    }
    let isTeaching = overlay == nil && editor == nil && lessonHints != nil
    canvas.put(left, row: row, column: 1, style: theme[isTeaching ? .message : .faint])
  }

  /// The credit at the right of the last row: the names of the translations on the page, or the
  /// name of one edition if the others do not fit beside the required hints.
  ///
  /// Every screen names an edition, or says that the bundled text is not reviewed. There are two
  /// exceptions, both for lack of room: while ayahs are selected; and on narrow screens during a
  /// lesson, in the note editor, and in a search without hits.
  private func editionLabel(gap: String) -> String {
    // In two panes, the rows of the list of hits name all editions but the current one, so the
    // credit must name that one, even if it is hidden on the page.
    let info =
      if geometry.text == nil {
        isSearchShown ? creditedEditionOfHits : edition.info
      } else {
        isSearchShown ? edition.info : creditedEdition.info
      }
    let caveat = info.isBundled ? messages.notReviewedShort : ""
    var labels = [messages.titleWithRemark(of: info), caveat, ""]
    if size.columns < 60, !caveat.isEmpty { labels.removeFirst() }
    var translations = geometry.text == nil ? [] : shownEditions.infosWithoutOriginal
    if !translations.contains(info), info.kind != .original { translations.insert(info, at: 0) }
    if translations.count > 1 {
      labels.insert(translations.map(messages.titleWithRemark(of:)).joined(separator: " · "), at: 0)
    }
    let canBeHidden =
      selection != nil
      || (lessonHints != nil || editor != nil || isSearchOpen && search.hits.isEmpty)
        && size.columns < 60
    if !canBeHidden { labels.removeAll(where: \.isEmpty) }
    let requiredHints = requiredHints
    for required in requiredHints {
      let room = statusWidth - required.joined(separator: gap).columns
      let label = labels.first { $0.isEmpty ? room >= 2 : room >= $0.columns + 5 }
      if let label { return label }
    }
    // A long title is cut, so that the first hint stays.
    let hint = requiredHints.last?.first ?? ""
    let room = statusWidth - hint.columns - 5
    return room >= 8 ? labels.last?.fitted(to: room) ?? "" : ""
  }

  /// The hints that have precedence over the name of the edition: the keys that save and cancel a
  /// note, those of the panel of several notes, of cues and of a list of actions, a lesson, on a
  /// narrow screen the keys of the search, the keys of a selection, and the state of reading. Each
  /// element is an alternative, the longest first; a shorter one is used if the edition does not
  /// fit beside a longer one.
  private var requiredHints: [[String]] {
    if editor != nil { return [Array(editorHints.prefix(2))] }
    switch overlay {
    case nil: break
    case .notes(let panel) where panel.count > 1: fallthrough
    case .cues, .palette, .menu: return (1...3).reversed().map { Array(hints.prefix($0)) }
    default: return [[]]
    }
    guard pane == .text else {
      if let lessonHints { return [lessonHints] }
      guard isSearchOpen, size.columns < 60 else { return [[]] }
      return search.hits.isEmpty ? [searchHints] : [2, 1].map { Array(searchHints.prefix($0)) }
    }
    if let selection { return [selectionHints(selection)] }
    guard let lessonHints else { return [readingHints] }
    let keys = ayahHints + lessonHints
    return [keys + readingStateHints, keys]
  }

  var closeHint: String { "\(key(.close, in: .overlay)) \(messages.hintClose)" }

  /// The hints of the screen or overlay.
  var hints: [String] {
    if editor != nil { return editorHints }
    if case .notes(let panel) = overlay { return hints(of: panel) }
    switch overlay {
    case .footnotes: return [closeHint]
    case .cues(let isSetting): return cueHints(isSetting: isSetting)
    case .palette, .menu: return actionListHints
    default: break
    }
    let own = pane == .text ? textHints : listHints
    guard let lesson = lessonHints else { return own }
    // In the text, the ayah comes first. A key that the lesson names is not repeated.
    let first = pane == .text ? own.prefix(selection == nil ? ayahHints.count : 1) : []
    let keysOfLesson = Set(lesson.map { $0.prefix { $0 != " " } })
    return first + lesson
      + own.dropFirst(first.count).filter { !keysOfLesson.contains($0.prefix { $0 != " " }) }
  }

  /// The part of the corner that says that the cursor is not at the place where reading continues,
  /// and where this is; empty if the cursor is there. On a narrow screen, the keys of the search, a
  /// note or a selection need the columns.
  private var placeCorner: String {
    guard place.isJumpPending, let ayah = place.ayah else { return "" }
    if size.columns >= 60 { return messages.readingPlace("\(ayah)") }
    if geometry.note != nil || selection != nil || isSearchOpen { return "" }
    return syncCorner.text.isEmpty ? messages.elsewhere : messages.elsewhereShort
  }

  /// The number of columns of the last row that the corner leaves free.
  var statusWidth: Int {
    let corners = [downloadCorner, placeCorner, syncCorner.text].filter { !$0.isEmpty }
    return max(corners.reduce(size.columns) { $0 - $1.columns - 2 }, 0)
  }

  func drawCorner(on canvas: inout Canvas, _ geometry: Geometry) {
    let row = geometry.status
    var column = statusWidth
    canvas.fill(row: row, columns: column..<size.columns, style: theme[.text])
    let (text, isTrouble) = syncCorner
    let corners: [(String, TextRole)] = [
      (downloadCorner, .faint), (placeCorner, .text), (text, isTrouble ? .error : .faint),
    ]
    for (text, role) in corners where !text.isEmpty {
      canvas.put(text, row: row, column: column + 1, style: theme[role])
      column += text.columns + 2
    }
  }
}
