import Testing

@testable import Terminal

/// Terminfo is one for the whole process.
@Suite(.serialized)
struct CapabilitiesTests {
  private func capabilities(
    _ term: String?, _ more: [String: String] = [:], mouse: Bool = true
  ) -> Capabilities? {
    var environment = more
    environment["TERM"] = term
    return Capabilities(environment: environment, output: -1, mouse: mouse)
  }

  @Test func whatXtermCanDo() throws {
    let xterm = try #require(capabilities("xterm-256color"))
    #expect(xterm.colors == .palette)
    #expect(xterm.clearsInBackground)
    #expect(xterm.hasStyles)
    #expect(xterm.isXtermLike)
    #expect(xterm.moveCursor == nil)
    #expect(!xterm.synchronizes)
    #expect(xterm.keys[Array("\u{1B}OA".utf8)] == Key(.up))
    #expect(xterm.keys[Array("\u{1B}[3~".utf8)] == Key(.delete))
    #expect(xterm.keys[Array("\u{1B}[24~".utf8)] == Key(.function(12)))
  }

  @Test func whatScreenAndTmuxCanDo() throws {
    for term in ["screen-256color", "tmux-256color"] {
      let found = try #require(capabilities(term))
      #expect(found.colors == .palette)
      #expect(!found.clearsInBackground)
      #expect(found.hasStyles)
      #expect(found.isXtermLike)
      #expect(found.moveCursor == nil)
    }
  }

  @Test func whatTheLinuxConsoleCanDo() throws {
    let console = try #require(capabilities("linux"))
    #expect(console.colors == .eight)
    #expect(console.clearsInBackground)
    #expect(!console.isXtermLike)
    #expect(!console.enter.contains("\u{1B}[?1000h"))
    #expect(!console.enter.contains("\u{1B}[?2004h"))
    #expect(console.keys[Array("\u{1B}[[A".utf8)] == Key(.function(1)))
  }

  @Test func aTerminalOfBeforeECMA48IsDrawnOnInItsOwnWay() throws {
    let old = try #require(capabilities("vt52"))
    #expect(old.colors == .none)
    #expect(!old.hasStyles)
    #expect(!old.isXtermLike)
    var encoder = FrameEncoder(old)
    let blank = Canvas(size: Size(rows: 24, columns: 80))
    var frame = blank
    frame.put("x", row: 2, column: 3, style: Style(.palette(1), .bold))
    #expect(encoder.encode(frame, over: blank) == Array("\u{1B}Y\"#x".utf8))
  }

  @Test func delaysOfOldTerminalsAreNotWritten() throws {
    let old = try #require(capabilities("vt100"))
    for text in [old.enter, old.leave, old.clear, old.clearToEndOfLine, old.moveCursor ?? ""] {
      #expect(!text.contains("$<"))
    }
    #expect(old.colors == .none)
    #expect(old.clear.contains("\u{1B}[J"))
  }

  @Test func noScreenIsDrawnWithoutACursorToMove() {
    for term in ["dumb", "", nil, "no-such-terminal", "../../etc/passwd"] {
      #expect(capabilities(term) == nil, "\(term ?? "none")")
    }
    #expect(TerminalDescription(environment: [:]) == nil)
  }

  @Test func aModernTerminalUnknownHereIsTakenForXterm() throws {
    let xterm = try #require(capabilities("xterm-256color"))
    for term in ["xterm-nobody-knows", "alacritty-nobody-knows", "tmux-nobody-knows"] {
      let found = try #require(capabilities(term))
      #expect(found.colors == .palette)
      #expect(found.enter == xterm.enter)
      #expect(found.leave == xterm.leave)
      #expect(found.keys == xterm.keys)
    }
  }

  // MARK: Colours

  @Test func noColorWinsOverEverything() {
    let more = ["NO_COLOR": "1", "COLORTERM": "truecolor"]
    #expect(capabilities("xterm-256color", more)?.colors == Capabilities.ColorDepth.none)
    #expect(capabilities("linux", ["NO_COLOR": "0"])?.colors == Capabilities.ColorDepth.none)
    #expect(capabilities("xterm-256color", ["NO_COLOR": ""])?.colors == .palette)
  }

  @Test func colortermAsksForAllColours() {
    for value in ["truecolor", "24bit"] {
      #expect(capabilities("xterm-256color", ["COLORTERM": value])?.colors == .direct)
    }
    for value in ["", "yes", "256"] {
      #expect(capabilities("xterm-256color", ["COLORTERM": value])?.colors == .palette)
    }
  }

  @Test func theDescriptionForPeopleCountsColours() {
    let counts = [
      ("linux", [:], 8), ("xterm-256color", [:], 256), ("vt100", [:], 0),
      ("xterm-256color", ["COLORTERM": "truecolor"], 1 << 24),
      ("xterm-256color", ["NO_COLOR": "1"], 0),
    ]
    for (term, more, colors) in counts {
      var environment: [String: String] = more
      environment["TERM"] = term
      #expect(TerminalDescription(environment: environment)?.colors == colors, "\(term) \(more)")
    }
  }

  // MARK: Modes

  @Test func whatIsSwitchedOnIsSwitchedOff() throws {
    for mouse in [true, false] {
      let xterm = try #require(capabilities("xterm-256color", mouse: mouse))
      for mode in ["1049", "2004", "1000", "1006"] {
        let isOn = mouse || !mode.hasPrefix("100")
        #expect(xterm.enter.contains("\u{1B}[?\(mode)h") == isOn)
        #expect(xterm.leave.contains("\u{1B}[?\(mode)l") == isOn)
      }
      // Wrapping is off while the screen is ours.
      #expect(xterm.enter.contains("\u{1B}[?7l"))
      #expect(xterm.leave.contains("\u{1B}[?7h"))
      #expect(xterm.enter.contains("\u{1B}[?25l"))
      #expect(xterm.leave.contains("\u{1B}[?12l\u{1B}[?25h"))
    }
  }

  @Test func framesAreBracketedWhereTheTerminalIsKnownToKnowIt() {
    let yes: [(String, [String: String])] = [
      ("xterm-kitty", [:]), ("alacritty", [:]), ("foot", [:]),
      ("xterm-256color", ["VTE_VERSION": "7200"]), ("xterm-256color", ["TERM_PROGRAM": "WezTerm"]),
      ("xterm-256color", ["TERM_PROGRAM": "iTerm.app"]),
    ]
    for (term, more) in yes { #expect(capabilities(term, more)?.synchronizes == true, "\(term)") }
    let no: [(String, [String: String])] = [
      ("xterm-256color", [:]), ("linux", [:]), ("xterm-256color", ["VTE_VERSION": "6003"]),
    ]
    for (term, more) in no { #expect(capabilities(term, more)?.synchronizes == false, "\(term)") }
  }
}
