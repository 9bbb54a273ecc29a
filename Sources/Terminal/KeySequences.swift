import CCurses

/// The mapping from `wgetch` codes to tokens: the keys that terminfo describes, and the sequences
/// of xterm and compatible terminals, which terminfo does not always describe.
struct KeySequences {
  /// The first code that is passed to `define_key`; greater than all codes that ncurses assigns
  /// itself.
  private static let firstOwnCode: Int32 = 0x4000

  /// The tokens of the codes from `firstOwnCode` on.
  private var own: [InputToken] = []

  /// Defines the sequences in ncurses, which must have opened a terminal.
  init() {
    for (sequence, token) in Self.sequences {
      define_key(sequence, Self.firstOwnCode + Int32(own.count))
      own.append(token)
    }
  }

  /// Returns the token of a code, or nil if the code is not input (`KEY_RESIZE`) or an unknown key.
  ///
  /// - Parameter code: The result of `wgetch`.
  func token(_ code: Int32) -> InputToken? {
    switch code {
    case 0...255: return .byte(UInt8(code))
    case Self.firstOwnCode..<Self.firstOwnCode + Int32(own.count):
      return own[Int(code - Self.firstOwnCode)]
    case KEY_F0 + 1...KEY_F0 + 48:
      // Terminfo numbers the function keys with Shift, with Ctrl, and with both after the plain
      // ones.
      let (block, number) = Int(code - KEY_F0 - 1).quotientAndRemainder(dividingBy: 12)
      return .key(Key(.function(number + 1), [[], .shift, .control, [.shift, .control]][block]))
    default:
      return (Self.named(code) ?? Self.extended(code)).map { .key($0) }
    }
  }

  /// The key of one of ncurses' codes.
  private static func named(_ code: Int32) -> Key? {
    switch code {
    case KEY_UP: Key(.up)
    case KEY_DOWN: Key(.down)
    case KEY_LEFT: Key(.left)
    case KEY_RIGHT: Key(.right)
    case KEY_HOME: Key(.home)
    case KEY_END: Key(.end)
    case KEY_PPAGE: Key(.pageUp)
    case KEY_NPAGE: Key(.pageDown)
    case KEY_DC: Key(.delete)
    case KEY_IC: Key(.insert)
    case KEY_ENTER: Key(.enter)
    case KEY_BACKSPACE: Key(.backspace)
    case KEY_BTAB: Key(.tab, .shift)
    case KEY_SR: Key(.up, .shift)
    case KEY_SF: Key(.down, .shift)
    case KEY_SLEFT: Key(.left, .shift)
    case KEY_SRIGHT: Key(.right, .shift)
    case KEY_SHOME: Key(.home, .shift)
    case KEY_SEND: Key(.end, .shift)
    case KEY_SPREVIOUS: Key(.pageUp, .shift)
    case KEY_SNEXT: Key(.pageDown, .shift)
    case KEY_SDC: Key(.delete, .shift)
    case KEY_SIC: Key(.insert, .shift)
    default: nil
    }
  }

  /// The key of a capability with modifiers that terminfo has under xterm's extended name, such as
  /// `kLFT5`.
  private static func extended(_ code: Int32) -> Key? {
    guard let name = keyname(code).map({ String(cString: $0) }), let digit = name.last,
      let parameter = digit.wholeNumberValue, let key = extendedNames[String(name.dropLast())]
    else { return nil }
    return Key(key, modifiers(parameter))
  }

  private static let extendedNames: [String: Key.Code] = [
    "kUP": .up, "kDN": .down, "kLFT": .left, "kRIT": .right, "kHOM": .home, "kEND": .end,
    "kPRV": .pageUp, "kNXT": .pageDown, "kDC": .delete, "kIC": .insert,
  ]

  /// The modifiers of xterm's modifier parameter: 1 plus the sum of 1 (Shift), 2 (Alt), 4 (Ctrl)
  /// and 8 (Meta). Meta is ignored.
  static func modifiers(_ parameter: Int) -> Key.Modifiers {
    parameter > 1 ? Key.Modifiers(rawValue: UInt8(truncatingIfNeeded: parameter - 1) & 7) : []
  }

  // MARK: Sequences

  /// The sequences of all cursor and keypad modes.
  private static let sequences: [(String, InputToken)] = {
    var sequences: [(String, InputToken)] = [
      ("\u{1B}[<", .mouse), ("\u{1B}[M", .shortMouse), ("\u{1B}[200~", .paste),
      ("\u{1B}[201~", .pasteEnd), ("\u{1B}OM", .key(Key(.enter))),
      ("\u{1B}[Z", .key(Key(.tab, .shift))),
    ]
    for (letter, code) in lettered {
      sequences += [("\u{1B}[\(letter)", .key(Key(code))), ("\u{1B}O\(letter)", .key(Key(code)))]
    }
    for (number, code) in numbered { sequences.append(("\u{1B}[\(number)~", .key(Key(code)))) }
    for parameter in 1...16 {
      let modifiers = modifiers(parameter)
      for (letter, code) in lettered {
        sequences.append(("\u{1B}[1;\(parameter)\(letter)", .key(Key(code, modifiers))))
      }
      for (number, code) in numbered {
        sequences.append(("\u{1B}[\(number);\(parameter)~", .key(Key(code, modifiers))))
      }
      sequences.append(("\u{1B}[1;\(parameter)Z", .key(Key(.tab, modifiers.union(.shift)))))
    }
    // The Linux console's F1…F5.
    for (letter, number) in zip("ABCDE", 1...) {
      sequences.append(("\u{1B}[[\(letter)", .key(Key(.function(number)))))
    }
    for (letter, character) in zip("jklmnopqrstuvwxyX", "*+,-./0123456789=") {
      sequences.append(("\u{1B}O\(letter)", .key(.character(character))))
    }
    return sequences
  }()

  private static let lettered: [(Character, Key.Code)] = [
    ("A", .up), ("B", .down), ("C", .right), ("D", .left), ("H", .home), ("F", .end),
    ("P", .function(1)), ("Q", .function(2)), ("R", .function(3)), ("S", .function(4)),
  ]

  private static let numbered: [(Int, Key.Code)] = [
    (1, .home), (2, .insert), (3, .delete), (4, .end), (5, .pageUp), (6, .pageDown), (7, .home),
    (8, .end), (11, .function(1)), (12, .function(2)), (13, .function(3)), (14, .function(4)),
    (15, .function(5)), (17, .function(6)), (18, .function(7)), (19, .function(8)),
    (20, .function(9)), (21, .function(10)), (23, .function(11)), (24, .function(12)),
  ]
}
