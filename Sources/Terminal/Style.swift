/// A colour as a theme names it; the terminal shows the nearest it has.
public enum Color: Hashable, Sendable {
  /// The terminal's own colour for text, or for what lies behind it.
  case standard
  /// One of xterm's 256: 0…15 are the terminal's own, which differ, the others are the same
  /// everywhere.
  case palette(UInt8)
}

/// How a cell looks.
public struct Style: Hashable, Sendable {
  public struct Attributes: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let bold = Attributes(rawValue: 1)
    public static let dim = Attributes(rawValue: 2)
    public static let italic = Attributes(rawValue: 4)
    public static let underline = Attributes(rawValue: 8)
    public static let reverse = Attributes(rawValue: 16)
  }

  public var foreground: Color
  public var background: Color
  public var attributes: Attributes

  public init(
    _ foreground: Color = .standard, on background: Color = .standard,
    _ attributes: Attributes = []
  ) {
    self.foreground = foreground
    self.background = background
    self.attributes = attributes
  }
}
