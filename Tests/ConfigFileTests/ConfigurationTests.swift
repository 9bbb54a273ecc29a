import ConfigFile
import Testing

struct ConfigurationTests {
  private func configuration(_ change: (inout Configuration) -> Void) -> Configuration {
    var configuration = Configuration()
    change(&configuration)
    return configuration
  }

  /// Expects that a text is valid and sets these values.
  private func expect(
    _ text: String, sets change: (inout Configuration) -> Void,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let (found, problems) = Configuration.parse(text)
    #expect(found == configuration(change), sourceLocation: sourceLocation)
    #expect(problems.isEmpty, sourceLocation: sourceLocation)
  }

  /// Expects that a text sets nothing and has these problems.
  private func expect(
    _ text: String, fails problems: Configuration.Problem...,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let found = Configuration.parse(text)
    #expect(found.0 == Configuration(), sourceLocation: sourceLocation)
    #expect(found.1 == problems, sourceLocation: sourceLocation)
  }

  // MARK: Valid files

  @Test func anEmptyFileGivesTheDefaults() {
    let defaults = Configuration()
    #expect(defaults.mouse)
    #expect(defaults.editor == nil)
    #expect(defaults.escapeDelay == nil)
    #expect(defaults.keys.isEmpty)
    for text in ["", "\n", "# mouse = \"off\"", "\u{FEFF}", "[keys]", "keys = {}", "\r\n\r\n"] {
      expect(text) { _ in }
    }
  }

  @Test func everySettingIsRead() {
    expect(
      """
      # How I read.
      mouse = "off"
      editor = 'emacs -nw'
      escape-delay = 50

      [keys]
      favorite = "f"
      half-down = ["J", "Ctrl-d"]
      quit = []
      """
    ) {
      $0.mouse = false
      $0.editor = "emacs -nw"
      $0.escapeDelay = 50
      $0.keys = ["favorite": ["f"], "half-down": ["J", "Ctrl-d"], "quit": []]
    }
  }

  @Test func validValuesOfArabicAndMouse() {
    for way in Configuration.Arabic.allCases {
      expect("arabic = \"\(way.rawValue)\"") { $0.arabic = way }
    }
    for on in ["\"on\"", "'on'", "true"] { expect("mouse = \(on)") { $0.mouse = true } }
    for off in ["\"off\"", "'off'", "false"] { expect("mouse = \(off)") { $0.mouse = false } }
  }

  @Test func theEscapeDelayIsFrom0To1000() {
    for delay in [0, 1, 25, 1000] { expect("escape-delay = \(delay)") { $0.escapeDelay = delay } }
    expect("escape-delay = 0x32") { $0.escapeDelay = 50 }
  }

  @Test func keysAreReadInEveryTOMLNotation() {
    for text in [
      "keys.favorite = \"f\"", "keys = { favorite = \"f\" }", "[keys]\nfavorite = [\"f\"]",
      "[keys]\r\nfavorite = [\r\n  \"f\", # first\r\n]\r\n", "[ keys ]\n\"favorite\" = '''f'''",
      "\"keys\".favorite = \"\\u0066\"", "keys . \"favorite\" = \"\"\"\nf\"\"\"",
      "['keys']\nfavorite=\"f\"", "\u{FEFF}[keys]\nfavorite = \"f\"",
    ] {
      expect(text) { $0.keys = ["favorite": ["f"]] }
    }
  }

  @Test func namesOfKeysAndActionsAreKeptAsTheyAre() {
    expect("[keys]\n\"đọc\" = [\"đ\", \"\", \"Ctrl-Foo\"]\n\"\" = \"\\\"\"") {
      $0.keys = ["đọc": ["đ", "", "Ctrl-Foo"], "": ["\""]]
    }
  }

  // MARK: Invalid files

  @Test func anUnknownKeyIsReportedAndTheOthersAreRead() {
    let (found, problems) = Configuration.parse("colour = 1\nmouse = \"off\"\n[keys2]\nx.y = 2")
    #expect(found == configuration { $0.mouse = false })
    #expect(problems == [.unknownKey("colour"), .unknownKey("keys2.x.y")])
  }

  @Test func unknownKeysAreReportedInTOMLNotation() {
    expect("escapeDelay = 25", fails: .unknownKey("escapeDelay"))
    expect("Mouse = 'off'", fails: .unknownKey("Mouse"))
    expect("[keys2]", fails: .unknownKey("keys2"))
    expect("[[keys2]]\nx = 1", fails: .unknownKey("keys2"))
    expect("a = { b = { c = 1 }, d = 2 }", fails: .unknownKey("a.b.c"), .unknownKey("a.d"))
    expect("\"a b\".\"c.d\" = 1", fails: .unknownKey("\"a b\".\"c.d\""))
    expect("\"\" = 1", fails: .unknownKey("\"\""))
    expect("\"màu\" = 1", fails: .unknownKey("màu"))
    expect("\"a\\n\\u001B[2J\\\"\" = 1", fails: .unknownKey("\"a  [2J\\\"\""))
    expect("when = 1979-05-27T07:32:00Z", fails: .unknownKey("when"))
    expect(
      "when = 1979-05-27 07:32:00\nday = 1979-05-27 # no time", fails: .unknownKey("day"),
      .unknownKey("when"))
    expect("float = [1.5, -0.1, +1e-9, inf, nan, 0x1F, 1_000]", fails: .unknownKey("float"))
  }

