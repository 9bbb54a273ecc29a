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
    let isDouble =
      lastClick.map { $0.mouse == mouse && time - $0.time <= Self.doubleClick } ?? false
    lastClick = mouse.button == .left && !isDouble ? Click(mouse: mouse, time: time) : nil
    if let overlay, overlay != .filter { return handle(mouse, over: overlay) }
    if let area = geometry.text, area.contains(mouse) {
      handle(mouse, inText: area)
    } else if let area = geometry.list, area.contains(mouse) {
      handle(mouse, inList: area, isDouble: isDouble)
    } else if mouse.row == 0, mouse.button == .left {
      clickTop(mouse)
    } else if geometry.listHeading?.contains(mouse) == true, mouse.button == .left {
      clickHeading()
    }
    return []
  }

  private mutating func handle(_ mouse: Mouse, over overlay: Overlay) -> [Effect] {
    let wheel = mouse.button == .wheelUp ? -1 : mouse.button == .wheelDown ? 1 : 0
    if case .help(let top) = overlay {
      self.overlay = wheel == 0 ? nil : .help(top + wheel * Self.wheelRows)
      revealOverlay()
      return []
    }
    guard let box = offeredBox, let (actions, state) = offered else {
      if mouse.button == .left { self.overlay = nil }
      return []
    }
    if wheel != 0 {
      moveOffered(by: wheel)
    } else if mouse.button == .left {
      let row = state.top + mouse.row - box.row
      guard box.contains(mouse) else {
        self.overlay = nil
        return []
      }
      guard actions.indices.contains(row) else { return [] }
      selectOffered(row)
      return performOffered()
    }
    return []
  }

  private mutating func clickTop(_ mouse: Mouse) {
    if let tab = tabSpans.first(where: { $0.columns.contains(mouse.column) })?.tab {
      if tab == .search { openSearch() } else { showTab(tab) }
    } else if pane == .text, !geometry.isTwoPane {
      goBack()
    }
  }

  /// The line above the list: where reading goes on, or what the list is filtered by.
  private mutating func clickHeading() {
    guard tab != .search else { return }
    if tab == .surahs, !filter.isEmpty {
      overlay = .filter
    } else {
      open(reading.cursor)
    }
  }

  private mutating func handle(_ mouse: Mouse, inText area: Geometry.Area) {
    switch mouse.button {
    case .wheelUp, .wheelDown:
      let count = mouse.button == .wheelUp ? -Self.wheelRows : Self.wheelRows
      if pane == .list {
        preview = pager.scroll(shownReading, by: count)
      } else {
        read(pager.scroll(reading, by: count))
      }
    case .left, .right:
      let shown = shownReading
      let row = mouse.row - area.row
      guard
        let ayah = pager.ayah(atRow: row, column: mouse.column - area.column, of: shown)
      else { return }
      pane = .text
      overlay = nil
      preview = nil
      read(Reading(cursor: ayah, top: shown.top))
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
      guard isDouble else { return }
      overlay = nil
      openSelection()
    case .right, .middle:
      break
    }
  }
}
