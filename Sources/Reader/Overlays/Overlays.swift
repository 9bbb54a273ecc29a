import Editions
import Messages
import Quran
import Terminal
import Text

// What prompts, the palette, the menu and help do with keys.
extension Model {
  mutating func handleOverlay(_ key: Key) -> [Effect] {
    guard let overlay else { return [] }
    if key.code == .escape {
      if overlay == .filter { setFilter(TextField()) }
      closePanel()
      return []
    }
    switch overlay {
    case .goTo(let field): goTo(key, field)
    case .filter: return filter(key)
    case .notes(let panel): return self.panel(key, panel)
    case .cues(let isSetting): cue(key, isSetting: isSetting)
    case .question(let question): return answer(key, question)
    case .command(let field, let completion): return command(key, field, completion)
    case .palette(let field, let state): return palette(key, field, state)
    case .menu(let state): return menu(key, state)
    case .page(let page, let top): return turn(key, page, top)
    }
    return []
  }

  /// Keeps what is shown of an overlay within its rows.
  mutating func revealOverlay() {
    switch overlay {
    case .palette(let field, var state):
      reveal(&state)
      overlay = .palette(field, state)
    case .menu(var state):
      reveal(&state)
      overlay = .menu(state)
    case .page(let page, let top):
      let rows = TextPage(page, model: self)
      overlay = .page(page, max(min(top, rows.rows.count - rows.height), 0))
    case .goTo, .filter, .command, .notes, .cues, .question, nil: break
    }
  }

  // MARK: Going to a place

  private mutating func goTo(_ key: Key, _ field: TextField) {
    var field = field
    if key.code == .enter {
      overlay = nil
      goTo(field.text, reopen: .goTo(field))
    } else if key.code == .backspace, field.isEmpty {
      overlay = nil
    } else if field.handle(key) {
      overlay = .goTo(field)
    }
  }

  /// Goes where the text says, or says why not and leaves the prompt open.
  mutating func goTo(_ text: String, reopen prompt: Overlay) {
    if text.allSatisfy(\.isWhitespace) {
      _ = perform(.first)
      return
    }
    do {
      let reference = try QuranReference(parsing: text)
      marked = nil
      open(reference.ayahs.lowerBound)
    } catch {
      overlay = prompt
      complain(messages.explain(error))
    }
  }

  // MARK: Filtering the surahs

  private mutating func filter(_ key: Key) -> [Effect] {
    switch key.code {
    case .enter:
      overlay = nil
      return openSelection()
    case .up, .down, .pageUp, .pageDown:
      if let action = keys.action(for: key) { _ = perform(action) }
    case .backspace where filter.isEmpty:
      overlay = nil
    default:
      var field = filter
      if field.handle(key) { setFilter(field) }
    }
    return []
  }

  mutating func setFilter(_ field: TextField) {
    let selected = selectedAyah?.surah
    filter = field
    let kept = listedSurahs.firstIndex { $0 == selected }
    lists[.surahs] = ListState(selection: field.isEmpty ? kept ?? 0 : 0)
    revealSelection()
  }

  // MARK: The palette and the ayah's menu

  /// What the menu of an ayah offers.
  private static let menuActions: [Action] = [
    .favorite, .newNote, .nextNote, .markRead, .setCue, .copy, .copyLink,
  ]

  /// The actions that the palette or the menu shows, and the one selected.
  var offered: (actions: [Action], state: ListState)? {
    switch overlay {
    case .palette(let field, let state): (paletteActions(field.text), state)
    case .menu(let state): (Self.menuActions, state)
    default: nil
    }
  }

  /// The actions whose names have the typed letters in that order, best first.
  private func paletteActions(_ text: String) -> [Action] {
    let all = keys.groups.flatMap(\.bindings).map(\.action).filter { $0 != .palette }
    let wanted = text.folded.filter { $0 != " " }
    guard !wanted.isEmpty else { return all }
    let ranked = all.compactMap { action in
      fuzzyRank(of: wanted, in: action.name(messages).folded).map { (action, $0) }
    }
    return ranked.sorted { $0.1 < $1.1 }.map(\.0)
  }

