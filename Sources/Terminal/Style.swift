/// A colour of text or of its background. If the terminal does not have the colour, it shows the
/// nearest one.
public enum Color: Hashable, Sendable {
  /// The terminal's default foreground or background colour.
  case standard
  /// A colour of xterm's 256-colour palette. Colours 0…15 depend on the terminal's settings; the
  /// others are the same in all terminals.
  case palette(UInt8)
}

/// The appearance of a cell.
public struct Style: Hashable, Sendable {
  /// Attributes of text, as in ECMA-48's SGR.
  public struct Attributes: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Bold text.
    public static let bold = Attributes(rawValue: 1)
    /// Faint text.
    public static let dim = Attributes(rawValue: 2)
    /// Italic text.
    public static let italic = Attributes(rawValue: 4)
    /// Underlined text.
    public static let underline = Attributes(rawValue: 8)
    /// Exchanged colours of the text and its background.
    public static let reverse = Attributes(rawValue: 16)
    /// Underlined text in a terminal without colours.
    public static let underlineWithoutColors = Attributes(rawValue: 32)
  }

  /// The colour of the text.
  public var foreground: Color
  /// The colour behind the text.
  public var background: Color
  /// The attributes of the text.
  public var attributes: Attributes

  /// Creates a style; without arguments, the terminal's default one.
  public init(
    _ foreground: Color = .standard, on background: Color = .standard,
    _ attributes: Attributes = []
  ) {
    self.foreground = foreground
    self.background = background
    self.attributes = attributes
  }
}
