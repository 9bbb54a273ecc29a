import ConfigFile
import TestSupport
import Testing

/// Hostile files. Without a check before the parser they could crash the program: toml++ has
/// assertions, and recurses as deeply as the file is nested.
struct HostileTests {
  /// Expects a syntax error in this line, and all defaults.
  private func expectRefused(
    _ text: String, line: Int = 1, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let (found, problems) = Configuration.parse(text)
    #expect(found == Configuration(), sourceLocation: sourceLocation)
    guard case .syntax(line, _)? = problems.first, problems.count == 1 else {
      Issue.record(
        "\(text.prefix(60).debugDescription): \(problems.prefix(3))",
        sourceLocation: sourceLocation)
      return
    }
  }

  @Test func aHeaderWithoutANameIsASyntaxError() {
    for text in [
      "[", "[[", "[[[", "[]", "[[]]", "[ ", "[\n", "[[\n", "[#", "[[ #", "[=]", "[.a]", "[[[a]]]",
      "[{", "[,", "[Đọc]", "[ [a]]", "[\t!", "[\r\n", "[+]",
    ] {
      expectRefused(text)
      expectRefused("mouse = false\n\n" + text, line: 3)
    }
  }

  @Test func bracketsThatDoNotMatchAreASyntaxError() {
    for text in [
      "x = [}", "x = [1, }", "x = [[[}", "x = {]", "x = {a = 1]", "x = ]", "]", "}", "[a}", "[[a}]",
      "x = [ # ]\n", "x = {a = [}]", "x = [=]", "x = {=", "x = {.}", "x = [,]",
    ] {
      expectRefused(text)
    }
  }

  @Test func malformedDatesAreSyntaxErrors() {
    for text in [
      "x = 1979-05-27T", "x = 1979-05-27Tx07:32", "x = 1979-05-27t-7:32:00", "x = 1979-05-27 1",
      "x = 1979-05-27 1 ", "x = 1979-05-27 1, y", "x = [1979-05-27 1]", "x = 1979-05-2_7 1\n",
      "x = 1979-05-27T_7:32:00", "x = 1_979-05-27 1#", "x = {y = 1979-05-27 1}", "x = 1979-05-27Z",
      "x = 1979-\"5-27 1\n", "x = 19=9-05-27 1\n", "x = 1979-é5-27 1\n", "x = 1979-\u{1}5-27 1\n",
      "x = 197[-05-27 1\n", "x = [1979-05=27 1\n]", "x = 1979-\u{7F}5-27 1 ",
    ] {
      expectRefused(text)
    }
  }

  @Test func invalidCharactersOutsideQuotesAreSyntaxErrors() {
    for text in [
      "“mouse” = 1", "x = ‘off’", "mouse\u{A0}= false", "\u{2028}", "x = [\u{2029}]", "x = \u{B}",
      "\u{FEFF}\u{FEFF}", "x = 1\"2\"", "x = 1'2'", "x\"y\" = 1", "x = 1{", "x = 1 = 2",
      "x = \u{1B}",
    ] {
      expectRefused(text)
    }
  }

  @Test func nestingDepthIsLimited() {
    func nested(_ depth: Int, _ open: String, _ close: String) -> String {
      String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
    }
    func dotted(_ dots: Int) -> String { "a" + String(repeating: ".a", count: dots) }
    for (open, close) in [("[", "]"), ("{a = ", "}"), ("[{a = ", "}]")] {
      #expect(
        Configuration.parse("x = \(nested(16 / open.count { "[{".contains($0) }, open, close))").1
          .allSatisfy { if case .unknownKey = $0 { true } else { false } })
      for depth in [17, 1000, 150_000] { expectRefused("x = \(nested(depth, open, close))") }
    }
    #expect(Configuration.parse("\(dotted(16)) = 1").1 == [.unknownKey(dotted(16))])
    #expect(Configuration.parse("[\(dotted(16))]").1 == [.unknownKey(dotted(16))])
    for dots in [17, 1000, 500_000] {
      expectRefused("\(dotted(dots)) = 1")
      expectRefused("[\(dotted(dots))]")
      expectRefused("[[\(dotted(dots))]]")
      expectRefused("x = { \(dotted(dots)) = 1 }")
      expectRefused(dotted(dots).replacing(".", with: " . ") + " = 1")
      expectRefused(dotted(dots).replacing(".a", with: ".\"a\"") + " = 1")
    }
    let widest = String(repeating: "{\(dotted(16)) = ", count: 16)
    #expect(Configuration.parse("x = \(widest)1\(String(repeating: "}", count: 16))").1.count == 1)
  }

  @Test func dotsInNumbersStringsAndCommentsAreNotNesting() {
    let numbers = String(repeating: "1.5, ", count: 1000)
    let dots = String(repeating: ".", count: 1000)
    #expect(
      Configuration.parse("# \(dots)\nx = [\(numbers)]\ny = \"\(dots)\" # \(dots)").1
        == [.unknownKey("x"), .unknownKey("y")])
  }