  /// How far apart the letters stand in the name, nil where they do not all.
  private func fuzzyRank(of letters: String, in name: String) -> Int? {
    if let range = name.firstRange(of: letters) {
      let startsWord =
        range.lowerBound == name.startIndex || name[name.index(before: range.lowerBound)] == " "
      return startsWord ? 0 : 1
    }
    var rest = Substring(name)
    var gaps = 2
    for letter in letters {
      guard let index = rest.firstIndex(of: letter) else { return nil }
      gaps += rest.distance(from: rest.startIndex, to: index)
      rest = rest[rest.index(after: index)...]
    }
    return gaps
  }

  private mutating func palette(_ key: Key, _ field: TextField, _ state: ListState) -> [Effect] {
    if key.code == .enter { return performOffered() }
    if move(key) { return [] }
    var field = field
    if key.code == .backspace, field.isEmpty {
      overlay = nil
    } else if field.handle(key) {
      overlay = .palette(field, ListState())
    }
    return []
  }

  private mutating func menu(_ key: Key, _ state: ListState) -> [Effect] {
    let actions = keys.actions(for: key)
    if let action = actions.first(where: Self.menuActions.contains) {
      overlay = nil
      return perform(action)
    }
    switch actions.first {
    case .open: return performOffered()
    case .quit, .back: overlay = nil
    case .down: moveOffered(by: 1)
    case .up: moveOffered(by: -1)
    default: break
    }
    return []
  }

  /// Performs the selected action, if there is one.
  mutating func performOffered() -> [Effect] {
    guard let (actions, state) = offered, actions.indices.contains(state.selection) else {
      return []
    }
    overlay = nil
    return perform(actions[state.selection])
  }

  /// Moves the selection by a key that does so also where letters are text.
  private mutating func move(_ key: Key) -> Bool {
    switch key.code {
    case .up: moveOffered(by: -1)
    case .down: moveOffered(by: 1)
    case .pageUp: moveOffered(by: -10)
    case .pageDown: moveOffered(by: 10)
    default: return false
    }
    return true
  }

  mutating func moveOffered(by count: Int) {
    guard let state = offered?.state else { return }
    selectOffered(state.selection + count)
  }

  mutating func selectOffered(_ row: Int) {
    guard var state = offered?.state else { return }
    state.selection = row
    reveal(&state)
    switch overlay {
    case .palette(let field, _): overlay = .palette(field, state)
    case .menu: overlay = .menu(state)
    default: break
    }
  }

  private func reveal(_ state: inout ListState) {
    guard let box = offeredBox, let count = offered?.actions.count else { return }
    state.reveal(height: box.height, count: count)
  }

  /// Where the rows of the palette or the menu stand, its field and frame not counted.
  var offeredBox: Geometry.Area? {
    guard let (actions, _) = offered else { return nil }
    let fieldRows = if case .palette = overlay { 1 } else { 0 }
    let height = min(max(actions.count, 1), max(size.rows - 3 - fieldRows, 1))
    let width = min(size.columns - 4, 56)
    return Geometry.Area(
      row: max((size.rows - height - fieldRows - 2) / 2, 0) + 1 + fieldRows,
      column: max((size.columns - width) / 2, 0), height: height, width: width)
  }

  // MARK: Pages

  private mutating func turn(_ key: Key, _ page: Page, _ top: Int) -> [Effect] {
    if page == .sync, let effects = handleSyncPage(key) { return effects }
    guard let action = keys.action(for: key) else { return [] }
    let height = TextPage(page, model: self).height
    switch action {
    case .down: overlay = .page(page, top + 1)
    case .up: overlay = .page(page, top - 1)
    case .halfDown: overlay = .page(page, top + height / 2)
    case .halfUp: overlay = .page(page, top - height / 2)
    case .pageDown: overlay = .page(page, top + height)
    case .pageUp: overlay = .page(page, top - height)
    case .last: overlay = .page(page, .max / 2)
    case .first: overlay = .page(page, 0)
    case .quit, .help, .back, .open: overlay = nil
    // What the page tells of can be taken back there and then.
    case .undo:
      guard case .report(_, isUndoable: true) = page else { break }
      overlay = nil
      return perform(.undo)
    default: break
    }
    revealOverlay()
    return []
  }
}
