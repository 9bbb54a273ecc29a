/// A unit of the terminal's input as ncurses splits it.
enum InputToken: Hashable, Sendable {
  /// A byte of text, a control character, or a byte of a sequence that ncurses does not know.
  case byte(UInt8)
  /// A key that ncurses recognized.
  case key(Key)
  /// The beginning of an SGR mouse report (xterm mode 1006), whose values are decimal numbers.
  case mouse
  /// The beginning of an X10 mouse report, which has three bytes.
  case shortMouse
  /// The beginning and the end of a bracketed paste.
  case paste, pasteEnd
}
