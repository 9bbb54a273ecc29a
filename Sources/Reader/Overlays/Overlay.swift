import Library
import Messages
import Quran
import Sync
import Terminal

/// A part of the screen that lies over the others and receives the keys.
enum Overlay: Hashable {
  case goTo(TextField)
  case filter
  case command(TextField, Completion?)
  case palette(TextField, ListState)
  /// The actions that can be performed on an ayah.
  case menu(ListState)
  /// The notes of an ayah.
  case notes(NotesPanel)
  /// The footnotes of an ayah.
  case footnotes(FootnotesPanel)
  /// The nine cues, to jump to one or to set one.
  case cues(isSetting: Bool)
  case question(Question)
  /// The page on which the user chooses how Arabic is shown.
  case arabicDisplay
  /// A page, and the index of the first of its rows that is shown.
  case page(OverlayPage, Int)

  /// Whether it is a panel that takes its rows from the text above it.
  var isBelowText: Bool {
    switch self {
    case .notes, .footnotes: true
    case .goTo, .filter, .command, .palette, .menu, .cues, .question, .arabicDisplay, .page: false
    }
  }
}

extension Model {
  /// Handles a key while an overlay is open.
  mutating func handleOverlay(_ key: Key) -> [Effect] {
    guard let overlay else { return [] }
    if KeyContext.overlay.action(for: key) == .close {
      if overlay == .filter { cancelFilter() }
      closeOverlay()
      return []
    }
    switch overlay {
    case .goTo(let field): handleGoTo(key, field)
    case .filter: return handleFilter(key)
    case .notes(let panel): return handleNotesPanel(key, panel)
    case .footnotes(let panel): return handleFootnotes(key, panel)
    case .cues(let isSetting): handleCues(key, isSetting: isSetting)
    case .question(let question): return handleQuestion(key, question)
    case .command(let field, let completion): return handleCommandLine(key, field, completion)
    case .palette(let field, let state): return handlePalette(key, field, state)
    case .menu: return handleMenu(key)
    case .arabicDisplay: handleArabicDisplay(key)
    case .page(let page, let top): return handlePage(key, page, top)
    }
    return []
  }

  /// Closes the overlay. A panel below the text that was opened from a list returns to that list.
  mutating func closeOverlay() {
    if overlay?.isBelowText == true { returnToList() }
    overlay = nil
    typeset()
    revealSelection()
  }

  /// Scrolls the overlay so that its selection is visible and it shows as many rows as fit.
  mutating func revealOverlay() {
    switch overlay {
    case .palette(let field, var state):
      reveal(&state)
      overlay = .palette(field, state)
    case .menu(var state):
      reveal(&state)
      overlay = .menu(state)
    case .page(let page, let top):
      let rows = PageRows(page, model: self)
      overlay = .page(page, max(min(top, rows.rowCount - rows.height), 0))
    case .goTo, .filter, .command, .notes, .footnotes, .cues, .question, .arabicDisplay, nil: break
    }
  }

  func drawOverlay(on canvas: inout Canvas, _ geometry: Geometry) {
    switch overlay {
    case nil, .filter, .notes, .footnotes: break
    case .cues(let isSetting): drawCues(isSetting: isSetting, on: &canvas)
    case .question(let question): draw(question, on: &canvas, geometry)
    case .goTo(let field): drawGoTo(field, on: &canvas, geometry)
    case .command(let field, let completion):
      drawCommand(field, completion, on: &canvas, geometry)
    case .palette(let field, _): drawActionList(messages.paletteTitle, field: field, on: &canvas)
    case .menu:
      drawActionList("\(messages.menuTitle) · \(position.cursor)", field: nil, on: &canvas)
    case .arabicDisplay: drawArabicDisplay(on: &canvas)
    case .page(let page, let top): draw(page, top, on: &canvas)
    }
  }

  /// Draws an empty frame with a title around the rows of a box.
  func drawFrame(
    _ title: String, rows: Range<Int>, _ box: Geometry.Area, on canvas: inout Canvas
  ) {
    let left = box.column - 2
    let right = box.column + box.width + 1
    let style = theme[.rule]
    let line = String(repeating: "─", count: right - left - 1)
    canvas.put("┌\(line)┐", row: rows.lowerBound - 1, column: left, style: style)
    canvas.put(
      " \(title.fitted(to: box.width - 2)) ", row: rows.lowerBound - 1, column: left + 2,
      style: theme[.title])
    for row in rows {
      canvas.fill(row: row, columns: left..<(right + 1), style: theme[.text])
      canvas.put("│", row: row, column: left, style: style)
      canvas.put("│", row: row, column: right, style: style)
    }
    canvas.put("└\(line)┘", row: rows.upperBound, column: left, style: style)
    canvas.cursor = nil
  }
}
