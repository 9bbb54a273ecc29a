import Library
import Terminal

/// The input that was received, and that waits.
struct InputState {
  /// The last click, to recognise a double click.
  var lastClick: Click?
  /// Whether the user has done anything: the library then does not move the cursor when it opens.
  var hasActed = false
  /// Whether an event waits until the library is open.
  var isWaitingForLibrary = false
  /// The events that wait for the library, or for the text of a note.
  var typedAhead: [Event] = []
}

extension Model {
  /// Whether input waits for the library or for the text of a note.
  var isDeferring: Bool { drafts.requested != nil || input.isWaitingForLibrary }

  func isDeferrable(_ event: Event) -> Bool {
    switch event {
    case .key(let key): keys.action(for: key) != .interrupt
    case .paste: true
    default: false
    }
  }

  /// Performs the events that waited.
  mutating func performTypedAhead() -> [Effect] {
    var effects: [Effect] = []
    while !isDeferring, !input.typedAhead.isEmpty {
      effects += update(input.typedAhead.removeFirst(), at: now)
    }
    return effects
  }

  /// Performs the events that waited for the library.
  mutating func resumeAfterOpening() -> [Effect] {
    input.isWaitingForLibrary = false
    return performTypedAhead()
  }

  /// Discards the events that waited for the library: after a key that is refused they would mean
  /// something else.
  mutating func discardTypedAhead() {
    input.isWaitingForLibrary = false
    input.typedAhead = []
  }
}
