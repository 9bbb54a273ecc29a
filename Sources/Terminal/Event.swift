/// An input event of the terminal.
public enum Event: Hashable, Sendable {
  /// A key was pressed.
  case key(Key)
  /// A mouse button was pressed or the wheel was turned.
  case mouse(Mouse)
  /// Text was pasted (bracketed paste). The text is unfiltered.
  case paste(String)
  /// The terminal has a new size.
  case resized(Size)
  /// The process was asked to stop, as by `kill -TSTP`.
  case suspend
  /// The process was asked to end, or its terminal was closed. The value is the signal's number.
  case terminate(Int32)
  /// Another thread called `TerminalDevice.wake`.
  case woken
}

/// A key and the modifiers held with it.
public struct Key: Hashable, Sendable {
  /// The key without its modifiers.
  public enum Code: Hashable, Sendable {
    /// The character that the key types. A combining mark can arrive as a separate key.
    case character(Character)
    /// A key that edits text or controls the program.
    case enter, tab, escape, backspace, delete, insert
    /// A key that moves the cursor or scrolls.
    case up, down, left, right, home, end, pageUp, pageDown
    /// A function key; F1 is 1.
    case function(Int)
  }

  /// Modifier keys.
  public struct Modifiers: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The Shift key.
    public static let shift = Modifiers(rawValue: 1)
    /// The Alt key.
    public static let alt = Modifiers(rawValue: 2)
    /// The Ctrl key.
    public static let control = Modifiers(rawValue: 4)
  }

  /// The key without its modifiers.
  public var code: Code
  /// The modifiers held with the key.
  public var modifiers: Modifiers

  /// Creates a key with the given modifiers.
  public init(_ code: Code, _ modifiers: Modifiers = []) {
    self.code = code
    self.modifiers = modifiers
  }

  /// Returns the key that types a character.
  public static func character(_ character: Character) -> Key { Key(.character(character)) }

  /// Returns the key of a letter with Ctrl.
  public static func control(_ letter: Character) -> Key { Key(.character(letter), .control) }
}

extension Key: CustomStringConvertible {
  /// The key as the help screen shows it: `Ctrl-d`, `PgDn`, `Space`, `j`.
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
  /// Creates the key that types a character: `"j"`.
  public init(extendedGraphemeClusterLiteral value: Character) {
    self = .character(value)
  }
}

/// A press of a mouse button or a turn of the wheel. Releases and motion are not reported.
public struct Mouse: Hashable, Sendable {
  /// A mouse button or a direction of the wheel.
  public enum Button: Hashable, Sendable { case left, middle, right, wheelUp, wheelDown }

  /// The button or the direction of the wheel.
  public var button: Button
  /// The zero-based row.
  public var row: Int
  /// The zero-based column.
  public var column: Int

  /// Creates a mouse event from a zero-based row and column.
  public init(_ button: Button, row: Int, column: Int) {
    self.button = button
    self.row = row
    self.column = column
  }
}
