/// A way to show Arabic that the user can choose.
public enum ArabicChoice: String, CaseIterable, Sendable {
  /// In logical order, for a terminal that reorders and joins it.
  case terminal
  /// Reordered and joined by this program.
  case shaped
  /// Not at all.
  case off
}

/// How Arabic is shown in this terminal, and why.
public struct ArabicSetting: Hashable, Sendable {
  /// Why a way to show Arabic is used.
  public enum Reason: Hashable, Sendable {
    /// The configuration file says so.
    case configured
    /// The user chose it for this kind of terminal.
    case chosen
    /// The terminal is known to reorder text.
    case recognised
    /// Nothing is known about the terminal.
    case standard
  }

  /// The kind of the terminal, such as `vte`; see `DeviceKey.arabicDisplay`.
  public let terminal: String
  /// Whether the terminal is known to reorder text.
  public let isRecognised: Bool
  /// The value of the configuration file; nil if it leaves the choice to the program.
  public let configured: ArabicChoice?
  /// The choice of the user for this kind of terminal; nil if there is none.
  public var chosen: ArabicChoice?

  public init(
    terminal: String, isRecognised: Bool, configured: ArabicChoice? = nil,
    chosen: ArabicChoice? = nil
  ) {
    self.terminal = terminal
    self.isRecognised = isRecognised
    self.configured = configured
    self.chosen = chosen
  }

  /// The way that is used.
  public var value: ArabicChoice {
    configured ?? chosen ?? (isRecognised ? .terminal : .shaped)
  }

  public var reason: Reason {
    if configured != nil { return .configured }
    if chosen != nil { return .chosen }
    return isRecognised ? .recognised : .standard
  }

  /// The key of the choice among the values of the device.
  public var key: String { DeviceKey.arabicDisplay(terminal: terminal) }

  /// Reads the choice from the values of the device. An unknown value counts as no choice.
  public mutating func readChoice(from device: [String: String]) {
    chosen = device[key].flatMap(ArabicChoice.init)
  }
}
