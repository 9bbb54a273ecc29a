import Terminal

// The names of keys, for hints and messages.
extension Model {
  /// The name of the first key that performs an action on this screen. If no key does, the name of
  /// the first key of the action; if the action has none, that of the palette, which lists every
  /// action.
  func key(_ action: Action) -> String {
    let all = keys.keys(for: action)
    let usable = all.first {
      // In the text, a digit begins a count.
      let isCount = pane == .text && $0.typedText?.first?.isNumber == true
      return !isCount && self.action(for: $0) == action
    }
    let key = usable ?? all.first ?? keys.keys(for: .palette).first
    return key?.description ?? Key.control("p").description
  }

  /// The name of the first key of an action in a context; empty if the action has no key there.
  func key<A>(_ action: A, in context: KeyContext<A>) -> String {
    context.keys(for: action).first?.description ?? ""
  }

  /// The name of the key that opens a row of a list: Enter, unless it was given to another action.
  var openKey: String {
    keys.keys(for: .open).contains(Key(.enter)) ? Key(.enter).description : key(.open)
  }
}
