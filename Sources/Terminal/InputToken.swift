/// A piece of what a terminal sends, as ncurses takes it apart.
enum InputToken: Hashable, Sendable {
  /// Text, a control character, or a part of a sequence that ncurses does not know.
  case byte(UInt8)
  case key(Key)
  /// The beginning of a mouse report: xterm's, with numbers (SGR 1006).
  case mouse
  /// The beginning of a mouse report of three bytes (X10).
  case shortMouse
  /// The beginning of a bracketed paste, and its end.
  case paste, pasteEnd
}
