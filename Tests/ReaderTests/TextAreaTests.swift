import Foundation
import Terminal
import TestSupport
import Testing
import Text

@testable import Reader

@Suite struct TextAreaTests {
  // MARK: The text

  @Test func textIsKeptExceptForNormalisation() {
    let texts: [(String, String)] = [
      ("", ""), ("\n", "\n"), ("\n\n", "\n\n"), ("a\n", "a\n"), ("  a  ", "  a  "),
      ("một\r\nhai\rba\nbốn", "một\nhai\nba\nbốn"), ("\r\n\r\n", "\n\n"), ("\r\r\n\n", "\n\n\n"),
      ("đấng".decomposed, "đấng"), ("a\u{323}\u{302}", "ậ"), ("a\u{302}\u{323}", "ậ"),
      ("a\u{2028}b\u{2029}c\u{85}d", "a\u{2028}b\u{2029}c\u{85}d"), ("a\tb", "a\tb"),
      ("\u{1B}]0;x\u{7}", "\u{1B}]0;x\u{7}"), ("\u{202E}a\u{200B}", "\u{202E}a\u{200B}"),
      ("a\0b", "ab"), ("e\0\u{302}", "ê"), ("a\r\0\nb", "a\n\nb"), ("\0", ""),
      ("\u{301}a", "\u{301}a"), ("\u{FEFF}a", "\u{FEFF}a"),
    ]
    for (given, kept) in texts {
      let area = TextArea(given, width: 7)
      #expect(Array(area.text.utf8) == Array(kept.utf8), "\(given.debugDescription)")
      #expect(area.byteCount == kept.utf8.count)
      #expect(area.isEmpty == kept.isEmpty)
      #expect(area.marked == kept + "|")
      var pasted = TextArea("", width: 7)
      pasted.insert(given)
      #expect(pasted == area)
    }
  }

  @Test func decomposedVietnameseIsComposedKeyByKey() {
    var area = TextArea("", width: 20)
    area.type("e\u{302}\u{301}")
    #expect(Array(area.text.unicodeScalars) == ["ế"])
    area.type("Đấng Từ Bi".decomposed)
    #expect(Array(area.text.utf8) == Array("ếĐấng Từ Bi".utf8))
    for _ in 0..<3 { area.press(Key(.backspace)) }
    #expect(area.text == "ếĐấng Từ")
    #expect(area.byteCount == area.text.utf8.count)
  }

  @Test func combiningMarksJoinTheirNeighbours() {
    // The text before the cursor, the inserted text, the text after the cursor, and the result.
    let texts: [(String, String, String, String)] = [
      ("e", "\u{302}", "", "ê|"), ("ê", "\u{301}", "x", "ế|x"), ("e\u{323}", "\u{302}", "", "ệ|"),
      ("", "\u{301}", "", "\u{301}|"), ("", "e", "\u{301}", "é|"),
      ("a\n", "e", "\u{301}\nb", "a\né|\nb"), ("\u{1B}", "\u{301}", "", "\u{1B}\u{301}|"),
      ("e", "x\u{323}", "", "ex\u{323}|"), ("", "e\u{302}", "\u{323}", "ệ|"),
      ("か", "\u{3099}", "", "が|"), ("\u{1100}", "\u{1161}\u{11A8}", "", "각|"),
      ("가", "\u{11A8}", "", "각|"), ("ب\u{651}", "\u{64E}", "", "ب\u{64E}\u{651}|"),
      ("👩", "\u{200D}", "👧", "👩\u{200D}👧|"), ("👍", "\u{1F3FD}", "", "👍🏽|"),
      ("🇻", "🇳", "", "🇻🇳|"), ("🇻", "a", "🇳", "🇻a|🇳"),
    ]
    for (before, typed, after, whole) in texts {
      var keys = TextArea(marked: "\(before)|\(after)", width: 9)
      keys.type(typed)
      #expect(keys.marked == whole.nfc, "\(whole.debugDescription)")
      var pasted = TextArea(marked: "\(before)|\(after)", width: 9)
      pasted.insert(typed)
      #expect(pasted == keys)
    }
  }

  @Test func textJoinedByADeletionIsNormalised() {
    let texts: [(String, Key, String)] = [
      ("e\n|\u{301}", Key(.backspace), "é|"), ("e|\n\u{301}", Key(.delete), "é|"),
      ("e\u{1B}|\u{301}x", Key(.backspace), "é|x"), ("🇻a|🇳x", Key(.backspace), "🇻🇳|x"),
      ("e|abc\n\u{301}", .control("k"), "e|\n\u{301}"),
    ]
    for (before, key, after) in texts {
      var area = TextArea(marked: before, width: 9)
      area.press(key)
      #expect(area.marked == after)
      area.press(.control("_"))
      #expect(area.marked == before)
    }
  }

  // MARK: Keys

