/// Something that happened at the terminal.
public enum Event: Hashable, Sendable {
  case key(Key)
  case mouse(Mouse)
  /// Text pasted in one piece (bracketed paste), as it came.
  case paste(String)
  /// The terminal has a new size.
  case resized(Size)
  /// The program is asked to stop for a while, as by `kill -TSTP`.
  case suspend
  /// The program is asked to end, or its terminal is gone; the signal's number.
  case terminate(Int32)
  /// Another thread called `Screen.wake()`.
  case woken
}

/// A key with the modifiers held.
public struct Key: Hashable, Sendable {
  public enum Code: Hashable, Sendable {
    /// What the key types; a combining mark may come as a key of its own.
    case character(Character)
    case enter, tab, escape, backspace, delete, insert
    case up, down, left, right, home, end, pageUp, pageDown
    /// F1 is 1.
    case function(Int)
  }

  public struct Modifiers: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let shift = Modifiers(rawValue: 1)
    public static let alt = Modifiers(rawValue: 2)
    public static let control = Modifiers(rawValue: 4)
  }

  public var code: Code
  public var modifiers: Modifiers

  public init(_ code: Code, _ modifiers: Modifiers = []) {
    self.code = code
    self.modifiers = modifiers
  }

  /// A key that types a character.
  public static func character(_ character: Character) -> Key { Key(.character(character)) }

  /// A letter with Ctrl held.
  public static func control(_ letter: Character) -> Key { Key(.character(letter), .control) }
}

extension Key: CustomStringConvertible {
  /// The key as help shows it: `Ctrl-d`, `PgDn`, `Space`, `j`.
  public var description: String {
    var name = ""
    if modifiers.contains(.control) { name += "Ctrl-" }
    if modifiers.contains(.alt) { name += "Alt-" }
    if modifiers.contains(.shift) { name += "Shift-" }
    switch code {
    case .character(" "): name += "Space"
    case .character(let character): name += String(character)
    case .enter: name += "Enter"
    case .tab: name += "Tab"
    case .escape: name += "Esc"
    case .backspace: name += "Backspace"
    case .delete: name += "Del"
    case .insert: name += "Ins"
    case .up: name += "↑"
    case .down: name += "↓"
    case .left: name += "←"
    case .right: name += "→"
    case .home: name += "Home"
    case .end: name += "End"
    case .pageUp: name += "PgUp"
    case .pageDown: name += "PgDn"
    case .function(let number): name += "F\(number)"
    }
    return name
  }
}

extension Key: ExpressibleByExtendedGraphemeClusterLiteral {
  /// A key that types a character: `"j"`.
  public init(extendedGraphemeClusterLiteral value: Character) {
    self = .character(value)
  }
}

/// A press or a turn of the mouse; releases and motion are not reported.
public struct Mouse: Hashable, Sendable {
  public enum Button: Hashable, Sendable { case left, middle, right, wheelUp, wheelDown }

  public var button: Button
  /// Zero-based.
  public var row: Int
  /// Zero-based.
  public var column: Int

  public init(_ button: Button, row: Int, column: Int) {
    self.button = button
    self.row = row
    self.column = column
  }
}
