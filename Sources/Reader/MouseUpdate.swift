import Quran
import Terminal
import Words

// What the mouse does: the wheel scrolls what it is over, a click selects, a
// double click opens, the right button offers what can be done with an ayah.
extension Model {
  /// Two clicks on one spot within this time are a double click, in milliseconds.
  private static let doubleClick = 400
  private static let wheelRows = 3

  mutating func handle(_ mouse: Mouse, at time: Int) -> [Effect] {
    message = nil
    if let overlay {
      if case .help = overlay, mouse.button == .wheelUp || mouse.button == .wheelDown {
        return handleOverlay(Key(mouse.button == .wheelUp ? .up : .down))
      }
      if mouse.button == .left, overlay != .filter { self.overlay = nil }
      return []
    }
    let isDouble =
      lastClick.map { $0.mouse == mouse && time - $0.time <= Self.doubleClick } ?? false
    lastClick = mouse.button == .left && !isDouble ? Click(mouse: mouse, time: time) : nil
    if let area = geometry.text, area.contains(mouse) {
      handle(mouse, inText: area)
    } else if let area = geometry.list, area.contains(mouse) {
      handle(mouse, inList: area, isDouble: isDouble)
    } else if mouse.row == 0, mouse.button == .left {
      if let tab = tabSpans.first(where: { $0.columns.contains(mouse.column) })?.tab {
        showTab(tab)
      } else if pane == .text, !geometry.isTwoPane {
        return perform(.back)
      }
    } else if geometry.listHeading?.contains(mouse) == true, mouse.button == .left,
      tab != .search
    {
      open(reading.cursor)
    }
    return []
  }

  private mutating func handle(_ mouse: Mouse, inText area: Geometry.Area) {
    switch mouse.button {
    case .wheelUp, .wheelDown:
      let count = mouse.button == .wheelUp ? -Self.wheelRows : Self.wheelRows
      if pane == .list { openSelection() }
      read(pager.scroll(reading, by: count))
    case .left, .right:
      let shown = shownReading
      let row = mouse.row - area.row
      guard
        let ayah = pager.ayah(atRow: row, column: mouse.column - area.column, of: shown)
      else { return }
      pane = .text
      reading = Reading(cursor: ayah, top: shown.top)
      hasBegun = true
      if mouse.button == .right { overlay = .menu(ListState()) }
    case .middle:
      break
    }
  }

  private mutating func handle(_ mouse: Mouse, inList area: Geometry.Area, isDouble: Bool) {
    switch mouse.button {
    case .wheelUp, .wheelDown:
      pane = .list
      select(list.state.selection + (mouse.button == .wheelUp ? -Self.wheelRows : Self.wheelRows))
    case .left:
      let row = list.state.top + mouse.row - area.row
      guard row < list.count else { return }
      pane = .list
      select(row)
      if isDouble { openSelection() }
    case .right, .middle:
      break
    }
  }
}
