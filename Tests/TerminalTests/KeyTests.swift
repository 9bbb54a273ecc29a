import Testing

@testable import Terminal

struct KeyTests {
  // MARK: Text

  @Test func printableASCIIIsText() throws {
    for byte in UInt8(0x20)...0x7E {
      try expect([byte], are: [.key(.character(Character(Unicode.Scalar(byte))))])
    }
  }

  @Test func multibyteLettersAreOneKey() throws {
    for letter: Character in ["đ", "ế", "م", "日", "👍", "\u{7FF}", "\u{FFFD}", "\u{10FFFF}"] {
      try expect(String(letter), is: .character(letter))
    }
  }

  @Test func aWordArrivesLetterByLetter() throws {
    try expect("đức tin", are: "đức tin".map { .key(.character($0)) })
  }

  @Test func decomposedLettersArriveScalarByScalar() throws {
    let scalars: [Unicode.Scalar] = ["e", "\u{302}", "\u{301}", "a", "\u{323}"]
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars)
    try expect(String(text), are: scalars.map { .key(.character(Character($0))) })
  }

  // MARK: Control keys

  @Test func controlLettersAreLettersWithControl() throws {
    let special: Set<UInt8> = [0x08, 0x09, 0x0A, 0x0D]
    for byte in UInt8(0x01)...0x1A where !special.contains(byte) {
      try expect([byte], are: [.key(.control(Character(Unicode.Scalar(byte + 0x60))))])
    }
    try expect("\u{0}", is: .control(" "))
    try expect("\u{1C}\u{1D}\u{1E}\u{1F}", are: "\\]^_".map { .key(.control($0)) })
  }

  @Test func controlCodesOfEnterTabAndBackspace() throws {
    try expect("\r", is: Key(.enter))
    try expect("\n", is: Key(.enter))
    try expect("\r\n", are: [.key(Key(.enter)), .key(Key(.enter))])
    try expect("\t", is: Key(.tab))
    try expect("\u{8}", is: Key(.backspace))
    try expect("\u{7F}", is: Key(.backspace))
  }

  // MARK: Cursor and editing keys

  private static let lettered: [(String, Key.Code)] = [
    ("A", .up), ("B", .down), ("C", .right), ("D", .left), ("H", .home), ("F", .end),
    ("P", .function(1)), ("Q", .function(2)), ("R", .function(3)), ("S", .function(4)),
  ]
  private static let numbered: [(Int, Key.Code)] = [
    (1, .home), (2, .insert), (3, .delete), (4, .end), (5, .pageUp), (6, .pageDown), (7, .home),
    (8, .end), (11, .function(1)), (12, .function(2)), (13, .function(3)), (14, .function(4)),
    (15, .function(5)), (17, .function(6)), (18, .function(7)), (19, .function(8)),
    (20, .function(9)), (21, .function(10)), (23, .function(11)), (24, .function(12)),
  ]
  /// xterm's modifier parameters: 1 plus the flags. The flag 8 is Meta, which has no modifier here.
  private static let modified: [(Int, Key.Modifiers)] = [
    (1, []), (2, .shift), (3, .alt), (4, [.shift, .alt]), (5, .control), (6, [.shift, .control]),
    (7, [.alt, .control]), (8, [.shift, .alt, .control]), (9, []), (13, .control),
  ]

  @Test func cursorKeysInBothModes() throws {
    for (letter, code) in Self.lettered {
      try expect("\u{1B}[\(letter)", is: Key(code))
      try expect("\u{1B}O\(letter)", is: Key(code))
    }
    try expect("\u{1B}OM", is: Key(.enter))
  }

  @Test func numberedKeys() throws {
    for (number, code) in Self.numbered { try expect("\u{1B}[\(number)~", is: Key(code)) }
  }

  @Test func modifiersAreTakenFromTheSecondParameter() throws {
    for (parameter, modifiers) in Self.modified {
      for (letter, code) in Self.lettered {
        try expect("\u{1B}[1;\(parameter)\(letter)", is: Key(code, modifiers))
      }
      for (number, code) in Self.numbered {
        try expect("\u{1B}[\(number);\(parameter)~", is: Key(code, modifiers))
      }
    }
    try expect("\u{1B}[Z", is: Key(.tab, .shift))
    try expect("\u{1B}[1;5Z", is: Key(.tab, [.shift, .control]))
  }

  @Test func functionKeysOfTheLinuxConsole() throws {
    for (letter, number) in zip("ABCDE", 1...) {
      try expect("\u{1B}[[\(letter)", is: Key(.function(number)))
    }
  }

  @Test func keysOfCSIU() throws {
    try expect("\u{1B}[97u", is: "a")
    try expect("\u{1B}[97;5u", is: .control("a"))
    try expect("\u{1B}[97;6u", is: Key(.character("a"), [.shift, .control]))
    try expect("\u{1B}[97:65;2u", is: Key(.character("A")))
    try expect("\u{1B}[7871;3u", is: Key(.character("ế"), .alt))
    try expect("\u{1B}[27u", is: Key(.escape))
    try expect("\u{1B}[13;2u", is: Key(.enter, .shift))
    try expect("\u{1B}[9;5u", is: Key(.tab, .control))
    try expect("\u{1B}[127;3u", is: Key(.backspace, .alt))
    try expect("\u{1B}[32;5u", is: .control(" "))
  }

  @Test func keysOfModifyOtherKeys() throws {
    try expect("\u{1B}[27;5;97~", is: .control("a"))
    try expect("\u{1B}[27;3;7871~", is: Key(.character("ế"), .alt))
    try expect("\u{1B}[27;2;13~", is: Key(.enter, .shift))
    try expect("\u{1B}[27;2;71~", is: Key(.character("G")))
    try expect("\u{1B}[27;2;58~", is: Key(.character(":")))
    try expect("\u{1B}[27;6;65~", is: .control("A"))
    try expect("\u{1B}[27;5;32~", is: .control(" "))
    try expect("\u{1B}[27;1;27~", is: Key(.escape))
  }

  @Test func invalidCharacterCodesAreSkipped() throws {
    for code in ["", "0", "-1", "128", "159", "55296", "1114112", "99999999999999999999999"] {
      try expectSkipped("\u{1B}[\(code)u")
      try expectSkipped("\u{1B}[27;5;\(code)~")
    }
  }

  // MARK: Alt and Esc

  @Test func escBeforeAKeyIsAlt() throws {
    try expect("\u{1B}j", is: Key(.character("j"), .alt))
    try expect("\u{1B}ế", is: Key(.character("ế"), .alt))
    try expect("\u{1B}👍", is: Key(.character("👍"), .alt))
    try expect("\u{1B}\r", is: Key(.enter, .alt))
    try expect("\u{1B}\u{7F}", is: Key(.backspace, .alt))
    try expect("\u{1B}\u{4}", is: Key(.character("d"), [.alt, .control]))
    try expect("\u{1B}Ođ", are: [.key(Key(.character("O"), .alt)), .key("đ")])
  }

  @Test func aLoneEscIsTheEscKeyIfNothingFollows() throws {
    try TypedKeyboard.with { keyboard in
      let escape = try keyboard.events([0x1B], flush: false)
      let next = try keyboard.events(Array("j".utf8), flush: false)
      #expect(escape == [.key(Key(.escape))] && next == [.key("j")])
    }
  }

  @Test func escTwiceIsTheEscKeyTwice() throws {
    #expect(try events([0x1B, 0x1B]) == [.key(Key(.escape)), .key(Key(.escape))])
    try expect("\u{1B}\u{1B}[A", are: [.key(Key(.escape)), .key(Key(.up))])
  }

  @Test func altWithTheBeginningOfASequence() throws {
    for letter: Character in ["[", "O"] {
      #expect(try events("\u{1B}\(letter)".utf8) == [.key(Key(.character(letter), .alt))])
    }
  }

  @Test func truncatedSequencesAreDropped() throws {
    for text in ["\u{1B}[1", "\u{1B}[1;5", "\u{1B}[<0;1", "\u{1B}[[", "\u{1B}[M!"] {
      #expect(try events(text.utf8) == [], "\(Array(text.utf8))")
    }
    for bytes: [UInt8] in [[0xC4], [0xE1, 0xBA], [0xF0, 0x9F, 0x91]] {
      #expect(try events(bytes) == [])
    }
  }

  // MARK: Invalid input

  @Test func unknownSequencesAreSkippedWhole() throws {
    for body in [
      "?1;2c", ">0;276;0c", "?2026;2$y", "I", "E", "99~", "1;2;3;4;5z", "?1u", ">4;2m", "0n",
      "8;24;80t", "24;80R", "201~", "!p", " q",
    ] {
      try expectSkipped("\u{1B}[\(body)")
    }
    try expectSkipped("\u{1B}[[Z")
  }

  @Test func damagedSequencesDoNotAffectLaterKeys() throws {
    for (damaged, rest) in [
      ("\u{1B}[", "\r"), ("\u{1B}[1;", "\u{7F}"), ("\u{1B}[<0;3", "đ"), ("\u{1B}[12", "\u{1B}[B"),
      ("\u{1B}[[", "\u{1B}[B"), ("\u{1B}[[", "đ"), ("\u{1B}[[", "\r"), ("\u{1B}[?", "日"),
    ] {
      try expect(damaged + rest, are: try events(rest.utf8))
    }
  }

  @Test func invalidUTF8DoesNotAffectLaterKeys() throws {
    let damaged: [[UInt8]] = [
      [0x80], [0xBF], [0xC0, 0xAF], [0xC1, 0x81], [0xC4], [0xE1, 0xBA], [0xF0, 0x9F, 0x91],
      [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF5], [0xFF], [0xFE],
    ]
    for bytes in damaged {
      try expect(bytes + Array("đ".utf8), are: [.key("đ")])
      try expect([0x1B] + bytes + Array("j".utf8), are: [.key("j")])
    }
  }

  @Test func eightBitControlsAreSkipped() throws {
    for value in UInt32(0x80)...0x9F {
      try expect(Array(String(Unicode.Scalar(value)!).utf8) + [0x6A], are: [.key("j")])
    }
  }

  @Test func anUnterminatedSequenceHasAMaximumLength() {
    var decoder = InputDecoder()
    for byte in "\u{1B}[".utf8 { #expect(decoder.take(.byte(byte)) == []) }
    for _ in 0..<InputDecoder.longestSequence {
      #expect(decoder.take(.byte(UInt8(ascii: "1"))) == [])
    }
    #expect(!decoder.isWaiting)
    #expect(decoder.take(.byte(UInt8(ascii: "j"))) == [.key("j")])
  }

  // MARK: Terminals

  @Test func keysOfOtherTerminals() throws {
    let keys: [(String, String, Key)] = [
      ("linux", "\u{1B}[[A", Key(.function(1))), ("linux", "\u{1B}[1~", Key(.home)),
      ("linux", "\u{1B}[25~", Key(.function(1), .shift)),
      ("vt100", "\u{1B}OA", Key(.up)), ("vt52", "\u{1B}A", Key(.up)),
      ("screen-256color", "\u{1B}OB", Key(.down)),
      ("screen-256color", "\u{1B}[1;5C", Key(.right, .control)),
      ("rxvt", "\u{1B}[7~", Key(.home)), ("rxvt", "\u{1B}Oa", Key(.up, .control)),
      ("sun", "\u{1B}[224z", Key(.function(1))), ("sun", "\u{1B}[222z", Key(.pageDown)),
    ]
    for (term, sequence, key) in keys { try expect(sequence, is: key, term: term) }
  }

  @Test func keypadKeysInApplicationMode() throws {
    try expect("\u{1B}Op\u{1B}Oy\u{1B}Ok", are: ["0", "9", "+"].map { .key(.character($0)) })
  }

  @Test func allKeysAfterAnInvalidByteAreDecoded() throws {
    for byte: UInt8 in [0xFF, 0xE1] {
      let typed = Array("abcdefghijklmnopqrstuvwxyz01234".utf8)
      let found = try events([byte] + typed)
      #expect(found == typed.map { .key(.character(Character(Unicode.Scalar($0)))) })
    }
  }

  // MARK: Names

  @Test(arguments: [
    (Key.control("d"), "Ctrl-d"), (Key(.pageDown), "PgDn"), (" ", "Space"), ("j", "j"),
    (Key(.up, [.shift, .alt, .control]), "Ctrl-Alt-Shift-↑"), (Key(.function(12)), "F12"),
    (Key(.character(" "), .control), "Ctrl-Space"),
  ])
  func descriptionsOfKeys(_ key: Key, name: String) {
    #expect(key.description == name)
  }
}
