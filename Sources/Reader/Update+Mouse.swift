import Library
import Quran
import Terminal
import Text

struct Click: Hashable {
  var mouse: Mouse
  var time: Int64
}

// Handling the mouse: the wheel scrolls, a click selects, a double click opens a row or toggles the
// favourite, and the right button opens the menu of an ayah.
extension Model {
  /// The time within which two clicks on one spot are a double click, in milliseconds.
  private static let doubleClick: Int64 = 400

  private static let wheelRows = 3

  mutating func handle(_ mouse: Mouse) -> [Effect] {
    if isShowingDraftOffer { withdrawDraftOffer() }
    message = nil
    input.count = nil
    defer { showOffers() }
    let isDouble =
      input.lastClick.map { $0.mouse == mouse && (0...Self.doubleClick).contains(now - $0.time) }
      ?? false
    input.lastClick = mouse.button == .left && !isDouble ? Click(mouse: mouse, time: now) : nil
    if let overlay, overlay != .filter { return handle(mouse, over: overlay) }
    if editor != nil {
      handleEditor(mouse)
      return []
    }
    if let area = geometry.text, area.contains(mouse) {
      return handle(mouse, inText: area, isDouble: isDouble)
    } else if let area = geometry.list, area.contains(mouse) {
      return handle(mouse, inList: area, isDouble: isDouble)
    } else if mouse.row == 0, mouse.button == .left {
      return handleTopRowClick(mouse)
    } else if geometry.listHeading?.contains(mouse) == true, mouse.button == .left {
      handleHeadingClick()
    }
    return []
  }

  mutating func handle(_ mouse: Mouse, over overlay: Overlay) -> [Effect] {
    let wheel = mouse.button == .wheelUp ? -1 : mouse.button == .wheelDown ? 1 : 0
    if case .page(let page, let top) = overlay {
      self.overlay = wheel == 0 ? nil : .page(page, top + wheel * Self.wheelRows)
      revealOverlay()
      return []
    }
    if case .notes(var panel) = overlay, wheel != 0 {
      panel.top += wheel * Self.wheelRows
      scroll(panel)
      return []
    }
    if case .footnotes(var panel) = overlay, wheel != 0 {
      panel.top += wheel * Self.wheelRows
      scroll(panel)
      return []
    }
    guard let box = actionListArea, let (actions, state) = actionList else {
      let isOnNote = geometry.note?.contains(mouse) == true
      if mouse.button == .left, !isOnNote { closeOverlay() }
      return []
    }
    if wheel != 0 {
      moveActionSelection(by: wheel)
    } else if mouse.button == .left {
      let row = state.top + mouse.row - box.row
      guard box.contains(mouse) else {
        self.overlay = nil
        return []
      }
      guard actions.indices.contains(row) else { return [] }
      selectAction(at: row)
      return performSelectedAction()
    }
    return []
  }

  private mutating func handleTopRowClick(_ mouse: Mouse) -> [Effect] {
    if let tab = tabSpans.first(where: { $0.columns.contains(mouse.column) })?.tab {
      return perform(tab.action)
    } else if pane == .text, !geometry.isTwoPane {
      goBack()
    }
    return []
  }

  /// Moves the cursor of the editor to a click, or by some rows with the wheel.
  mutating func handleEditor(_ mouse: Mouse) {
    guard let area = geometry.note, var editor else { return }
    switch mouse.button {
    case .wheelUp, .wheelDown:
      let step = mouse.button == .wheelUp ? -Self.wheelRows : Self.wheelRows
      let row = min(max(editor.area.cursor.row + step, 0), editor.area.rowCount - 1)
      editor.area.moveCursor(toRow: row, column: editor.area.cursor.column)
    case .left where area.contains(mouse) && mouse.row > area.row:
      editor.area.moveCursor(
        toRow: editor.top + mouse.row - area.row - 1, column: mouse.column - area.column - 2)
    default: return
    }
    editor.reveal(height: noteRows)
    self.editor = editor
  }

  /// Opens the filter, or the place where reading continues, after a click on the line above the
  /// list.
  private mutating func handleHeadingClick() {
    guard [.surahs, .juz, .settings].contains(tab) else { return }
    if tab == .surahs, overlay == .filter || !lists.filter.isEmpty {
      overlay = .filter
    } else {
      open(placeToContinue ?? position.cursor)
    }
  }

  mutating func handle(
    _ mouse: Mouse, inText area: Geometry.Area, isDouble: Bool
  ) -> [Effect] {
    switch mouse.button {
    case .wheelUp, .wheelDown:
      let count = mouse.button == .wheelUp ? -Self.wheelRows : Self.wheelRows
      if pane == .list {
        lists.preview = pager.scroll(shownPosition, by: count)
      } else {
        move(by: count) { $0.scroll($1, by: count) }
      }
    case .left, .right:
      let shown = shownPosition
      let row = mouse.row - area.row
      guard
        let ayah = pager.ayah(atRow: row, column: mouse.column - area.column, of: shown)
      else { return [] }
      pane = .text
      overlay = nil
      lists.preview = nil
      // Clicking an ayah does not count those before it as read.
      if ayah != position.cursor { recordJump(to: ayah) }
      setPosition(TextPosition(cursor: ayah, top: shown.top))
      if mouse.button == .right { overlay = .menu(ListState()) }
      if isDouble { return toggleFavorite() }
    case .middle:
      break
    }
    return []
  }

  mutating func handle(
    _ mouse: Mouse, inList area: Geometry.Area, isDouble: Bool
  ) -> [Effect] {
    switch mouse.button {
    case .wheelUp, .wheelDown:
      focusList()
      select(list.state.selection + (mouse.button == .wheelUp ? -Self.wheelRows : Self.wheelRows))
    case .left:
      let row = list.state.top + mouse.row - area.row
      guard row < list.count else { return [] }
      focusList()
      select(row)
      guard isDouble else { return [] }
      overlay = nil
      return openSelection()
    case .right, .middle:
      break
    }
    return []
  }
}