  @Test func editingKeysChangeTheText() {
    let family = "👨‍👩‍👧‍👦"
    let four = "لَّٰٓ"
    let cases: [(String, [Key], String)] = [
      ("a|c", ["b"], "ab|c"), ("|", ["đ", " ", "日"], "đ 日|"),
      ("a|", [Key(.character("B"), .shift)], "aB|"),
      ("ab|cd", [Key(.enter)], "ab\n|cd"), ("ab|", [Key(.enter), Key(.enter), "c"], "ab\n\nc|"),
      ("ab|c", [Key(.backspace)], "a|c"), ("ab|c", [.control("h")], "a|c"),
      ("|ab", [Key(.backspace)], "|ab"), ("a\n|b", [Key(.backspace)], "a|b"),
      ("a\(family)|b", [Key(.backspace)], "a|b"), ("\(four)|b", [Key(.backspace)], "|b"),
      ("🇻🇳🇸🇦|", [Key(.backspace)], "🇻🇳|"), ("\u{301}|", [Key(.backspace)], "|"),
      ("a|bc", [Key(.delete)], "a|c"), ("a|bc", [.control("d")], "a|c"),
      ("a|", [Key(.delete)], "a|"),
      ("a|\nb", [Key(.delete)], "a|b"), ("a|\(family)b", [Key(.delete)], "a|b"),
      ("|\(four)b", [Key(.delete)], "|b"),
      ("một hai  |ba", [.control("w")], "một |ba"), ("một hai|", [Key(.backspace, .alt)], "một |"),
      ("một\n  |", [.control("w")], "một\n|"), ("một\n|hai", [.control("w")], "một|hai"),
      ("a\tb\u{2028}|", [.control("w")], "a\t|"), ("|a", [.control("w")], "|a"),
      ("x\nmột h|ai", [.control("u")], "x\n|ai"), ("x\n|ai", [.control("u")], "x\n|ai"),
      ("một |hai\nx", [.control("k")], "một |\nx"), ("một|\nhai", [.control("k")], "một|hai"),
      ("một|", [.control("k")], "một|"),
    ]
    for (before, keys, after) in cases {
      for width in [1, 2, 3, 5, 80] {
        var area = TextArea(marked: before, width: width)
        for key in keys { area.press(key) }
        #expect(area.marked == after, "\(before.debugDescription) \(keys) \(width)")
        #expect(area.byteCount == area.text.utf8.count)
      }
    }
  }

  @Test func keysMoveByClusterWordAndLine() {
    let family = "👨‍👩‍👧‍👦"
    let cases: [(String, [Key], String)] = [
      ("ab|c", [Key(.left)], "a|bc"), ("ab|c", [.control("b")], "a|bc"), ("|a", [Key(.left)], "|a"),
      ("a\n|b", [Key(.left)], "a|\nb"), ("a\(family)|b", [Key(.left)], "a|\(family)b"),
      ("بِسۡمِ|", [Key(.left)], "بِسۡ|مِ"), ("🇻🇳🇸🇦|", [Key(.left)], "🇻🇳|🇸🇦"),
      ("a|bc", [Key(.right)], "ab|c"), ("a|bc", [.control("f")], "ab|c"),
      ("a|", [Key(.right)], "a|"),
      ("a|\nb", [Key(.right)], "a\n|b"), ("a|\(family)b", [Key(.right)], "a\(family)|b"),
      ("một hai|", [Key(.left, .control)], "một |hai"),
      ("một |hai", [Key(.left, .control)], "|một hai"),
      ("một h|ai", [Key(.character("b"), .alt)], "một |hai"),
      ("| a", [Key(.left, .control)], "| a"),
      ("một\n \n\n |x", [Key(.left, .control)], "|một\n \n\n x"),
      (" \n|", [Key(.left, .control)], "| \n"),
      ("m|ột hai", [Key(.right, .control)], "một| hai"),
      ("một| hai", [Key(.right, .control)], "một hai|"),
      ("một|  hai x", [Key(.character("f"), .alt)], "một  hai| x"),
      ("một|\n \n\n hai", [Key(.right, .control)], "một\n \n\n hai|"),
      ("a| \n", [Key(.right, .control)], "a \n|"),
      ("x\nab|c\ny", [Key(.home)], "x\n|abc\ny"), ("x\nab|c\ny", [.control("a")], "x\n|abc\ny"),
      ("x\na|bc\ny", [Key(.end)], "x\nabc|\ny"), ("x\na|bc\ny", [.control("e")], "x\nabc|\ny"),
      ("x\nab|c\ny", [Key(.home, .control)], "|x\nabc\ny"),
      ("x\nab|c\ny", [Key(.end, .control)], "x\nabc\ny|"),
    ]
    for (before, keys, after) in cases {
      var area = TextArea(marked: before, width: 40)
      for key in keys { area.press(key) }
      #expect(area.marked == after, "\(before.debugDescription) \(keys)")
      #expect(area == TextArea(marked: after, width: 40))
    }
  }

