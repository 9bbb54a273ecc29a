import CCurses

/// Reads what is typed at the terminal that ncurses opened last.
///
/// Bytes are read with `wgetch`: `get_wch`, which makes letters of them, loses what is typed after
/// a damaged one.
struct CursesKeyboard {
  /// Not drawn: reading draws the window that it reads through.
  private let window: UnsafeMutablePointer<WINDOW>
  private let sequences: KeySequences
  private var decoder = InputDecoder()

  init?() {
    guard let window = newpad(1, 1) else { return nil }
    self.window = window
    nodelay(window, true)
    keypad(window, true)
    sequences = KeySequences()
  }

  /// The events of all that was typed until now. To be called before every wait: ncurses may hold
  /// what `poll` does not see.
  mutating func events() -> [Event] {
    var events: [Event] = []
    while case let code = wgetch(window), code != ERR {
      if let token = sequences.token(code) { events += decoder.take(token) }
    }
    // ncurses has waited for what may follow.
    if decoder.isEscape { events += decoder.flush() }
    return events
  }

  /// The events of what was typed in part, where the rest does not come.
  mutating func flush() -> [Event] { decoder.flush() }

  /// How long the rest of what was typed in part is waited for, in milliseconds; nil where nothing
  /// was.
  ///
  /// - Parameter delay: for parts of a sequence.
  func patience(_ delay: Int32) -> Int32? {
    // A paste whose end is lost must not swallow keys for ever.
    decoder.isPasting ? 1000 : decoder.isWaiting ? delay : nil
  }
}
