import Library
import Terminal

/// The state of the input: the last click, and the events that wait for the library or for a note.
struct InputState {
  /// The number that was typed before the next key; nil if there is none.
  var count: Int?
  var history: [Prompt: PromptHistory] = [:]
  /// The last click, to recognise a double click.
  var lastClick: Click?
  /// Whether the user has pressed a key, pasted text or used the mouse; the cursor then stays where
  /// it is when the library opens.
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

  /// Discards the events that waited for the library. After a refusal they would act on a screen
  /// that the user does not expect.
  mutating func discardTypedAhead() {
    input.isWaitingForLibrary = false
    input.typedAhead = []
  }
}
