import CCurses
import Glibc

/// What is known of the terminal without drawing on it.
public struct TerminalDescription: Sendable {
  /// How many colours are used; 0 where none are.
  public let colors: Int

  /// Nil where no screen can be drawn.
  public init?(environment: [String: String]) {
    guard let term = Self.names(environment).first(where: { terminfo_load($0, STDOUT_FILENO) }),
      term != "dumb", terminfo_string("cup") != nil
    else { return nil }
    colors = Self.usesColors(environment) ? max(Int(terminfo_number("colors")), 0) : 0
  }

  /// The terminfo entries to try: that of `TERM`, and that of xterm where a terminal of its kind
  /// may be unknown on this machine, as over SSH.
  static func names(_ environment: [String: String]) -> [String] {
    guard let term = environment["TERM"], !term.isEmpty, term != "dumb" else { return [] }
    let isModern = ["xterm", "tmux", "screen", "alacritty", "foot", "kitty", "wezterm", "ghostty"]
      .contains { term.contains($0) }
    return isModern ? [term, "xterm-256color"] : [term]
  }

  /// https://no-color.org: any value but the empty one.
  static func usesColors(_ environment: [String: String]) -> Bool {
    environment["NO_COLOR"]?.isEmpty ?? true
  }
}
