import Library
import Terminal

extension Model {
  /// Whether input is held until the library or a note's text, which then receives it, is ready.
  var isHolding: Bool { wantedNote != nil || isLibraryWanted }

  func isTypedAhead(_ event: Event) -> Bool {
    switch event {
    case .key(let key): keys.action(for: key) != .interrupt
    case .paste: true
    default: false
    }
  }

  /// Carries out what was typed ahead.
  mutating func takeTypedAhead() -> [Effect] {
    var effects: [Effect] = []
    while !isHolding, !typedAhead.isEmpty {
      effects += update(typedAhead.removeFirst(), at: now)
    }
    return effects
  }

  /// Carries out what waited for the library.
  mutating func takeHeld() -> [Effect] {
    isLibraryWanted = false
    return takeTypedAhead()
  }

  /// Forgets what waited for the library: what follows a key that is refused means something else.
  mutating func dropHeld() {
    isLibraryWanted = false
    typedAhead = []
  }
}
