/// How Arabic text is sent to the terminal.
public enum ArabicMode: String, CaseIterable, Sendable {
  /// The text is sent in logical order. The terminal reorders it and joins its letters.
  case terminal
  /// This program reorders the text and joins its letters.
  case shaped
  /// Arabic is not shown.
  case off
}

/// The mode in which Arabic is shown in one kind of terminal, and the reason for it.
public struct ArabicSetting: Hashable, Sendable {
  /// The reason why a mode is used.
  public enum Reason: Hashable, Sendable {
    /// The configuration file contains the mode.
    case configured
    /// The user chose the mode for this kind of terminal.
    case chosen
    /// The terminal is known to reorder text.
    case knownToReorder
    /// The terminal is not known to reorder text, so this program does it.
    case notKnownToReorder
  }

  /// The kind of terminal, such as `vte`.
  public let terminal: String
  /// Whether the terminal is known to reorder text.
  public let isKnownToReorder: Bool
  /// The mode in the configuration file; nil if the file leaves it to the program.
  public let configured: ArabicMode?
  /// The mode that the user chose for this kind of terminal; nil for none.
  public var chosen: ArabicMode?

  /// Creates a setting in which the user has not chosen a mode.
  ///
  /// - Parameters:
  ///   - terminal: The kind of terminal, such as `vte`.
  ///   - isKnownToReorder: Whether the terminal is known to reorder text.
  ///   - configured: The mode in the configuration file; nil if the file leaves it to the program.
  public init(terminal: String, isKnownToReorder: Bool, configured: ArabicMode? = nil) {
    self.terminal = terminal
    self.isKnownToReorder = isKnownToReorder
    self.configured = configured
  }

  /// The mode that is used. The configuration file takes precedence over the user's choice, and the
  /// choice over what is known about the terminal.
  public var mode: ArabicMode {
    configured ?? chosen ?? (isKnownToReorder ? .terminal : .shaped)
  }

  /// The reason why `mode` is used.
  public var reason: Reason {
    if configured != nil { return .configured }
    if chosen != nil { return .chosen }
    return isKnownToReorder ? .knownToReorder : .notKnownToReorder
  }

  /// The key under which the library stores the user's choice; see `DeviceKey`.
  public var key: String { DeviceKey.arabicDisplay(terminal: terminal) }

  /// Sets `chosen` to the stored choice; nil if there is none, or if its value is unknown.
  ///
  /// - Parameter values: The values of this device in the library.
  public mutating func readChoice(from values: [String: String]) {
    chosen = values[key].flatMap(ArabicMode.init)
  }
}