  @Test func upAndDownMoveByRowAndKeepTheColumn() {
    var area = TextArea(marked: "abcdef\nab\n\n日本語x|\n🇻🇳", width: 6)
    // Seven columns: the x and the cursor are on a row of their own.
    #expect(area.rows(0..<area.rowCount) == ["abcdef", "", "ab", "", "日本語", "x", "🇻🇳"])
    #expect(area.cursor == (5, 1))
    let keys: [Key] = [Key(.up), .control("p"), Key(.up), Key(.up), Key(.up), Key(.up)]
    for (key, cursor) in zip(
      keys + [.control("n")],
      [
        (4, 0), (3, 0), (2, 1), (1, 0), (0, 1), (0, 1), (1, 0),
      ])
    {
      area.press(key)
      #expect(area.cursor == cursor)
    }
    area = TextArea(marked: "abcd\n\nab\n日本\nabcd|", width: 9)
    for (key, column) in [
      (Key(.up), 4), (Key(.up), 2), (Key(.up), 0), (Key(.up), 4), (Key(.down), 0), (Key(.down), 2),
      (Key(.down), 4), (Key(.down), 4), (Key(.down), 4),
    ] {
      area.press(key)
      #expect(area.cursor.column == column)
    }
    // The cursor is never inside a wide cluster; moving left or right resets the column.
    area = TextArea(marked: "abc|\n日本\nabc", width: 9)
    area.press(Key(.down))
    #expect(area.marked == "abc\n日|本\nabc")
    area.press(Key(.left))
    area.press(Key(.down))
    #expect(area.marked == "abc\n日本\n|abc")
  }

  @Test func pageKeysMoveByTheGivenNumberOfRows() {
    var area = TextArea(marked: (0..<20).map { "\($0)" }.joined(separator: "\n") + "|", width: 9)
    area.press(Key(.pageUp), page: 7)
    #expect(area.cursor == (12, 2))
    area.press(Key(.pageUp), page: 7)
    #expect(area.cursor == (5, 1))
    area.press(Key(.pageUp), page: 7)
    #expect(area.cursor == (0, 1))
    area.press(Key(.pageDown), page: 15)
    #expect(area.cursor == (15, 2))
    area.press(Key(.pageDown), page: 15)
    #expect(area.cursor == (19, 2))
    area.press(Key(.pageUp), page: 0)
    #expect(area.cursor == (18, 2))
  }

  @Test func otherKeysAreNotHandled() {
    var keys: [Key] = [
      Key(.tab), Key(.tab, .shift), Key(.escape), Key(.insert), Key(.function(1)),
      Key(.enter, .alt),
      Key(.up, .control), Key(.pageUp, .control), Key(.left, .shift), Key(.character("x"), .alt),
      Key(.delete, .control), Key(.character(" "), .control),
    ]
    keys += "sczlogjmqrtvxyi".map { .control($0) }
    var area = TextArea(marked: "một |hai", width: 9)
    for key in keys {
      let isTaken = area.handle(key, page: 5)
      #expect(!isTaken, "\(key)")
    }
    #expect(area.marked == "một |hai")
  }

  @Test func clickMovesTheCursor() {
    var area = TextArea("một 日本\n\nhai", width: 5)
    #expect(area.rows(0..<9) == ["một ", "日本", "", "hai"])
    for (row, column, marked) in [
      (0, 0, "|một 日本\n\nhai"), (0, 2, "mộ|t 日本\n\nhai"), (0, 9, "một| 日本\n\nhai"),
      (1, 0, "một |日本\n\nhai"), (1, 1, "một |日本\n\nhai"), (1, 2, "một 日|本\n\nhai"),
      (1, 4, "một 日本|\n\nhai"), (2, 3, "một 日本\n|\nhai"), (3, 1, "một 日本\n\nh|ai"),
      (-1, -1, "|một 日本\n\nhai"), (9, 9, "một 日本\n\nhai|"),
    ] {
      area.moveCursor(toRow: row, column: column)
      #expect(area.marked == marked)
    }
  }

  // MARK: Rows

