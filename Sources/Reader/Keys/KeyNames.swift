import Terminal

// The names of keys, for hints and messages.
extension Model {
  /// The name of the first key of an action; of the palette, which has every action, if the action
  /// has none.
  func key(_ action: Action) -> String {
    let all = keys.keys(for: action)
    // In the text, a digit begins a count.
    let inText = pane == .text ? all.first { $0.typedText?.first?.isNumber != true } : nil
    let key = inText ?? all.first ?? keys.keys(for: .palette).first
    return key?.description ?? Key.control("p").description
  }

  /// The name of the first key of an action in a context.
  func key<A>(_ action: A, in context: KeyContext<A>) -> String {
    keys.name(of: action, in: context)
  }

  /// The name of the key that opens a row of a list: Enter, unless it was given to another action.
  var openKey: String {
    keys.keys(for: .open).contains(Key(.enter)) ? Key(.enter).description : key(.open)
  }
}
