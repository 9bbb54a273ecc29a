import Library
import Terminal

/// The state of the input: a count, the earlier lines of prompts, the last click, and the events
/// that wait for what is being loaded.
struct InputState {
  /// The number that was typed before the next key; nil if there is none.
  var count: Int?
  var history: [Prompt: PromptHistory] = [:]
  /// The last click, to recognise a double click.
  var lastClick: Click?
  /// Whether the user has pressed a key, pasted text or used the mouse; the cursor then stays where
  /// it is when the library opens.
  var hasActed = false
  /// What an event waits for; nil if none waits.
  var awaited: Awaited?
  /// The events that wait for `awaited`, for the text of a note, or for the list of texts.
  var typedAhead: [Event] = []

  /// What an event needs that is still being loaded.
  enum Awaited {
    case library
    /// The editions that are shown beside the current one, or the search index of the current one.
    case texts
  }
}

extension Model {
  /// Whether input waits for something that is being loaded.
  var isDeferring: Bool {
    drafts.requested != nil || input.awaited != nil || isListingTexts
  }

  /// Whether the screen of texts waits for its first list.
  private var isListingTexts: Bool { tab == .texts && pane == .list && texts.items == nil }

  func isDeferrable(_ event: Event) -> Bool {
    switch event {
    case .key(let key): isDeferrable(keys.actions(for: key))
    case .paste: true
    default: false
    }
  }

  private func isDeferrable(_ actions: [Action]) -> Bool {
    let isOnlyListing = isListingTexts && drafts.requested == nil && input.awaited == nil
    guard isOnlyListing, input.typedAhead.isEmpty else { return actions.first != .interrupt }
    return actions.contains {
      $0.place == .texts || $0 == .open || $0.scrolledTop(from: 0, page: 1) != nil
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

  /// Performs the events that waited for something that is loaded now.
  mutating func resume(after loaded: InputState.Awaited) -> [Effect] {
    if input.awaited == loaded { input.awaited = nil }
    return performTypedAhead()
  }

  /// Discards the events that waited for the library. After a refusal they would act on a screen
  /// that the user does not expect.
  mutating func discardTypedAhead() {
    guard input.awaited == .library else { return }
    input.awaited = nil
    input.typedAhead = []
  }
}