  @Test func rowsBreakAtSpacesAndInsideLongWordsOnly() {
    let texts: [(String, Int, [String])] = [
      ("", 5, [""]), ("\n", 5, ["", ""]), ("abc", 5, ["abc"]),
      ("một hai ba bốn", 7, ["một hai", "ba bốn"]), ("ab cd ef", 5, ["ab cd", "ef"]),
      ("ab cd  ef", 5, ["ab cd", "ef"]), ("ab     ef", 5, ["ab   ", "ef"]),
      ("  abcd", 5, ["  ", "abcd"]), ("a abcdefgh b", 5, ["a ", "abcde", "fgh b", ""]),
      ("abcde", 5, ["abcde", ""]), ("abcd", 5, ["abcd"]), ("abcd ", 5, ["abcd ", ""]),
      ("abcde     ", 5, ["abcde", ""]), ("abcdef", 5, ["abcde", "f"]),
      ("日本語", 5, ["日本", "語"]), ("a日本語", 5, ["a日本", "語"]),
      ("日本", 1, ["…", "…", ""]), ("日", 1, ["…", ""]), ("日 a", 1, ["…", "a", ""]),
      ("ab", 1, ["a", "b", ""]),
      ("a 👨‍👩‍👧‍👦👨‍👩‍👧‍👦", 3, ["a ", "👨‍👩‍👧‍👦", "👨‍👩‍👧‍👦"]), ("🇻🇳🇸🇦", 3, ["🇻🇳", "🇸🇦"]),
      ("ab\u{A0}cd ef", 5, ["ab\u{A0}cd", "ef"]), ("ab\tcd ef", 5, ["ab cd", "ef"]),
      ("بِسۡمِ ٱللَّهِ", 5, ["بِسۡمِ ", "ٱللَّهِ"]),
    ]
    for (text, width, rows) in texts {
      let area = TextArea(text, width: width)
      #expect(area.rows(0..<area.rowCount) == rows, "\(text.debugDescription)")
    }
  }

  @Test func cursorAfterAFullRowIsOnTheNext() {
    var area = TextArea("abcd", width: 5)
    #expect(area.cursor == (0, 4))
    area.type("e")
    #expect(area.cursor == (1, 0))
    #expect(area.rowCount == 2)
    area.type(" ")
    #expect(area.cursor == (1, 0))
    area.type("f")
    #expect(area.cursor == (1, 1))
    #expect(area.rows(0..<9) == ["abcde", "f"])
    // The cursor is before the space at the end of the row; this space is not shown.
    area.press(Key(.left), Key(.left))
    #expect(area.marked == "abcde| f")
    #expect(area.cursor == (0, 4))
  }

  @Test func growingOrShrinkingWordMovesBetweenRows() {
    var area = TextArea("một hai", width: 7)
    area.type("x")
    #expect(area.rows(0..<9) == ["một ", "haix"])
    #expect(area.cursor == (1, 4))
    area.press(Key(.backspace))
    #expect(area.rows(0..<9) == ["một hai", ""])
    area = TextArea(marked: "một haix| ba", width: 7)
    area.press(Key(.backspace))
    #expect(area.rows(0..<9) == ["một hai", "ba"])
    // A change that moves a word to the row above.
    area = TextArea(marked: "a b日|日日", width: 3)
    #expect(area.rows(0..<9) == ["a ", "b日", "日", "日"])
    area.press(Key(.left), " ")
    #expect(area.rows(0..<9) == ["a b", "日", "日", "日"])
    // An insertion after which a word breaks twice, and its undo: a Hangul vowel without a
    // consonant takes no column, the marks after it do.
    area = TextArea(" ab\u{1160}", width: 3)
    area.insert("\u{903}\u{903}")
    #expect(area.rowCount == 3)
    area.press(.control("_"))
    #expect(area.rows(0..<9) == [" ab\u{1160}", ""])
  }

  @Test func resizingRewrapsAndKeepsTheCursor() {
    var area = TextArea(marked: "một hai ba| bốn", width: 20)
    area.resize(width: 4)
    #expect(area.width == 4)
    #expect(area.rows(0..<9) == ["một ", "hai ", "ba ", "bốn"])
    #expect(area.cursor == (2, 2))
    area.resize(width: 0)
    #expect(area.width == 1)
    #expect(area.cursor.column == 0)
    area.resize(width: -3)
    #expect(area.width == 1)
    area.resize(width: 20)
    #expect(area.marked == "một hai ba| bốn")
    #expect(area == TextArea(marked: "một hai ba| bốn", width: 20))
  }

  @Test func rowsOutsideOfTheTextAreLeftOut() {
    let area = TextArea("a\nb\nc", width: 5)
    #expect(area.rows(1..<2) == ["b"])
    #expect(area.rows(1..<9) == ["b", "c"])
    #expect(area.rows(7..<9) == [])
    #expect(area.rows(-3..<1) == ["a"])
    #expect(area.rows(2..<2) == [])
  }

  /// No cluster is split, whatever stands beside it, and its width is that of the text as shown.
  @Test func clustersAreThoseOfTheStandardLibrary() {
    let partners: [Unicode.Scalar] = [
      "a", " ", "\t", "\u{1B}", "ế", "\u{301}", "ب", "\u{64E}", "\u{6DD}", "日", "각", "가",
      "\u{1100}", "\u{1161}", "\u{11A8}", "\u{200D}", "\u{200B}", "\u{FE0F}", "\u{1F3FB}", "👩",
      "\u{1F1FB}", "क", "\u{94D}", "\u{3099}", "\u{E33}", "\u{600}", "\u{AD}",
    ]
    let all = [
      0x20...0x700, 0x1E00...0x2070, 0x3000...0x3100, 0xFF00...0xFF60, 0x2E80...0x2E90,
      0x33F0...0x3410, 0x3FF0...0x4010, 0x9FF0...0xA010, 0xABF0...0xAC20, 0xD770...0xD7FB,
    ].joined().compactMap { Unicode.Scalar(UInt32($0)) }
    func cells(_ line: String) -> [TextArea.Cell] {
      let cells = TextArea.Cells(text: line, width: 9)
      return cells.sequence(0..<cells.end).map(\.cell)
    }
    for scalar in all {
      let pair = "\(scalar)a"
      let shown = pair.first.map { String($0).sanitizedLine }
      #expect(cells(pair).first?.columns == shown?.columns, "\(scalar)")
      var text = String.UnicodeScalarView()
      for partner in partners {
        text += [partner, scalar, "\u{650}", scalar, partner, scalar, "\t"]
      }
      let line = String(text)
      #expect(cells(line).map(\.length) == line.map(\.utf8.count), "\(scalar)")
    }
  }