  @Test func aBadValueIsReportedAndItsDefaultIsKept() {
    let arabic = ["\"auto\"", "\"terminal\"", "\"shaped\"", "\"off\""]
    for value in ["\"on\"", "true", "1"] {
      expect("arabic = \(value)", fails: .badValue("arabic", expected: arabic))
    }
    let mouse = ["\"on\"", "\"off\"", "true", "false"]
    for value in ["\"OFF\"", "\"\"", "0", "[]", "{}", "1.5", "07:32:00", "[true]"] {
      expect("mouse = \(value)", fails: .badValue("mouse", expected: mouse))
    }
    let editor = ["\"nano\"", "\"emacs -nw\"", "…"]
    for value in ["\"\"", "\" \\t\"", "false", "[\"nano\"]", "1"] {
      expect("editor = \(value)", fails: .badValue("editor", expected: editor))
    }
    for value in ["-1", "1001", "25.0", "\"25\"", "true", "9223372036854775807", "1979-05-27"] {
      expect("escape-delay = \(value)", fails: .badValue("escape-delay", expected: ["0…1000"]))
    }
    for value in ["1", "\"f\"", "[]", "[{}]"] {
      expect("keys = \(value)", fails: .badValue("keys", expected: ["[keys]"]))
    }
    expect("[[keys]]\nfavorite = \"f\"", fails: .badValue("keys", expected: ["[keys]"]))
    expect("[mouse]\non = true", fails: .badValue("mouse", expected: mouse))
  }

  @Test func aBadValueOfAnActionDoesNotAffectOthers() {
    let (found, problems) = Configuration.parse(
      """
      [keys]
      copy = 1
      favorite = "f"
      help = ["?", 1]
      quit.now = "q"
      search = [["/"]]
      """)
    #expect(found == configuration { $0.keys = ["favorite": ["f"]] })
    let expected = ["\"f\"", "[\"f\", \"F2\"]", "[]"]
    #expect(
      problems
        == ["keys.copy", "keys.help", "keys.quit", "keys.search"].map {
          .badValue($0, expected: expected)
        })
  }

  @Test func aSyntaxErrorHasItsLineAndAllDefaultsApply() {
    for (text, line) in [
      ("mouse = off", 1), ("mouse = \"off\"\neditor = nano", 2), ("mouse", 1), ("= 1", 1),
      ("\n\neditor = \"nano\nmouse = \"off\"", 3), ("[keys]\nfavorite = [\"f\"\nquit = []", 3),
      ("# ok\r\n[keys\r\n", 2), ("mouse = \"off\" editor = \"vi\"", 1), ("\"\"\"a\"\"\" = 1", 1),
      ("editor = “nano”", 1), ("mouse = true\nmàu = 1", 2), ("editor = \"C:\\vi\"", 1),
      ("escape-delay = 99999999999999999999", 1), ("escape-delay = 025", 1), ("a = \u{7}", 1),
    ] {
      let (found, problems) = Configuration.parse(text)
      #expect(found == Configuration())
      guard case .syntax(line, let error)? = problems.first, problems.count == 1 else {
        Issue.record("\(text): \(problems)")
        continue
      }
      if case .parser(let reason) = error {
        #expect(!reason.isEmpty)
        #expect(!reason.contains { $0.isNewline })
      }
    }
  }

  @Test func theFirstOfSeveralSyntaxErrorsIsReported() {
    for (text, line, error) in [
      ("mouse = off\n[#", 1, .parser(reason: "parsing value: could not determine value type")),
      (
        "[keys]\nquit = [\"q\"\nhelp = []", 3,
        .parser(reason: "parsing array: expected comma or closing ']', saw 'h'")
      ),
      (
        "mouse = true\nmouse = true\nđ", 2,
        .parser(reason: "parsing key-value pair: cannot redefine existing boolean 'mouse'")
      ),
      ("mouse = true\n[#\nmouse = off", 2, .missingTableName),
      ("mouse = “off”\n[#", 1, .unexpected("“")),
      ("a = {b = [}\n]", 1, .unexpected("}")),
    ] as [(String, Int, Configuration.SyntaxError)] {
      #expect(Configuration.parse(text).1 == [.syntax(line: line, error)])
    }
  }

  @Test func aKeySetTwiceIsASyntaxError() {
    for text in [
      "mouse = true\nmouse = true", "[keys]\n[keys]", "keys.favorite = \"f\"\n[keys]\nquit = []",
      "[keys]\nfavorite = \"f\"\n\"favorite\" = \"g\"", "keys = {}\n[keys.a]",
    ] {
      guard case .syntax? = Configuration.parse(text).1.first else {
        Issue.record("\(text)")
        continue
      }
    }
  }

  @Test func theReasonIsShortHoweverLongTheLine() {
    let name = String(repeating: "x", count: 100_000)
    guard
      case .syntax(2, .parser(let reason))? = Configuration.parse("\(name)=1\n\(name)=2").1.first
    else {
      Issue.record("no syntax error")
      return
    }
    #expect(reason.count < 200)
  }
}
