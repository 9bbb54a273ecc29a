/// How text in Arabic script is sent to the terminal.
public enum ArabicDisplay: String, Hashable, Sendable {
  /// In logical order, for terminals that reorder and join it themselves.
  case terminal
  /// Reordered and joined here, for all other terminals.
  case shaped

  /// Returns the display that suits a terminal.
  ///
  /// - Parameter environment: `VTE_VERSION`, `KONSOLE_VERSION`, `TERM_PROGRAM`, `TERM`, `TMUX` and
  ///   `STY` are read.
  public init(for environment: [String: String]) {
    self = Self.reordersText(environment) ? .terminal : .shaped
  }

  /// Returns a name for the kind of terminal. The user's choice in one kind of terminal does not
  /// apply to other kinds. In tmux and GNU screen the name is `tmux` or `screen`, because the
  /// program cannot find out in which terminal they run.
  ///
  /// - Parameter environment: The same variables as for `init(for:)`.
  /// - Returns: 1 to 40 lower-case ASCII letters, digits, `-`, `.` and `_`.
  public static func terminalKind(for environment: [String: String]) -> String {
    let term = environment["TERM"] ?? ""
    if environment["TMUX"] != nil || term.hasPrefix("tmux") { return "tmux" }
    if isInMultiplexer(environment) { return "screen" }
    if environment["VTE_VERSION"] != nil {
      return reordersText(environment) ? "vte" : "vte-old"
    }
    if environment["KONSOLE_VERSION"] != nil { return "konsole" }
    let name = [environment["TERM_PROGRAM"], term].compactMap { $0 }.first { !$0.isEmpty } ?? ""
    let plain = name.lowercased().filter {
      $0.isASCII && ($0.isLetter || $0.isNumber || "-._".contains($0))
    }
    return plain.isEmpty ? "unknown" : String(plain.prefix(40))
  }

  private static func isInMultiplexer(_ environment: [String: String]) -> Bool {
    let term = environment["TERM"] ?? ""
    return environment["TMUX"] != nil || environment["STY"] != nil
      || ["screen", "tmux"].contains(where: term.hasPrefix)
  }

  /// Whether the terminal is known to implement the bidirectional algorithm. Multiplexers address
  /// cells, so the terminal outside of them does not see whole lines.
  private static func reordersText(_ environment: [String: String]) -> Bool {
    let term = environment["TERM"] ?? ""
    guard !isInMultiplexer(environment) else { return false }
    // VTE 0.58
    if let version = environment["VTE_VERSION"].flatMap({ Int($0) }), version >= 5800 {
      return true
    }
    return environment["KONSOLE_VERSION"] != nil
      || environment["TERM_PROGRAM"] == "Apple_Terminal"
      || ["konsole", "mlterm", "putty"].contains(where: term.hasPrefix)
  }
}