  // MARK: Control characters

  @Test func controlCharactersAreKeptButNotShown() {
    let texts: [(String, String)] = [
      ("\u{1B}]0;x\u{7}y", "]0;xy"), ("a\u{9B}31mb\u{7F}\u{8}", "a31mb"), ("a\tb", "a b"),
      ("a\u{202E}b\u{2066}c\u{2069}d\u{200F}", "abcd"), ("a\u{2028}b\u{85}c", "a b c"),
      ("\u{301}a", "\u{25CC}\u{301}a"), ("a\u{1B}\u{301}", "a\u{25CC}\u{301}"),
      // The halves of the flag, and the space for the tab, stay clusters of their own.
      ("🇻\u{1B}🇳", "🇻\u{200B}🇳"), ("\u{600}\u{600}\t", "\u{600}\u{600}\u{200B} "),
      ("\t\u{1F3FB}", " \u{200B}\u{1F3FB}"),
    ]
    for (text, shown) in texts {
      let area = TextArea(text, width: 20)
      #expect(area.text == text)
      #expect(Array(area.rows(0..<1).joined().unicodeScalars) == Array(shown.unicodeScalars))
      #expect(area.cursor == (0, shown.columns))
    }
  }

  @Test func invisibleCharactersAreDeletedOneByOne() {
    var area = TextArea("a\u{1B}\u{200B}", width: 9)
    #expect(area.cursor == (0, 1))
    area.press(Key(.backspace))
    #expect(area.text == "a\u{1B}")
    area.press(Key(.left), "b")
    #expect(area.text == "ab\u{1B}")
  }

  // MARK: Undo

  @Test func undoRevertsARunOfTyping() {
    var area = TextArea(marked: "một |ba", width: 9)
    area.type("hai ".decomposed)
    for undo in [Key.control("_"), Key(.character("u"), .alt)] {
      area.press(undo)
      #expect(area.marked == "một |ba")
      area.press(Key(.character("r"), .alt))
      #expect(area.marked == "một hai |ba")
    }
  }

  @Test func typingRunContinuesAfterAJoinedCluster() {
    var area = TextArea(marked: "👩|👧", width: 9)
    area.type("\u{200D}x")
    #expect(area.marked == "👩\u{200D}👧x|")
    area.press(.control("_"))
    #expect(area.marked == "👩|👧")
    area.press(Key(.character("r"), .alt))
    #expect(area.marked == "👩\u{200D}👧x|")
  }

  @Test func undoRevertsStepByStep() {
    var area = TextArea("", width: 9)
    var states = [area.marked]
    func recordState() { states.append(area.marked) }
    area.type("một")
    recordState()
    area.press(Key(.enter), "h", "a", "i")
    recordState()
    area.press(Key(.backspace), Key(.backspace))
    recordState()
    area.type("ê".decomposed)
    recordState()
    area.insert("x\ny")
    recordState()
    area.insert("z")
    recordState()
    area.press(Key(.up), Key(.home))
    area.press(Key(.delete), Key(.delete), .control("k"))
    states[states.count - 1] = area.marked
    let last = area.marked
    area.press(.control("_"))
    #expect(area.text == "một\nhêx\nyz")
    area.press(Key(.character("r"), .alt))
    #expect(area.marked == last)
    area.press(.control("_"))
    for state in states.dropLast().reversed() {
      area.press(.control("_"))
      #expect(area.marked == state)
    }
    area.press(.control("_"))
    #expect(area.marked == "|")
    for _ in 0..<9 { area.press(Key(.character("r"), .alt)) }
    #expect(area.marked == last)
  }

  @Test func movingTheCursorEndsATypingRun() {
    var area = TextArea("", width: 9)
    area.type("ab")
    area.press(Key(.left), "c", .control("_"))
    #expect(area.marked == "a|b")
    area.type("d")
    area.moveCursor(toRow: 0, column: 9)
    area.type("e")
    area.press(.control("_"))
    #expect(area.marked == "adb|")
  }

  @Test func typingAfterAnUndoClearsRedo() {
    var area = TextArea("", width: 9)
    area.type("a")
    area.press(.control("_"), "b", Key(.character("r"), .alt))
    #expect(area.marked == "b|")
    area.press(.control("_"), .control("_"), .control("_"))
    #expect(area.marked == "|")
  }

