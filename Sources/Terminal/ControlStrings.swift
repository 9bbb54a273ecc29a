import CCurses

/// The control strings that are written to the terminal directly, because ncurses has no functions
/// for them.
///
/// This list is complete: everything else is done by ncurses (6.4). On output:
///
/// - Bracketed paste (`CSI ? 2004`) and synchronized output (`CSI ? 2026`): ncurses does not send
///   them.
/// - Mouse reports (`CSI ? 1000`) in the SGR encoding (`CSI ? 1006`): `mousemask` and `getmouse`
///   lose and reorder clicks of a burst, and the X10 encoding ends at column 223.
/// - The bidirectional mode (`CSI 8`) is turned off in terminals that would reorder text that is in
///   visual order already. `TerminalDevice.show` sets it before a frame that needs another mode.
/// - Keys with Alt as Esc and the key (`CSI ? 1036`): xterm sends another character, such as `ï`
///   for Alt-o, and ncurses has no function to change that. The user's own mode is saved and
///   restored.
/// - The clipboard (`OSC 52`): ncurses has no function for it.
/// - Automatic wrapping is turned off (`rmam`), so that a grapheme cluster that the terminal draws
///   wider than ncurses assumes does not spill into the next row.
/// - Restoring the terminal in a signal handler: `endwin` is not async-signal-safe.
/// - `orig_colors` is removed (`curses_keep_palette`): `endwin` would reset the palette, which this
///   program does not change, but the user may have.
/// - Padding (`$<5>`) is removed from terminfo's strings: `tputs` would replace it by delays or NUL
///   bytes, which only terminals on serial lines need.
///
/// On input, in `KeySequences` and `InputDecoder`:
///
/// - Keys with modifiers, and keys in the cursor mode that is not in use, are added with
///   `define_key`: most terminfo entries lack them.
/// - Mouse reports and the markers of a paste begin with sequences that are added with
///   `define_key`; the bytes that follow are decoded here.
/// - `CSI u` and `modifyOtherKeys` are decoded here, because their parameters can be the code of
///   any character.
/// - UTF-8 is decoded here: `get_wch` loses the input that follows an invalid byte.
struct ControlStrings {
  /// Written after ncurses has initialized the terminal.
  let enter: String
  /// Written before ncurses restores the terminal.
  let leave: String
  /// Written after ncurses has restored a terminal without an alternate screen: clears the last
  /// row, where the cursor is. Empty if the terminal has an alternate screen.
  let clearing: String
  /// Restores the terminal without ncurses, for signal handlers.
  let restore: String
  /// Turns the terminal's own reordering of text off, and on again; empty if the terminal is not
  /// known to reorder text.
  let reordering: (off: String, on: String)
  /// Written before and after each frame; empty if the terminal is not known to support
  /// synchronized output.
  let frame: (begin: String, end: String)
  private let hasClipboard: Bool

  /// Reads the capabilities of the terminal that ncurses opened last.
  ///
  /// - Parameters:
  ///   - environment: `STY`, `TMUX`, `TERM`, `TERM_PROGRAM`, `VTE_VERSION` and `KONSOLE_VERSION`
  ///     are read.
  ///   - term: The name of the terminfo entry in use.
  ///   - mouse: Whether to request mouse reports.
  init(environment: [String: String], term: String, mouse: Bool) {
    let string = Self.capability
    let isXtermLike =
      string("sgr0").contains("\u{1B}[") && term != "linux" && !string("rmcup").isEmpty
    hasClipboard = isXtermLike
    let paste = isXtermLike ? ("\u{1B}[?2004h", "\u{1B}[?2004l") : ("", "")
    let reports =
      isXtermLike && mouse && !Self.isInGNUScreen(environment)
      ? ("\u{1B}[?1000h\u{1B}[?1006h", "\u{1B}[?1006l\u{1B}[?1000l") : ("", "")
    // Only terminals with xterm's mode 1036 have the capability `smm`.
    let alt =
      string("smm").isEmpty ? ("", "") : ("\u{1B}[?1036s\u{1B}[?1036h", "\u{1B}[?1036r")
    reordering =
      ArabicDisplay(for: environment) == .terminal ? ("\u{1B}[8l", "\u{1B}[8h") : ("", "")
    enter = string("rmam") + alt.0 + paste.0 + reports.0
    leave = string("smam") + alt.1 + paste.1 + reports.1
    clearing = string("rmcup").isEmpty ? string("sgr0") + string("el") : ""
    restore =
      string("sgr0") + leave + string("rmkx") + string("cnorm") + string("rmcup")
    frame =
      Self.showsFramesAtOnce(environment) ? ("\u{1B}[?2026h", "\u{1B}[?2026l") : ("", "")
  }

  /// Returns the string that copies base64-encoded text to the clipboard, or nil if the terminal is
  /// not known to support OSC 52.
  func copy(base64 text: String) -> String? {
    hasClipboard ? "\u{1B}]52;c;\(text)\u{07}" : nil
  }

  /// Returns a string capability of the terminal that was opened or loaded last, without padding.
  /// The result is empty if the terminal does not have the capability.
  static func capability(_ name: String) -> String {
    terminfo_string(name).map { withoutPadding(String(cString: $0)) } ?? ""
  }

  /// Removes terminfo's padding (`$<5>`), a delay in milliseconds that modern terminals do not
  /// need.
  private static func withoutPadding(_ sequence: String) -> String {
    guard let start = sequence.firstRange(of: "$<"),
      let end = sequence[start.upperBound...].firstIndex(of: ">")
    else { return sequence }
    return sequence[..<start.lowerBound]
      + withoutPadding(String(sequence[sequence.index(after: end)...]))
  }

  /// Whether the terminal is GNU screen. While mouse reports are on, GNU screen (at least version
  /// 4.9) holds back an Esc until the next key because it could begin a report, so reports stay
  /// off there.
  private static func isInGNUScreen(_ environment: [String: String]) -> Bool {
    environment["STY"] != nil && environment["TMUX"] == nil
  }

  /// Whether the terminal is known to support synchronized output (mode 2026), according to
  /// terminfo, `VTE_VERSION` or the name of the terminal. Other terminals ignore the mode; not
  /// sending it saves bytes on slow lines.
  private static func showsFramesAtOnce(_ environment: [String: String]) -> Bool {
    if terminfo_string("Sync") != nil { return true }
    if let vte = environment["VTE_VERSION"].flatMap({ Int($0) }), vte >= 6800 { return true }
    let names = [
      "alacritty", "contour", "foot", "ghostty", "iterm", "wezterm", "xterm-kitty", "xterm-ghostty",
    ]
    return [environment["TERM"], environment["TERM_PROGRAM"]].compactMap { $0?.lowercased() }
      .contains { name in names.contains { name.hasPrefix($0) } }
  }
}
