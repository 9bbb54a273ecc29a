import Text

extension Key {
  /// Creates a key from its name in the format of `description` or in another common one: `Ctrl-d`,
  /// `C-d`, `^d`, `PgDn`, `PageDown`, `Space`, `↑`, `Up`, `F5`, `j`. Returns nil if there is no
  /// such key.
  ///
  /// Names are case-insensitive, but a single letter is case-sensitive: `G` is not `g`. If
  /// terminals send the same bytes for the key as for another one, the result is the key that
  /// programs receive: `Ctrl-i` becomes `Tab`.
  public init?(_ name: String) {
    var rest = Substring(name)
    var modifiers: Modifiers = []
    while let (modifier, key) = Self.split(rest) {
      modifiers.insert(modifier)
      rest = key
    }
    guard let code = Code(name: rest) else { return nil }
    self = Key(code, modifiers).asReceived
  }

  /// Splits the first modifier off a name. Returns nil if the name does not begin with a modifier.
  private static func split(_ name: Substring) -> (Modifiers, Substring)? {
    if name.first == "^", name.count == 2 { return (.control, name.dropFirst()) }
    guard let end = name.firstIndex(where: { $0 == "-" || $0 == "+" }),
      let modifier = modifierNames[name[..<end].lowercased()],
      case let key = name[end...].dropFirst(), !key.isEmpty
    else { return nil }
    return (modifier, key)
  }

  private static let modifierNames: [String: Modifiers] = [
    "ctrl": .control, "control": .control, "c": .control,
    "alt": .alt, "meta": .alt, "a": .alt, "m": .alt,
    "shift": .shift, "s": .shift,
  ]

  /// The key that programs receive if this key is pressed. Ctrl with a character sends one of the
  /// 33 control codes (ECMA-48), some of which are keys of their own; Shift with a letter sends the
  /// capital letter.
  var asReceived: Key {
    guard case .character(let character) = code else { return self }
    switch modifiers.intersection([.control, .shift]) {
    case .control:
      let key = Self.controlled(character)
      return Key(key.code, key.modifiers.union(modifiers.subtracting(.control)))
    case .shift:
      let capital = character.uppercased()
      guard character.isCased, let letter = Code(name: capital[...]) else { return self }
      return Key(letter, modifiers.subtracting(.shift))
    default: return self
    }
  }

  private static func controlled(_ character: Character) -> Key {
    switch character {
    case "i", "I": Key(.tab)
    case "j", "J", "m", "M": Key(.enter)
    case "h", "H", "?": Key(.backspace)
    case "[": Key(.escape)
    case "@": .control(" ")
    case "/": .control("_")
    case "A"..."Z": .control(Character(character.lowercased()))
    default: .control(character)
    }
  }
}

extension Key.Code {
  /// - Parameter name: The name of a key without modifiers.
  fileprivate init?(name: Substring) {
    if name.count == 1 {
      self.init(symbol: name)
    } else if let code = Self.names[name.lowercased()] {
      self = code
    } else if let number = (1...12).first(where: { name.lowercased() == "f\($0)" }) {
      self = .function(number)
    } else {
      return nil
    }
  }

  private init?(symbol: Substring) {
    switch symbol {
    case "↑": self = .up
    case "↓": self = .down
    case "←": self = .left
    case "→": self = .right
    default:
      // The decoder reports one key for each scalar, so a character of several scalars is not a
      // key.
      let scalars = String(symbol).nfc.unicodeScalars
      guard let scalar = scalars.first, scalars.count == 1,
        scalar.properties.generalCategory != .control
      else { return nil }
      self = .character(Character(scalar))
    }
  }

  private static let names: [String: Key.Code] = [
    "space": .character(" "),
    "enter": .enter, "return": .enter,
    "tab": .tab,
    "esc": .escape, "escape": .escape,
    "backspace": .backspace, "bs": .backspace,
    "del": .delete, "delete": .delete,
    "ins": .insert, "insert": .insert,
    "up": .up, "down": .down, "left": .left, "right": .right,
    "home": .home, "end": .end,
    "pgup": .pageUp, "pageup": .pageUp,
    "pgdn": .pageDown, "pgdown": .pageDown, "pagedown": .pageDown,
  ]
}