  @Test func hundredStepsCanBeUndone() {
    var area = TextArea("", width: 9)
    for number in 0..<150 { area.insert("\(number)\n") }
    for _ in 0..<200 { area.press(.control("_")) }
    #expect(area.text == (0..<50).map { "\($0)\n" }.joined())
  }

  @Test func equalityComparesTextCursorAndWidth() {
    let area = TextArea(marked: "một |hai", width: 9)
    var other = area
    #expect(other == area && other.hashValue == area.hashValue)
    other.press(Key(.right))
    #expect(other != area)
    other.press(Key(.left))
    #expect(other == area)
    other.press("x", Key(.backspace))
    #expect(other == area)
    other.resize(width: 8)
    #expect(other != area)
    #expect(TextArea(marked: "mộu |hai", width: 9) != area)
  }

  // MARK: Random editing

  /// Random typing, pasting, deleting, undoing and resizing have the same result as in a string
  /// that is normalised and wrapped as a whole after each step.
  @Test(arguments: 1...8)
  func randomEditingMatchesTheReference(_ seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    let width = [1, 2, 3, 4, 5, 8, 13, 40][seed % 8]
    var area = TextArea("", width: width)
    var plain = ReferenceTextArea(width: width)
    for step in 0..<500 {
      let what = EditingStep.random(plain.text.utf8.count, using: &random)
      switch what {
      case .key(let key, let page):
        let isTaken = area.handle(key, page: page)
        #expect(isTaken, "\(key)")
        plain.handle(key, page: page)
      case .paste(let text):
        area.insert(text)
        plain.edit(0, 0, text, "paste")
      case .click(let row, let column):
        area.moveCursor(toRow: row, column: column)
        plain.click(row: row, column: column)
      case .resize(let width):
        area.resize(width: width)
        plain.width = max(width, 1)
        plain.goalColumn = nil
      }
      guard plain.agrees(with: area) else {
        Issue.record("seed \(seed), step \(step): \(what)\n\(plain.text.debugDescription)")
        return
      }
    }
  }
}

// MARK: - Support

private enum EditingStep {
  case key(Key, page: Int)
  case paste(String)
  case click(row: Int, column: Int)
  case resize(Int)

  static let scalars =
    Array(
      "aab bc  \t-ấêeo\u{302}\u{301}\u{323}日本，かが\u{3099}가\u{1100}\u{1161}\u{11A8}ب\u{64E}\u{651}\u{670}\u{6D6}\u{6DD}"
        .unicodeScalars)
    + Array(
      "👩👧\u{200D}\u{1F3FB}\u{1F1FB}\u{1F1F3}❤\u{FE0F}क\u{94D}\u{903}\u{600}\u{1B}\u{9B}"
        .unicodeScalars)
    + Array("\u{200B}\u{202E}\u{2066}\u{2069}\u{2028}\u{85}\u{AD}\u{A0}\u{3000}\n".unicodeScalars)

  static let keys: [Key] = [
    Key(.left), Key(.right), Key(.up), Key(.down), Key(.home), Key(.end), Key(.home, .control),
    Key(.end, .control), Key(.pageUp), Key(.pageDown), Key(.left, .control),
    Key(.right, .control), .control("w"), .control("u"), .control("k"), Key(.enter),
  ]
  static let frequentKeys: [Key] = [
    Key(.backspace), Key(.delete), Key(.left), Key(.right), .control("_"),
    Key(.character("r"), .alt),
  ]

  static func random(_ size: Int, using random: inout SeededGenerator) -> EditingStep {
    func scalar() -> Unicode.Scalar { scalars.randomElement(using: &random) ?? "a" }
    func key(_ keys: [Key]) -> Key { keys.randomElement(using: &random) ?? "a" }
    switch Int.random(in: 0..<40, using: &random) {
    // A text that has grown is cut down again.
    case _ where size > 500:
      return .key(
        key([Key(.home, .control), .control("k"), .control("u"), .control("w")]), page: 1)
    case 0:
      return .resize(Int.random(in: -1...14, using: &random))
    case 1:
      return .click(
        row: Int.random(in: -1...30, using: &random),
        column: Int.random(in: -1...20, using: &random))
    case 2...4:
      let text = (0..<Int.random(in: 0...12, using: &random)).map { _ in String(scalar()) }.joined()
      return .paste(text + (["", "\r\n", "\r", "\0", "x"].randomElement(using: &random) ?? ""))
    case 5:
      return .paste(String(repeating: String(scalar()), count: 20))
    case 6...12:
      return .key(key(keys), page: Int.random(in: 0...4, using: &random))
    case 13...19:
      return .key(key(frequentKeys), page: 1)
    default:
      let typed = scalar()
      return .key(typed == "\n" ? Key(.enter) : .character(Character(typed)), page: 1)
    }
  }
}

