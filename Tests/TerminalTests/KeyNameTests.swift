import Testing

@testable import Terminal

struct KeyNameTests {
  private func expect(
    _ names: String..., are key: Key, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for name in names {
      #expect(Key.init(name) == key, "\(name)", sourceLocation: sourceLocation)
    }
  }

  private let codes: [Key.Code] =
    [
      .enter, .tab, .escape, .backspace, .delete, .insert, .up, .down, .left, .right, .home, .end,
      .pageUp, .pageDown,
    ] + (1...12).map { .function($0) }
  private let modifiers = (UInt8(0)...7).map { Key.Modifiers(rawValue: $0) }

  // MARK: As description writes them

  @Test func namedKeysAreReadAsTheyAreWritten() {
    for code in codes {
      for modifiers in modifiers {
        let key = Key(code, modifiers)
        expect(key.description, key.description.uppercased(), are: key)
        expect(key.description.lowercased(), are: key)
      }
    }
  }

  @Test func charactersAreReadAsTheyAreWritten() {
    let characters = (UInt8(0x20)...0x7E).map { Character(Unicode.Scalar($0)) } + Array("đĐếẾẤم日👍€")
    for character in characters {
      expect(Key.character(character).description, are: .character(character))
      expect(Key(.character(character), .alt).description, are: Key(.character(character), .alt))
      expect(String(character), are: .character(character))
    }
  }

  @Test func keysOfControlCodesAreReadAsTheyAreWritten() {
    for byte in UInt8(0)...0x7F where byte != 0x1B {
      for bytes in [[byte], [0x1B, byte]] where bytes != [0x1B, UInt8(ascii: "[")] {
        var decoder = InputDecoder()
        let events = bytes.flatMap { decoder.take(.byte($0)) } + decoder.flush()
        guard case .key(let key)? = events.first else {
          Issue.record("\(bytes)")
          continue
        }
        expect(key.description, are: key)
      }
    }
  }

  // MARK: As people write them

  @Test func namesThatPeopleUse() {
    expect("Up", "up", "UP", "↑", are: Key(.up))
    expect("Down", "↓", are: Key(.down))
    expect("Left", "←", are: Key(.left))
    expect("Right", "→", are: Key(.right))
    expect("Enter", "Return", "RETURN", are: Key(.enter))
    expect("Esc", "Escape", are: Key(.escape))
    expect("Backspace", "BS", are: Key(.backspace))
    expect("Del", "Delete", are: Key(.delete))
    expect("Ins", "Insert", are: Key(.insert))
    expect("PgUp", "PageUp", "pageup", are: Key(.pageUp))
    expect("PgDn", "PgDown", "PageDown", are: Key(.pageDown))
    expect("Space", "space", " ", are: " ")
    expect("F12", "f12", are: Key(.function(12)))
  }

  @Test func modifiersThatPeopleUse() {
    expect(
      "Ctrl-d", "ctrl-d", "CTRL-D", "Control-d", "C-d", "c-d", "^d", "^D", "Ctrl+d",
      are: .control("d"))
    expect("Alt-x", "alt+x", "Meta-x", "M-x", "A-x", are: Key(.character("x"), .alt))
    expect("Shift-Tab", "S-Tab", "shift+tab", are: Key(.tab, .shift))
    expect("Ctrl-Alt-Del", "Alt-Ctrl-Delete", "C-M-del", are: Key(.delete, [.control, .alt]))
    expect("Alt-^d", "Ctrl-Alt-d", "M-C-d", are: Key(.character("d"), [.control, .alt]))
    expect("Ctrl-Space", "Ctrl- ", "^ ", are: .control(" "))
  }

  @Test func signsThatAreAlsoSeparators() {
    expect("-", are: "-")
    expect("+", are: "+")
    expect("^", are: "^")
    expect("Ctrl--", are: .control("-"))
    expect("Ctrl-+", "Ctrl++", are: .control("+"))
    expect("Alt--", are: Key(.character("-"), .alt))
    expect("^^", are: .control("^"))
    expect("^-", are: .control("-"))
  }

  // MARK: As terminals send them

  @Test func ambiguousKeysAreTheOneThatTerminalsSend() {
    expect("Ctrl-i", "C-I", "^I", are: Key(.tab))
    expect("Ctrl-m", "^M", "Ctrl-j", "^J", are: Key(.enter))
    expect("Ctrl-[", "^[", are: Key(.escape))
    expect("Ctrl-h", "^H", "^?", are: Key(.backspace))
    expect("Ctrl-@", "^@", are: .control(" "))
    expect("Ctrl-/", "Ctrl-_", are: .control("_"))
    expect("Alt-Ctrl-m", are: Key(.enter, .alt))
  }

  @Test func lettersWithControlAreLowerCase() {
    for byte in UInt8(ascii: "a")...UInt8(ascii: "z") {
      let letter = Character(Unicode.Scalar(byte))
      let (small, capital) = ("Ctrl-\(letter)", "Ctrl-\(letter.uppercased())")
      var decoder = InputDecoder()
      guard case .key(let arriving)? = decoder.take(.byte(byte & 0x1F)).first else {
        Issue.record("\(letter)")
        continue
      }
      expect(small, capital, are: arriving)
    }
  }

  @Test func lettersWithShiftAreUpperCase() {
    expect("Shift-j", "S-j", "Shift-J", "J", are: "J")
    expect("Shift-đ", are: "Đ")
    expect("Alt-Shift-a", are: Key(.character("A"), .alt))
    // Only some terminals report Shift with these keys.
    expect("Ctrl-Shift-j", are: Key(.character("j"), [.control, .shift]))
    expect("Shift-Space", are: Key(.character(" "), .shift))
  }

  @Test func aLetterIsTheSameInEveryNormalizationForm() {
    expect("ế", "e\u{302}\u{301}", "ê\u{301}", are: "ế")
  }

  @Test func invalidNamesAreNoKeys() {
    for name in [
      "", "jj", "gg", "F0", "F13", "F01", "F+1", "Foo", "Ctrl-", "Ctrl-Foo", "-Ctrl",
      "Hyper-x",
      "Ctrl", "<C-d>", "Space ", " Space", "\u{1B}", "\t", "\n", "\r\n", "\0", "\u{7F}", "\u{9B}",
      "g\u{303}", "🇻🇳", "👩‍👧", "Ctrl-dd", "--", "^^^", "đọc",
    ] {
      #expect(Key.init(name) == nil, "\(name.debugDescription)")
    }
    expect("F", are: "F")
    expect("f", are: "f")
  }
}
