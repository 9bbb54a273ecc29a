import CCurses
import Glibc

/// The capabilities of the terminal on standard output, according to terminfo.
public struct TerminalDescription: Sendable {
  /// The number of colours to use; 0 if `NO_COLOR` is set or the terminal has no colours.
  public let colors: Int

  /// Loads the description of the terminal. Returns nil if the terminal cannot show a full-screen
  /// interface.
  ///
  /// - Parameter environment: `TERM` and `NO_COLOR` are read.
  public init?(environment: [String: String]) {
    guard let term = Self.names(environment).first(where: { terminfo_load($0, STDOUT_FILENO) }),
      term != "dumb", terminfo_string("cup") != nil
    else { return nil }
    colors = Self.usesColors(environment) ? max(Int(terminfo_number("colors")), 0) : 0
  }

  /// Returns the control strings that begin and end bold text on standard output. Returns nil if
  /// `NO_COLOR` is set, or if the terminal is unknown or has no bold text.
  ///
  /// - Parameter environment: `TERM` and `NO_COLOR` are read.
  public static func boldStrings(environment: [String: String]) -> (begin: String, end: String)? {
    guard usesColors(environment),
      names(environment).contains(where: { terminfo_load($0, STDOUT_FILENO) })
    else { return nil }
    let strings = (ControlStrings.capability("bold"), ControlStrings.capability("sgr0"))
    return strings.0.isEmpty || strings.1.isEmpty ? nil : strings
  }

  /// The names of the terminfo entries to try: `TERM`, then `xterm-256color` if the name is that of
  /// an xterm-compatible terminal. This machine may lack the entry of a recent terminal, for
  /// example over SSH.
  static func names(_ environment: [String: String]) -> [String] {
    guard let term = environment["TERM"], !term.isEmpty, term != "dumb" else { return [] }
    let isModern = ["xterm", "tmux", "screen", "alacritty", "foot", "kitty", "wezterm", "ghostty"]
      .contains { term.hasPrefix($0) }
    return isModern ? [term, "xterm-256color"] : [term]
  }

  /// Whether colours may be used. A nonempty `NO_COLOR` disables them (https://no-color.org).
  static func usesColors(_ environment: [String: String]) -> Bool {
    environment["NO_COLOR"]?.isEmpty ?? true
  }
}