/// A simple and slow reference implementation of a text area: one string, and the cursor as an
/// offset in bytes.
private struct ReferenceTextArea {
  private(set) var text = ""
  private var cursor = 0
  var width: Int
  var goalColumn: Int?
  private var done: [(before: (String, Int), after: (String, Int))] = []
  private var undone: [(before: (String, Int), after: (String, Int))] = []
  private var run = ""

  init(width: Int) { self.width = width }

  private typealias Cell = (cluster: Character, offset: Int, columns: Int, isBlank: Bool)

  private struct Row {
    var start: Int
    var cells: [Cell] = []
    var columns: Int { cells.reduce(0) { $0 + $1.columns } }
  }

  /// The clusters with their offsets in bytes and their widths.
  private var cells: [Cell] {
    var offset = 0
    return text.map { cluster in
      defer { offset += cluster.utf8.count }
      let shown = String(cluster).sanitizedLine
      return (cluster, offset, shown.columns > width ? 1 : shown.columns, shown == " ")
    }
  }

  private var rows: [Row] {
    var start = 0
    return cells.split(omittingEmptySubsequences: false) { $0.cluster == "\n" }.flatMap { line in
      defer { start += length(line) + 1 }
      return rows(of: line, from: start)
    }
  }

  private func rows(of line: ArraySlice<Cell>, from start: Int) -> [Row] {
    var rows: [Row] = []
    var row = Row(start: start)
    var rest = line
    while !rest.isEmpty {
      let blanks = rest.prefix { $0.isBlank }
      row.cells += blanks
      rest = rest.dropFirst(blanks.count)
      let word = rest.prefix { !$0.isBlank }
      rest = rest.dropFirst(word.count)
      let columns = word.reduce(0) { $0 + $1.columns }
      if let first = word.first, columns > 0, row.columns > 0, row.columns + columns > width {
        rows.append(row)
        row = Row(start: first.offset)
      }
      for cell in word {
        if cell.columns > 0, row.columns + cell.columns > width {
          rows.append(row)
          row = Row(start: cell.offset)
        }
        row.cells.append(cell)
      }
    }
    rows.append(row)
    // Room for the cursor.
    if row.columns >= width { rows.append(Row(start: start + length(line))) }
    return rows
  }

  /// The row and the column of an offset; the column may be beyond the width.
  private func seen(_ place: Int, in rows: [Row]) -> (row: Int, column: Int) {
    let row = rows.lastIndex { $0.start <= place } ?? 0
    return (
      row, rows[row].cells.prefix { $0.offset < place }.reduce(0) { $0 + $1.columns }
    )
  }

  private func place(row: Int, column: Int) -> Int {
    let rows = rows
    let row = min(max(row, 0), rows.count - 1)
    let places = (cells.map(\.offset) + [text.utf8.count])
      .map { (place: $0, seen: seen($0, in: rows)) }.filter { $0.seen.row == row }
    return places.first { $0.seen.column == max(column, 0) }?.place
      ?? places.last { $0.seen.column < column }?.place ?? 0
  }

  // MARK: Editing

  mutating func handle(_ key: Key, page: Int) {
    let cells = cells
    let before = cells.prefix { $0.offset < cursor }
    let after = cells.drop { $0.offset < cursor }
    let next = after.first.map { $0.cluster.utf8.count } ?? 0
    let previous = before.last.map { $0.cluster.utf8.count } ?? 0
    let lineBefore = before.reversed().prefix { $0.cluster != "\n" }
    let wordBefore = lineBefore.drop { $0.isBlank }.drop { !$0.isBlank }.first
    switch (key.code, key.modifiers) {
    case (.character("_"), .control): undo()
    case (.character("r"), .alt): redo()
    case (.character("w"), .control):
      let start =
        wordBefore.map { $0.offset + $0.cluster.utf8.count } ?? cursor - length(lineBefore)
      edit(lineBefore.isEmpty ? previous : cursor - start, 0, "", "delete")
    case (.character("u"), .control): edit(length(lineBefore), 0, "", "delete")
    case (.character("k"), .control):
      let rest = length(after.prefix { $0.cluster != "\n" })
      edit(0, rest == 0 ? next : rest, "", "delete")
    case (.backspace, _): edit(previous, 0, "", "delete")
    case (.delete, _): edit(0, next, "", "delete")
    case (.enter, _):
      run = ""
      edit(0, 0, "\n", "type")
    case (.character(let character), _): edit(0, 0, String(character), "type")
    case (.left, []): move(cursor - previous)
    case (.right, []): move(cursor + next)
    case (.left, _):
      let rest = before.reversed().drop { $0.isBlank }.drop { !$0.isBlank }.first
      move(rest.map { $0.offset + $0.cluster.utf8.count } ?? 0)
    case (.right, _):
      move(after.drop { $0.isBlank }.drop { !$0.isBlank }.first?.offset ?? text.utf8.count)
    case (.home, []): move(place(row: seen(cursor, in: rows).row, column: 0))
    case (.end, []): move(place(row: seen(cursor, in: rows).row, column: 1_000_000))
    case (.home, _): move(0)
    case (.end, _): move(text.utf8.count)
    case (.up, _): move(rows: -1)
    case (.down, _): move(rows: 1)
    case (.pageUp, _): move(rows: -max(page, 1))
    case (.pageDown, _): move(rows: max(page, 1))
    default: break
    }
  }

