import Messages
import Terminal
import Text

// The list of actions that the palette and the menu of an ayah show.
extension Model {
  /// The actions that the palette or the menu shows, and its selection.
  var actionList: (actions: [Action], state: ListState)? {
    switch overlay {
    case .palette(let field, let state): (paletteActions(field.text), state)
    case .menu(let state): (Self.menuActions, state)
    default: nil
    }
  }

  /// Returns the reason why an action cannot be performed now, as a sentence; nil if it can.
  func obstacle(to action: Action) -> String? {
    switch action {
    case .favorite, .newNote, .editNote, .externalEditor, .deleteNote, .nextNote, .previousNote,
      .footnotes, .setCue, .copy, .copyLink:
      targetAyah == nil ? messages.openAyahFirst : nil
    case .restart: (targetAyah ?? selectedAyah) == nil ? messages.openAyahFirst : nil
    // In a list, nothing would show what is selected or has been read.
    case .select, .markRead: pane == .list ? messages.openAyahFirst : nil
    case .nextHit, .previousHit:
      search.highlighted == nil ? messages.noHighlightedHits(key(.search)) : nil
    default: nil
    }
  }

  /// Performs the selected action, if there is one.
  mutating func performSelectedAction() -> [Effect] {
    guard let (actions, state) = actionList, actions.indices.contains(state.selection) else {
      return []
    }
    overlay = nil
    return perform(actions[state.selection])
  }

  mutating func moveActionSelection(by count: Int) {
    guard let state = actionList?.state else { return }
    selectAction(at: state.selection + count)
  }

  mutating func selectAction(at row: Int) {
    guard var state = actionList?.state else { return }
    state.selection = row
    reveal(&state)
    switch overlay {
    case .palette(let field, _): overlay = .palette(field, state)
    case .menu: overlay = .menu(state)
    default: break
    }
  }

  func reveal(_ state: inout ListState) {
    guard let box = actionListArea, let count = actionList?.actions.count else { return }
    state.reveal(height: box.height, count: count)
  }

  /// The keys of the palette or the menu.
  var actionListHints: [String] {
    let (up, down, run) =
      if case .palette = overlay {
        (
          key(.up, in: .listPrompt), key(.down, in: .listPrompt),
          key(PromptAction.submit, in: .listPrompt)
        )
      } else {
        (key(.up), key(.down), openKey)
      }
    return [
      "\(run) \(messages.hintRun)", closeHint, "\(up) \(down) \(messages.hintSelect)",
    ]
  }

  /// The area of the rows of the palette or the menu, without its field and frame.
  var actionListArea: Geometry.Area? {
    guard let (actions, _) = actionList else { return nil }
    let fieldRows = if case .palette = overlay { 1 } else { 0 }
    let height = min(max(actions.count, 1), max(size.rows - 3 - fieldRows, 1))
    let width = min(size.columns - 4, 56)
    return Geometry.Area(
      row: max((size.rows - height - fieldRows - 2) / 2, 0) + 1 + fieldRows,
      column: max((size.columns - width) / 2, 0), height: height, width: width)
  }

  /// Draws the actions with their keys in a box in the middle of the screen.
  func drawActionList(_ title: String, field: TextField?, on canvas: inout Canvas) {
    guard let (actions, state) = actionList, let box = actionListArea else { return }
    let top = box.row - (field == nil ? 0 : 1)
    drawFrame(title, rows: top..<(box.row + box.height), box, on: &canvas)
    if let field {
      drawField(
        field, prompt: "› ", on: &canvas, row: top, column: box.column, width: box.width,
        showsCursor: true)
    }
    if actions.isEmpty {
      canvas.put(
        messages.noActionMatches, row: box.row, column: box.column, style: theme[.faint],
        width: box.width)
    }
    for line in 0..<min(box.height, actions.count - state.top) {
      let action = actions[state.top + line]
      let row = box.row + line
      let isSelected = state.top + line == state.selection
      let obstacle = obstacle(to: action)
      let keys = self.keys.keys(for: action).prefix(box.width < 40 ? 1 : 2).map(\.description)
        .joined(separator: " ")
      // An action that cannot be performed is faint, and says why when it is selected.
      let right = obstacle.map { isSelected ? $0 : "" } ?? keys
      canvas.put(
        action.name(messages).fitted(to: box.width - right.columns - 3), row: row,
        column: box.column + 2, style: theme[obstacle == nil ? .text : .faint])
      canvas.put(
        right, row: row, column: box.column + box.width - right.columns, style: theme[.faint])
      guard isSelected else { continue }
      canvas.put("▸", row: row, column: box.column, style: theme[.bar])
      canvas.restyle(row: row, columns: box.column..<(box.column + box.width)) {
        $0 = theme[.selection]
      }
    }
  }
}
