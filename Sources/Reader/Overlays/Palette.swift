import Messages
import Terminal
import Text

extension Model {
  /// Returns the actions whose names contain the typed letters in that order, best matches first.
  /// Actions that cannot be performed now come last. The names in all languages are searched.
  func paletteActions(_ text: String) -> [Action] {
    let actions = actions(matching: text)
    return actions.filter { obstacle(to: $0) == nil } + actions.filter { obstacle(to: $0) != nil }
  }

  private func actions(matching text: String) -> [Action] {
    let all = keys.groups.flatMap(\.bindings).filter { $0.action != .palette }
    let wanted = text.folded.filter { $0 != " " }
    guard !wanted.isEmpty else { return all.map(\.action) }
    let ranked = all.compactMap { binding in
      Language.allCases.compactMap { fuzzyRank(of: wanted, in: binding.name(Messages($0)).folded) }
        .min().map { (binding.action, $0) }
    }
    return ranked.sorted { $0.1 < $1.1 }.map(\.0)
  }

  /// Returns how far a name is from the letters: 0 if they begin a word of it, 1 if they stand
  /// together elsewhere, otherwise 2 plus the number of characters that are skipped. Returns nil if
  /// the name does not contain all letters in this order.
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

  mutating func handlePalette(_ key: Key, _ field: TextField, _ state: ListState) -> [Effect] {
    switch KeyContext.listPrompt.action(for: key) {
    case .submit: return performSelectedAction()
    case .up: moveActionSelection(by: -1)
    case .down: moveActionSelection(by: 1)
    case .pageUp: moveActionSelection(by: -10)
    case .pageDown: moveActionSelection(by: 10)
    case .closeIfEmpty where field.isEmpty: overlay = nil
    default:
      var field = field
      if field.handle(key) { overlay = .palette(field, ListState()) }
    }
    return []
  }
}
