import CCurses

/// What is sent to the terminal beside what ncurses sends. ncurses has no functions for
///
/// - brackets around pasted text (`CSI ? 2004`), and frames shown at once (`CSI ? 2026`),
/// - mouse reports that say places beyond column 223 and lose none of a burst (`CSI ? 1006`),
/// - the clipboard (`OSC 52`),
/// - a cursor that stays in the last column, so that a cluster wider than ncurses takes it for
///   does not reach into the next row (`rmam`),
/// - giving the terminal back from a signal handler.
struct ControlStrings {
  /// After ncurses has taken the terminal.
  let enter: String
  /// Before ncurses gives it back.
  let leave: String
  /// Gives it back without ncurses.
  let restore: String
  let frame: (begin: String, end: String)
  private let hasClipboard: Bool

  /// - Parameter term: the name of the terminfo entry in use.
  init(environment: [String: String], term: String, mouse: Bool) {
    func string(_ name: String) -> String {
      terminfo_string(name).map { Self.withoutPadding(String(cString: $0)) } ?? ""
    }
    let isXtermLike =
      string("sgr0").contains("\u{1B}[") && term != "linux" && !string("rmcup").isEmpty
    hasClipboard = isXtermLike
    let paste = isXtermLike ? ("\u{1B}[?2004h", "\u{1B}[?2004l") : ("", "")
    let reports =
      isXtermLike && mouse && !Self.isInGNUScreen(environment)
      ? ("\u{1B}[?1000h\u{1B}[?1006h", "\u{1B}[?1006l\u{1B}[?1000l") : ("", "")
    enter = string("rmam") + paste.0 + reports.0
    leave = string("smam") + paste.1 + reports.1
    restore =
      string("sgr0") + leave + string("rmkx") + string("cnorm") + string("rmcup")
    frame =
      Self.showsFramesAtOnce(environment) ? ("\u{1B}[?2026h", "\u{1B}[?2026l") : ("", "")
  }

  /// Hands text to the clipboard; nil where the terminal has none.
  func copy(base64 text: String) -> String? {
    hasClipboard ? "\u{1B}]52;c;\(text)\u{07}" : nil
  }

  /// Terminfo's `$<5>` marks ask for a pause that no terminal of today needs.
  private static func withoutPadding(_ sequence: String) -> String {
    guard let start = sequence.firstRange(of: "$<"),
      let end = sequence[start.upperBound...].firstIndex(of: ">")
    else { return sequence }
    return sequence[..<start.lowerBound]
      + withoutPadding(String(sequence[sequence.index(after: end)...]))
  }

  /// GNU screen (4.9 at least), while mouse reports are switched on, keeps Esc until the next key:
  /// it might begin a report.
  private static func isInGNUScreen(_ environment: [String: String]) -> Bool {
    environment["STY"] != nil && environment["TMUX"] == nil
  }

  /// Mode 2026 is ignored by terminals that lack it, so this is a courtesy to
  /// slow lines: it is asked for where terminfo or the terminal's name says so.
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
