import Commands
import Editions
import Quran
import Terminal
import Text
import Words

// What prompts, the palette, the menu and help do with keys.
extension Model {
  mutating func handleOverlay(_ key: Key) -> [Effect] {
    guard let overlay else { return [] }
    if key.code == .escape {
      if overlay == .filter { setFilter(TextField()) }
      self.overlay = nil
      return []
    }
    switch overlay {
    case .goTo(let field): goTo(key, field)
    case .filter: filter(key)
    case .command(let field, _): return command(key, field)
    case .palette(let field, let state): return palette(key, field, state)
    case .menu(let state): return menu(key, state)
    case .help(let top): help(key, top)
    }
    return []
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
  mutating func goTo(_ text: String, reopen prompt: Overlay?) {
    if text.allSatisfy(\.isWhitespace) {
      _ = perform(.first)
      return
    }
    do {
      let reference = try Reference(parsing: text)
      search.isMarked = false
      open(reference.ayahs.lowerBound)
    } catch {
      overlay = prompt
      complain(words.explain(error))
    }
  }

  // MARK: Filtering the surahs

  private mutating func filter(_ key: Key) {
    switch key.code {
    case .enter:
      overlay = nil
      openSelection()
    case .up, .down, .pageUp, .pageDown:
      if let action = keys.action(for: Key(key.code)) { _ = perform(action) }
    case .backspace where filter.isEmpty:
      overlay = nil
    default:
      var field = filter
      if field.handle(key) { setFilter(field) }
    }
  }

  mutating func setFilter(_ field: TextField) {
    let selected = selectedAyah?.surah
    filter = field
    let kept = listedSurahs.firstIndex { $0 == selected }
    surahs = ListState(selection: field.isEmpty ? kept ?? 0 : 0)
    revealSelection()
  }

  // MARK: The palette and the ayah's menu

  /// The actions whose names have the typed letters in that order, best first.
  func paletteActions(_ text: String) -> [Action] {
    let all = keys.groups.flatMap(\.bindings).map(\.action)
    let wanted = text.folded.filter { $0 != " " }
    guard !wanted.isEmpty else { return all }
    let ranked = all.compactMap { action in
      fuzzyRank(of: wanted, in: action.name(words).folded).map { (action, $0) }
    }
    return ranked.sorted { $0.1 < $1.1 }.map(\.0)
  }

  /// How far apart the letters stand in the name, nil where they do not all.
  private func fuzzyRank(of letters: String, in name: String) -> Int? {
    if let range = name.firstRange(of: letters) {
      let position = name.distance(from: name.startIndex, to: range.lowerBound)
      let startsWord = position == 0 || name[name.index(before: range.lowerBound)] == " "
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

  /// What the menu of an ayah offers.
  static let menuActions: [Action] = [.copy, .copyLink]

  private mutating func palette(_ key: Key, _ field: TextField, _ state: ListState) -> [Effect] {
    var (field, state) = (field, state)
    let actions = paletteActions(field.text)
    if key.code == .enter {
      overlay = nil
      return actions.indices.contains(state.selection) ? perform(actions[state.selection]) : []
    }
    if key == .control("p") {
      state.selection -= 1
    } else if key == .control("n") {
      state.selection += 1
    } else if !state.handle(key) {
      if key.code == .backspace, field.isEmpty {
        overlay = nil
        return []
      }
      if field.handle(key) { state = ListState() }
    }
    state.reveal(height: max(size.rows - 6, 1), count: paletteActions(field.text).count)
    overlay = .palette(field, state)
    return []
  }

  private mutating func menu(_ key: Key, _ state: ListState) -> [Effect] {
    var state = state
    if key.code == .enter {
      overlay = nil
      return perform(Self.menuActions[state.selection])
    }
    if key == "q" {
      overlay = nil
      return []
    }
    if let action = keys.action(for: key), Self.menuActions.contains(action) {
      overlay = nil
      return perform(action)
    }
    if key == "j" { state.selection += 1 }
    if key == "k" { state.selection -= 1 }
    _ = state.handle(key)
    state.reveal(height: Self.menuActions.count, count: Self.menuActions.count)
    overlay = .menu(state)
    return []
  }

  // MARK: Help

  private mutating func help(_ key: Key, _ top: Int) {
    guard let action = keys.action(for: key) else { return }
    let page = max(size.rows - 4, 1)
    let count =
      switch action {
      case .down: 1
      case .up: -1
      case .halfDown: page / 2
      case .halfUp: -page / 2
      case .pageDown: page
      case .pageUp: -page
      case .last: 10_000
      case .first: -10_000
      default: 0
      }
    if count == 0 {
      if [.quit, .help, .back, .open].contains(action) { overlay = nil }
      return
    }
    let rows = HelpPage(keys: keys, words: words, width: size.columns - 4).rows.count
    overlay = .help(top: max(min(top + count, rows - page), 0))
  }
}

extension Model.ListState {
  /// Moves the selection by a key that does so also where letters are text.
  fileprivate mutating func handle(_ key: Key) -> Bool {
    switch key.code {
    case .up: selection -= 1
    case .down: selection += 1
    case .pageUp: selection -= 10
    case .pageDown: selection += 10
    default: return false
    }
    return true
  }
}