  @Test func bracketsInStringsAndCommentsAreNotNesting() {
    let brackets = String(repeating: "[{", count: 1000)
    let text = """
      # \(brackets)
      editor = "\(brackets)\\""  # \(brackets)"
      a = '\(brackets)\\'
      b = \"\"\"
      [#
      \\\"""\(brackets)\"""\"\"
      c = '''
      [Đ
      ''\(brackets)'''''
      d = "" # '''
      e = '' # \"\"\"
      """
    let (found, problems) = Configuration.parse(text)
    #expect(found.editor == brackets + "\"")
    #expect(problems == ["a", "b", "c", "d", "e"].map { .unknownKey($0) })
  }

  @Test func anEscapedNULIsRefused() {
    for text in [
      "editor = \"na\\u0000no\"", "editor = \"\\U00000000\"", "\"mouse\\u0000\" = false",
      "editor = \"\"\"\\\\\\u0000\"\"\"",
    ] {
      expectRefused(text)
    }
    for text in ["editor = '\\u0000'", "editor = \"\\\\u0000\""] {
      #expect(Configuration.parse(text).0.editor == "\\u0000")
    }
  }

  @Test func aMegabyteOfAnyTokenDoesNotCrash() {
    let million = 1_000_000
    for piece in ["[", "{", "]", ".", "=", ",", "\"", "\\", "x=[", "-"] {
      _ = Configuration.parse("x = " + String(repeating: piece, count: million / piece.utf8.count))
    }
    _ = Configuration.parse("x = \"" + String(repeating: "\\", count: million))
    let digits = String(repeating: "9", count: million)
    for number in [digits, "0." + digits, "1e" + digits, "0x" + digits, "-" + digits] {
      expectRefused("escape-delay = \(number)")
    }
    let long = String(repeating: "x", count: million)
    #expect(Configuration.parse("editor = \"\(long)\"").0.editor == long)
    #expect(Configuration.parse("\(long) = 1").1 == [.unknownKey(long)])
  }

  /// Random texts of TOML tokens.
  @Test func randomTextsAlwaysGiveAConfiguration() {
    let pieces = [
      "[", "]", "{", "}", "=", " = ", ",", ".", "#", "\n", "\n", "\r\n", " ", "\t", "\"", "'",
      "\"\"\"", "'''", "\\", "\\u0000", "mouse", "keys", "x", "1", "0", "07", ":", "-", "+", "_",
      "T", "Z", "e", "true", "inf", "nan", "0x", "1979-05-27", " 1", "T07:32:00", "đ", "\u{1}",
      "\u{FEFF}", "x = ", "[keys]\n", "\"off\"",
    ]
    var generator = SeededGenerator(seed: 255)
    for _ in 0..<5000 {
      let count = Int.random(in: 1...14, using: &generator)
      let text = (0..<count).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
      let (found, problems) = Configuration.parse(text)
      #expect(found == Configuration() || !found.mouse || !found.keys.isEmpty, "\(text)")
      for case .syntax(let line, _) in problems {
        #expect((1...text.utf8.count { $0 == 10 } + 1).contains(line), "\(text)")
        #expect(problems.count == 1 && found == Configuration())
      }
    }
  }
}