  private func length(_ cells: some Sequence<Cell>) -> Int {
    cells.reduce(0) { $0 + $1.cluster.utf8.count }
  }

  mutating func click(row: Int, column: Int) { move(place(row: row, column: column)) }

  private mutating func move(_ place: Int) {
    cursor = place
    goalColumn = nil
    run = ""
  }

  private mutating func move(rows count: Int) {
    let (row, column) = seen(cursor, in: rows)
    let targetColumn = goalColumn ?? min(column, width - 1)
    move(place(row: row + count, column: targetColumn))
    goalColumn = targetColumn
  }

  /// Replaces bytes before and after the cursor.
  mutating func edit(_ before: Int, _ after: Int, _ text: String, _ run: String) {
    let bytes = Array(self.text.utf8)
    let lines = text.replacingOccurrences(of: "\r\n", with: "\n")
      .replacingOccurrences(of: "\r", with: "\n")
    let written = String(lines.unicodeScalars.filter { $0 != "\0" })
    guard before + after > 0 || !written.isEmpty else { return }
    let old = (self.text, cursor)
    let head = String(decoding: bytes[..<(cursor - before)], as: UTF8.self) + written
    self.text = (head + String(decoding: bytes[(cursor + after)...], as: UTF8.self)).nfc
    // After normalisation, as many decomposed scalars precede the cursor as before.
    let count = head.decomposed.unicodeScalars.count
    var passed = 0
    cursor = 0
    for cluster in self.text where passed < count {
      passed += String(cluster).decomposed.unicodeScalars.count
      cursor += cluster.utf8.count
    }
    if self.run != run || run == "paste" { done.append((old, old)) }
    done[done.count - 1].after = (self.text, cursor)
    done = done.suffix(100)
    undone = []
    self.run = run
    goalColumn = nil
  }

  private mutating func undo() {
    run = ""
    guard let step = done.popLast() else { return }
    (text, cursor) = step.before
    undone.append(step)
    goalColumn = nil
  }

  private mutating func redo() {
    run = ""
    guard let step = undone.popLast() else { return }
    (text, cursor) = step.after
    done.append(step)
    goalColumn = nil
  }

  // MARK: Comparing

  func agrees(with area: TextArea) -> Bool {
    let rows = rows
    let (row, column) = seen(cursor, in: rows)
    let shown = area.rows(0..<area.rowCount)
    return area.text.utf8.elementsEqual(text.utf8) && area.byteCount == text.utf8.count
      && area.text(TextArea.Position(line: 0, offset: 0)..<area.position).utf8.count == cursor
      && area.cursor == (row, min(column, width - 1)) && area.rowCount == rows.count
      && shown == TextArea(text, width: width).rows(0..<rows.count)
      && zip(shown, rows).allSatisfy { shown, row in
        var columns = 0
        let seen = row.cells.prefix {
          columns += $0.columns
          return columns <= width
        }
        let clusters = seen.map { cell in
          let shown = String(cell.cluster).sanitizedLine
          return shown.columns > width ? "…" : shown
        }
        func visible(_ text: String) -> [Unicode.Scalar] {
          text.unicodeScalars.filter { $0 != "\u{200B}" }
        }
        return visible(shown) == visible(clusters.joined())
          && shown.columns == seen.reduce(0) { $0 + $1.columns }
          && shown.sanitizedLine.unicodeScalars.elementsEqual(shown.unicodeScalars)
      }
  }
}

extension TextArea {
  /// A text with the cursor at the position of the bar.
  fileprivate init(marked: String, width: Int) {
    let parts = marked.utf8.split(separator: UInt8(ascii: "|"), omittingEmptySubsequences: false)
      .map { String(Substring($0)) }
    self.init(parts.joined(), width: width)
    move(to: Position(line: 0, offset: 0).advanced(by: parts[0]))
  }

  /// The text with a bar where the cursor is.
  fileprivate var marked: String {
    text(Position(line: 0, offset: 0)..<position) + "|" + text(position..<end)
  }

  fileprivate mutating func press(_ keys: Key..., page: Int = 5) {
    for key in keys {
      let isTaken = handle(key, page: page)
      #expect(isTaken, "\(key)")
    }
  }

  /// Types scalar by scalar, as a terminal sends a text.
  fileprivate mutating func type(_ text: String) {
    for scalar in text.unicodeScalars {
      press(scalar == "\n" ? Key(.enter) : .character(Character(scalar)))
    }
  }
}

extension String {
  fileprivate var decomposed: String { decomposedStringWithCanonicalMapping }
}
