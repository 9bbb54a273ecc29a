import CCurses

/// Reads the input of the terminal that ncurses opened last.
///
/// Reads bytes with `wgetch` and decodes UTF-8 in `InputDecoder`. `get_wch` would decode UTF-8
/// itself, but loses the input that follows an invalid byte.
struct CursesKeyboard {
  /// A pad that is never drawn. `wgetch` refreshes the window that it is called for, but not a pad.
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

  /// Returns the events of all input received so far. Call it before every wait, because ncurses
  /// may have buffered input that `poll` does not report.
  mutating func events() -> [Event] {
    var events: [Event] = []
    while case let code = wgetch(window), code != ERR {
      if let token = sequences.token(code) { events += decoder.take(token) }
    }
    // ncurses has already waited for the rest of an escape sequence.
    if decoder.isEscape { events += decoder.flush() }
    return events
  }

  /// Returns the events of incomplete input whose rest did not arrive in time.
  mutating func flush() -> [Event] { decoder.flush() }

  /// The time in milliseconds to wait for the rest of incomplete input; nil if no input is
  /// incomplete.
  ///
  /// - Parameter delay: The time to wait for the rest of an escape sequence, in milliseconds.
  func inputTimeout(_ delay: Int32) -> Int32? {
    // A limit for pastes, too: otherwise a paste whose end is lost would swallow all further keys.
    decoder.isPasting ? 1000 : decoder.isWaiting ? delay : nil
  }
}
