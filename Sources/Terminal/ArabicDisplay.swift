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

  /// Whether the terminal is known to implement the bidirectional algorithm. Multiplexers address
  /// cells, so the terminal outside of them does not see whole lines.
  private static func reordersText(_ environment: [String: String]) -> Bool {
    let term = environment["TERM"] ?? ""
    guard environment["TMUX"] == nil, environment["STY"] == nil,
      !["screen", "tmux"].contains(where: term.hasPrefix)
    else { return false }
    // VTE 0.58
    if let version = environment["VTE_VERSION"].flatMap({ Int($0) }), version >= 5800 {
      return true
    }
    return environment["KONSOLE_VERSION"] != nil
      || environment["TERM_PROGRAM"] == "Apple_Terminal"
      || ["konsole", "mlterm", "putty"].contains(where: term.hasPrefix)
  }
}
