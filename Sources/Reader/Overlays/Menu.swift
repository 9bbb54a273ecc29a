import Terminal

extension Model {
  /// The actions of the menu of an ayah.
  static let menuActions: [Action] = [
    .favorite, .newNote, .nextNote, .markRead, .setCue, .copy, .copyLink,
  ]

  mutating func handleMenu(_ key: Key) -> [Effect] {
    let actions = keys.actions(for: key)
    if let action = actions.first(where: Self.menuActions.contains) {
      overlay = nil
      return perform(action)
    }
    switch actions.first {
    case .open: return performSelectedAction()
    case .quit, .back: overlay = nil
    case .down: moveActionSelection(by: 1)
    case .up: moveActionSelection(by: -1)
    default: break
    }
    return []
  }
}
