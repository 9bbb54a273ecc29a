import Testing

@testable import Terminal

struct KeyTests {
  // MARK: Text

  @Test func printableASCIIIsText() {
    for byte in UInt8(0x20)...0x7E {
      expect([byte], are: [.key(.character(Character(Unicode.Scalar(byte))))])
    }
  }

  @Test func lettersOfTwoToFourBytesArriveWholeHoweverTheyAreCut() {
    for letter: Character in ["đ", "ế", "م", "日", "👍", "\u{7FF}", "\u{FFFD}", "\u{10FFFF}"] {
      expect(String(letter), is: .character(letter))
    }
  }

  @Test func aWordArrivesLetterByLetter() {
    expect("đức tin", are: "đức tin".map { .key(.character($0)) })
  }

  @Test func decomposedLettersArriveScalarByScalar() {
    let scalars: [Unicode.Scalar] = ["e", "\u{302}", "\u{301}", "a", "\u{323}"]
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars)
    expect(String(text), are: scalars.map { .key(.character(Character($0))) })
  }

  // MARK: Control keys

  @Test func controlLettersAreLettersWithControl() {
    let special: Set<UInt8> = [0x08, 0x09, 0x0A, 0x0D]
    for byte in UInt8(0x01)...0x1A where !special.contains(byte) {
      expect([byte], are: [.key(.control(Character(Unicode.Scalar(byte + 0x60))))])
    }
    expect("\u{0}", is: .control(" "))
    expect("\u{1C}\u{1D}\u{1E}\u{1F}", are: "\\]^_".map { .key(.control($0)) })
  }

  @Test func keysWithNamesOfTheirOwn() {
    expect("\r", is: Key(.enter))
    expect("\n", is: Key(.enter))
    expect("\r\n", are: [.key(Key(.enter)), .key(Key(.enter))])
    expect("\t", is: Key(.tab))
    expect("\u{8}", is: Key(.backspace))
    expect("\u{7F}", is: Key(.backspace))
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
  /// xterm's modifier parameters; 8 is Meta, which has no modifier here.
  private static let modified: [(Int, Key.Modifiers)] = [
    (1, []), (2, .shift), (3, .alt), (4, [.shift, .alt]), (5, .control), (6, [.shift, .control]),
    (7, [.alt, .control]), (8, [.shift, .alt, .control]), (9, []), (13, .control),
  ]

  @Test func cursorKeysInBothModes() {
    for (letter, code) in Self.lettered {
      expect("\u{1B}[\(letter)", is: Key(code))
      expect("\u{1B}O\(letter)", is: Key(code))
    }
    expect("\u{1B}OM", is: Key(.enter))
  }

  @Test func numberedKeys() {
    for (number, code) in Self.numbered { expect("\u{1B}[\(number)~", is: Key(code)) }
  }

  @Test func modifiersAreTakenFromTheSecondParameter() {
    for (parameter, modifiers) in Self.modified {
      for (letter, code) in Self.lettered {
        expect("\u{1B}[1;\(parameter)\(letter)", is: Key(code, modifiers))
      }
      for (number, code) in Self.numbered {
        expect("\u{1B}[\(number);\(parameter)~", is: Key(code, modifiers))
      }
    }
    expect("\u{1B}[Z", is: Key(.tab, .shift))
    expect("\u{1B}[1;5Z", is: Key(.tab, [.shift, .control]))
  }

  @Test func functionKeysOfTheLinuxConsole() {
    for (letter, number) in zip("ABCDE", 1...) {
      expect("\u{1B}[[\(letter)", is: Key(.function(number)))
    }
  }

  @Test func keysOfCSIU() {
    expect("\u{1B}[97u", is: "a")
    expect("\u{1B}[97;5u", is: .control("a"))
    expect("\u{1B}[97;6u", is: Key(.character("a"), [.shift, .control]))
    expect("\u{1B}[97:65;2u", is: Key(.character("a"), .shift))
    expect("\u{1B}[7871;3u", is: Key(.character("ế"), .alt))
    expect("\u{1B}[27u", is: Key(.escape))
    expect("\u{1B}[13;2u", is: Key(.enter, .shift))
    expect("\u{1B}[9;5u", is: Key(.tab, .control))
    expect("\u{1B}[127;3u", is: Key(.backspace, .alt))
    expect("\u{1B}[32;5u", is: .control(" "))
  }

  @Test func keysOfModifyOtherKeys() {
    expect("\u{1B}[27;5;97~", is: .control("a"))
    expect("\u{1B}[27;3;7871~", is: Key(.character("ế"), .alt))
    expect("\u{1B}[27;2;13~", is: Key(.enter, .shift))
    expect("\u{1B}[27;5;32~", is: .control(" "))
    expect("\u{1B}[27;1;27~", is: Key(.escape))
  }

  @Test func codesThatAreNoLettersAreNoKeys() {
    for code in ["", "0", "-1", "128", "159", "55296", "1114112", "99999999999999999999999"] {
      expectSkipped("\u{1B}[\(code)u")
      expectSkipped("\u{1B}[27;5;\(code)~")
    }
  }

  // MARK: Alt and Esc

  @Test func escBeforeAKeyIsAlt() {
    expect("\u{1B}j", is: Key(.character("j"), .alt))
    expect("\u{1B}ế", is: Key(.character("ế"), .alt))
    expect("\u{1B}👍", is: Key(.character("👍"), .alt))
    expect("\u{1B}\r", is: Key(.enter, .alt))
    expect("\u{1B}\u{7F}", is: Key(.backspace, .alt))
    expect("\u{1B}\u{4}", is: Key(.character("d"), [.alt, .control]))
    expect("\u{1B}Oj", are: [.key(Key(.character("O"), .alt)), .key("j")])
  }

  @Test func aLoneEscIsTheEscKeyOnceNothingFollows() {
    var decoder = InputDecoder()
    decoder.feed([0x1B])
    #expect(decoder.next() == nil)
    #expect(decoder.isWaiting)
    #expect(decoder.next(flush: true) == .key(Key(.escape)))
    #expect(!decoder.isWaiting)
    decoder.feed("j".utf8)
    #expect(decoder.next() == .key("j"))
  }

  @Test func escTwiceIsTheEscKeyTwice() {
    #expect(
      events([[0x1B, 0x1B]], flush: true) == [.key(Key(.escape)), .key(Key(.escape))])
    expect("\u{1B}\u{1B}[A", are: [.key(Key(.escape)), .key(Key(.up))])
  }

  @Test func altWithTheBeginningOfASequence() {
    for letter: Character in ["[", "O"] {
      #expect(
        events(["\u{1B}\(letter)".utf8], flush: true) == [.key(Key(.character(letter), .alt))])
    }
  }

  @Test func whatIsCutOffIsDropped() {
    for text in ["\u{1B}[1", "\u{1B}[1;5", "\u{1B}[<0;1", "\u{1B}[[", "\u{1B}[M!"] {
      #expect(events([text.utf8], flush: true) == [], "\(Array(text.utf8))")
    }
    for bytes: [UInt8] in [[0xC4], [0xE1, 0xBA], [0xF0, 0x9F, 0x91]] {
      #expect(events([bytes], flush: true) == [])
    }
  }

  // MARK: What is no key

  @Test func unknownSequencesAreSkippedWhole() {
    for body in [
      "?1;2c", ">0;276;0c", "?2026;2$y", "I", "E", "99~", "1;2;3;4;5z", "?1u", ">4;2m", "0n",
      "8;24;80t", "24;80R", "201~", "!p", " q",
    ] {
      expectSkipped("\u{1B}[\(body)")
    }
    expectSkipped("\u{1B}[[Z")
  }

  @Test func damagedSequencesCostOnlyThemselves() {
    for (damaged, rest) in [
      ("\u{1B}[", "\r"), ("\u{1B}[1;", "\u{7F}"), ("\u{1B}[<0;3", "đ"), ("\u{1B}[12", "\u{1B}[B"),
      ("\u{1B}[[", "\u{1B}[B"), ("\u{1B}[[", "đ"), ("\u{1B}[[", "\r"), ("\u{1B}[?", "日"),
    ] {
      expect(damaged + rest, are: events([rest.utf8]))
    }
  }

  @Test func bytesThatAreNoUTF8CostOnlyThemselves() {
    let damaged: [[UInt8]] = [
      [0x80], [0xBF], [0xC0, 0xAF], [0xC1, 0x81], [0xC4], [0xE1, 0xBA], [0xF0, 0x9F, 0x91],
      [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF5], [0xFF], [0xFE],
    ]
    for bytes in damaged {
      expect(bytes + Array("đ".utf8), are: [.key("đ")])
      expect([0x1B] + bytes + Array("j".utf8), are: [.key("j")])
    }
  }

  @Test func eightBitControlsAreNoText() {
    for value in UInt32(0x80)...0x9F {
      expect(Array(String(Unicode.Scalar(value)!).utf8) + [0x6A], are: [.key("j")])
    }
  }

  @Test func aSequenceWithoutEndIsNotWaitedForForever() {
    var decoder = InputDecoder()
    decoder.feed("\u{1B}[".utf8)
    for _ in 0..<InputDecoder.longestSequence { decoder.feed("1".utf8) }
    #expect(decoder.next() == nil)
    #expect(!decoder.isWaiting)
    decoder.feed("j".utf8)
    #expect(decoder.next() == .key("j"))
  }

  // MARK: Terminfo

  @Test func sequencesOfTerminfoComeFirst() {
    let sequences: [[UInt8]: Key] = [
      Array("\u{1B}[224z".utf8): Key(.function(1)), Array("\u{1B}[M".utf8): Key(.function(2)),
      Array("\u{1B}A".utf8): Key(.up), Array("\u{1B}[8~".utf8): Key(.insert),
      Array("\u{1B}[1;2;3;4z".utf8): Key(.delete),
    ]
    expect("\u{1B}[224z", is: Key(.function(1)), sequences: sequences)
    expect("\u{1B}[M", is: Key(.function(2)), sequences: sequences)
    expect("\u{1B}A", is: Key(.up), sequences: sequences)
    expect("\u{1B}[8~", is: Key(.insert), sequences: sequences)
    expect("\u{1B}[1;2;3;4z", is: Key(.delete), sequences: sequences)
    expect(
      "\u{1B}[5~\u{1B}B", are: [.key(Key(.pageUp)), .key(Key(.character("B"), .alt))],
      sequences: sequences)
  }

  // MARK: Names

  @Test(arguments: [
    (Key.control("d"), "Ctrl-d"), (Key(.pageDown), "PgDn"), (" ", "Space"), ("j", "j"),
    (Key(.up, [.shift, .alt, .control]), "Ctrl-Alt-Shift-↑"), (Key(.function(12)), "F12"),
    (Key(.character(" "), .control), "Ctrl-Space"),
  ])
  func aKeyIsCalledAsHelpShowsIt(_ key: Key, name: String) {
    #expect(key.description == name)
  }
}
