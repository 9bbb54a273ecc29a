import Foundation
import Glibc
import TestSupport
import Testing

/// The harness of the other tests: each part must detect the failures that they look for.
@Suite struct HarnessTests {
  @Test func aProgramRunsOnATerminalOfItsOwn() throws {
    let home = try Home()
    let terminal = try PseudoTerminal(
      "/bin/sh", ["-c", "tty; stty size; tty </dev/tty; stty raw; exec stty -a"], in: home,
      size: Size(37, 11))
    #expect(try terminal.end() == .exited(0))
    let text = String(decoding: terminal.output, as: UTF8.self)
    #expect(text.contains("/dev/pts/"))
    #expect(text.contains("11 37"))
    #expect(!text.contains("not a tty"))
    // `stty raw` was not undone, which must be detected.
    #expect(terminal.settings != terminal.settingsBefore)
  }

  @Test func typedTextAndResizesArrive() throws {
    let home = try Home()
    let terminal = try PseudoTerminal(
      "/bin/bash",
      ["-c", "trap 'stty size' WINCH; echo ready; while read -r x; do echo \"<$x>\"; done"],
      in: home)
    try terminal.read(until: "ready")
    try terminal.type("đức tin\n")
    try terminal.read(until: "<đức tin>")
    terminal.resize(to: Size(10, 3))
    try terminal.type("\n")
    try terminal.read(until: "3 10")
    try terminal.type("\u{4}")
    #expect(try terminal.end() == .exited(0))
    #expect(terminal.settings == terminal.settingsBefore)
  }

  @Test func aDeathBySignalIsReported() throws {
    let home = try Home()
    let terminal = try PseudoTerminal("/bin/cat", [], in: home)
    terminal.send(signal: SIGKILL)
    #expect(try terminal.end() == .killed(signal: SIGKILL))
  }

  @Test func aTimeoutIsAFailureThatContainsTheOutput() throws {
    let home = try Home()
    let terminal = try PseudoTerminal("/bin/sh", ["-c", "echo here; exec cat"], in: home)
    try terminal.read(until: "here")
    let failure = try #require(throws: Failure.self) {
      try terminal.end(deadline: Deadline(seconds: 0))
    }
    #expect(failure.description.contains("here"))
  }

  @Test func tmuxShowsCombiningMarksAndBothScreens() throws {
    let home = try Home()
    // less treats Vietnamese text as binary if the locale `vi_VN.UTF-8` is not installed.
    let tmux = try Tmux(
      "exec less \(checkout.path.quoted)/Resources/quran/surahs.tsv", in: home,
      with: ["LC_ALL": "C.UTF-8"])
    try tmux.wait(for: "Al-Fatihah")
    #expect(try tmux.showsAlternateScreen)
    try tmux.type("/đ\u{75}\u{31B}\u{301}c")
    try tmux.wait(for: "/đ\u{75}\u{31B}\u{301}c")
    // Not Ctrl-c: if less has not begun to wait for a key, it loses the signal.
    for _ in 0..<6 { try tmux.press("BSpace") }
    try tmux.wait(for: "the prompt") { $0.rows.last?.contains("/") == false }
    try tmux.type("q")
    try tmux.expectEnd()
    #expect(try !tmux.showsAlternateScreen)
  }

  @Test func modesAndColoursAreReadFromOutput() {
    let left = ControlSequences(Array("\u{1B}[?1049h\u{1B}[?25l\u{1B}[1;38;5;3mx\u{1B}[0m".utf8))
    #expect(left.modesLeftBehind == ["?1049h", "?25l"])
    #expect(left.colours == [[1, 38, 5, 3]])
    let tidy = ControlSequences(
      Array("\u{1B}[?1006;1000h\u{1B}[?1006;1000l\u{1B}[?12l\u{1B}[?25h".utf8))
    #expect(tidy.modesLeftBehind.isEmpty)
    #expect(tidy.modesUsed == [1006, 1000, 25])
  }
}
