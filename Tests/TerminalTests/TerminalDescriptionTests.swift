import Testing

@testable import Terminal

/// Terminfo is global to the process.
@Suite(.serialized)
struct TerminalDescriptionTests {
  private func colors(_ term: String?, _ more: [String: String] = [:]) -> Int? {
    var environment = more
    environment["TERM"] = term
    return TypedKeyboard.exclusively { TerminalDescription(environment: environment)?.colors }
  }

  @Test func coloursAreThoseOfTerminfo() {
    #expect(colors("xterm-256color") == 256)
    #expect(colors("tmux-256color") == 256)
    #expect(colors("linux") == 8)
    #expect(colors("vt100") == 0)
  }

  @Test func noColorVariableDisablesColours() {
    #expect(colors("xterm-256color", ["NO_COLOR": "1"]) == 0)
    #expect(colors("linux", ["NO_COLOR": "0"]) == 0)
    #expect(colors("xterm-256color", ["NO_COLOR": ""]) == 256)
  }

  @Test func terminalsWithoutCursorMovementAreUnsupported() {
    for term in ["dumb", "", nil, "no-such-terminal", "../../etc/passwd"] {
      #expect(colors(term) == nil, "\(term ?? "none")")
    }
  }

  @Test func unknownModernTerminalsAreTreatedAsXterm() {
    for term in ["xterm-nobody-knows", "alacritty-nobody-knows", "tmux-nobody-knows"] {
      #expect(colors(term) == 256)
    }
  }

  private func bold(_ term: String, _ more: [String: String] = [:]) -> [String]? {
    let environment = more.merging(["TERM": term]) { $1 }
    return TypedKeyboard.exclusively { TerminalDescription.boldStrings(environment: environment) }
      .map { [$0.begin, $0.end] }
  }

  @Test func boldTextIsWrittenAsTerminfoSays() {
    #expect(bold("xterm-256color") == ["\u{1B}[1m", "\u{1B}(B\u{1B}[m"])
    #expect(bold("linux") == ["\u{1B}[1m", "\u{1B}[m\u{0F}"])
    // Its delays are not written.
    #expect(bold("vt100") == ["\u{1B}[1m", "\u{1B}[m\u{0F}"])
    for term in ["vt52", "dumb", "", "no-such-terminal"] { #expect(bold(term) == nil, "\(term)") }
    #expect(bold("xterm-256color", ["NO_COLOR": "1"]) == nil)
  }

  // MARK: Control strings

  private func strings(
    _ term: String, _ more: [String: String] = [:], mouse: Bool = true
  ) -> ControlStrings {
    TypedKeyboard.exclusively {
      _ = TerminalDescription(environment: ["TERM": term])
      return ControlStrings(environment: more, term: term, mouse: mouse)
    }
  }

  @Test func reorderingCanBeTurnedOffInVTE() {
    let vte = strings("xterm-256color", ["VTE_VERSION": "7006"])
    #expect(vte.reordering.off == "\u{1B}[8l" && vte.reordering.on == "\u{1B}[8h")
    #expect(strings("xterm-256color").reordering.off.isEmpty)
    // The reordering is turned off and on by frames, not by these strings.
    for string in [vte.enter, vte.leave, vte.restore] {
      #expect(!string.contains("\u{1B}[8l") && !string.contains("\u{1B}[8h"))
    }
  }

  @Test func enabledModesAreDisabledAgain() {
    for mouse in [true, false] {
      let xterm = strings("xterm-256color", mouse: mouse)
      for mode in ["2004", "1000", "1006"] {
        let isOn = mouse || !mode.hasPrefix("100")
        #expect(xterm.enter.contains("\u{1B}[?\(mode)h") == isOn)
        #expect(xterm.leave.contains("\u{1B}[?\(mode)l") == isOn)
        #expect(xterm.restore.contains("\u{1B}[?\(mode)l") == isOn)
      }
      // Alt with a key sends Esc and the key; the mode of the user is restored.
      #expect(xterm.enter.contains("\u{1B}[?1036s\u{1B}[?1036h"))
      #expect(xterm.leave.contains("\u{1B}[?1036r") && xterm.restore.contains("\u{1B}[?1036r"))
      // Wrapping is off while the program uses the screen.
      #expect(xterm.enter.contains("\u{1B}[?7l"))
      #expect(xterm.leave.contains("\u{1B}[?7h"))
      // The modes that ncurses enables can be disabled without ncurses.
      for string in ["\u{1B}[?7h", "\u{1B}[?1l\u{1B}>", "\u{1B}[?25h", "\u{1B}[?1049l"] {
        #expect(xterm.restore.contains(string))
      }
    }
  }

  @Test func otherTerminalsGetNoXtermSequences() {
    for term in ["linux", "vt100", "vt52"] {
      let strings = strings(term)
      #expect(!strings.enter.contains("2004") && !strings.enter.contains("1006"))
      #expect(!strings.enter.contains("1036"))
      #expect(strings.copy(base64: "YQ==") == nil)
    }
    #expect(strings("tmux-256color").copy(base64: "YQ==") == "\u{1B}]52;c;YQ==\u{07}")
  }

  @Test func gnuScreenIsAskedForNoMouseReports() {
    let inScreen = ["STY": "4711.pts-1.host"]
    #expect(!strings("screen-256color", inScreen).enter.contains("1000"))
    #expect(strings("screen-256color", inScreen).enter.contains("2004"))
    #expect(strings("tmux-256color", ["STY": "x", "TMUX": "y"]).enter.contains("1000"))
    #expect(strings("screen-256color").enter.contains("1000"))
  }

  @Test func delaysOfOldTerminalsAreNotWritten() {
    let old = strings("vt100")
    for text in [old.enter, old.leave, old.restore] { #expect(!text.contains("$<")) }
    #expect(!old.restore.isEmpty)
  }

  @Test func theLastRowIsClearedWithoutAnAlternateScreen() {
    #expect(strings("vt100").clearing == "\u{1B}[m\u{0F}\u{1B}[K")
    #expect(strings("xterm-256color").clearing.isEmpty)
  }

  @Test func framesAreBracketedOnlyInKnownTerminals() {
    let yes: [[String: String]] = [
      ["TERM": "xterm-kitty"], ["TERM": "alacritty"], ["TERM": "foot"], ["VTE_VERSION": "7200"],
      ["TERM_PROGRAM": "WezTerm"], ["TERM_PROGRAM": "iTerm.app"],
    ]
    for more in yes { #expect(strings("xterm-256color", more).frame.begin == "\u{1B}[?2026h") }
    for more in [[:], ["VTE_VERSION": "6003"]] {
      #expect(strings("xterm-256color", more).frame.begin.isEmpty)
    }
  }
}
