import Glibc
import TestSupport
import Testing

/// The same keys show the same in tmux, in GNU screen and in xterm.
@Suite(.serialized) struct OtherTerminalsTests {
  /// One step of the user's input.
  enum Step {
    case text(String)
    /// A key, by its names in tmux and in X.
    case key(String, String)
    case resize(Size)

    static let enter = key("Enter", "Return")
    static let escape = key("Escape", "Escape")
    static let space = key("Space", "space")
    static let pageDown = key("NPage", "Next")
    static let pageUp = key("PPage", "Prior")
    static let down = key("Down", "Down")
    static let end = key("End", "End")
    static let tab = key("Tab", "Tab")
    static let surahs = key("M-1", "alt+1")
    static let save = key("C-s", "ctrl+s")
    static let redraw = key("C-l", "ctrl+l")
  }

  private static let steps: [Step] = [
    .down, .text("f"), .pageDown, .pageUp, .space, .text("t"), .text("m"), .text("m"),
    .text("n"), .text("Tiếng Việt: đức tin, ạ ữ ộ"), .enter, .text("dòng hai"), .save, .tab, .tab,
    .text("/"), .text("nhân từ"), .down, .down, .enter, .text("n"), .escape,
    .surahs, .end, .down, .text("3"), .text("4"), .text("6"), .text("1"),
    .text("?"), .pageDown, .escape, .text("g"), .text("55:13"), .enter,
    .resize(Size(100, 30)), .text("]"), .resize(Size(40, 12)), .text("?"), .escape,
    .resize(Size(80, 24)), .redraw, .text("["),
  ]

  /// A shell command that prints a line before and after it runs the reader. It unsets the locale
  /// that some of the terminals need, and the variable with which the reader would detect tmux.
  private func command() throws -> String {
    "unset LC_ALL TMUX; echo before; \(try Program.reader().quoted) 2:255; echo after; exec cat"
  }

  /// A part of the offer of translations, which is shown once the library is open. The effect of
  /// keys depends on whether the library is open.
  private static let opened = "8 rồi i"

  /// The screen after each step in tmux, the terminal of the other tests.
  private func expected(in tmux: Tmux) throws -> [Screen] {
    try tmux.wait(for: Self.opened)
    return try Self.steps.map { step in
      try perform(step, in: tmux)
      return try tmux.settled()
    }
  }

  private func perform(_ step: Step, in tmux: Tmux) throws {
    switch step {
    case .text(let text): try tmux.type(text)
    case .key(let name, _): try tmux.press(name)
    case .resize(let size): try tmux.resize(to: size)
    }
  }

  /// Whether the main screen is back. Its first line may have scrolled away in a smaller window.
  private func isRestored(_ screen: Screen) -> Bool {
    let rows = screen.rows.filter { !$0.isEmpty }
    return rows == ["before", "after"] || rows == ["after"]
  }

  @Test func gnuScreenShowsTheSameAsTmux() throws {
    let expected = try expected(in: Tmux(command(), in: Home()))
    let home = try Home()
    // GNU screen shows no messages of its own and has an alternate screen.
    try home.write(
      "startup_message off\nvbell off\naltscreen on\nhardstatus off\nterm screen-256color\n",
      to: "screenrc")
    guard mkdir("\(home.path)/screens", 0o700) == 0 else { throw Failure("mkdir: \(errno)") }
    try home.write(try command(), to: "story")
    let screen = try Tmux(
      "exec '\(Program.installed("screen"))' -U -c screenrc sh story", in: home,
      with: ["SCREENDIR": "\(home.path)/screens", "LC_ALL": "C.UTF-8"])
    try screen.wait(for: Self.opened)
    for (number, (step, expected)) in zip(Self.steps, expected).enumerated() {
      try perform(step, in: screen)
      try screen.wait(for: "the same as in tmux after \(number), \(step):\n\(expected)") {
        $0 == expected
      }
    }
    try screen.type("q")
    try screen.wait(for: "the screen as it was before", isRestored)
  }

  @Test func xtermShowsTheSameAsTmux() throws {
    let expected = try expected(in: Tmux(command(), in: Home()))
    let letters = Self.steps.flatMap { step in
      if case .text(let text) = step { text.filter { !$0.isASCII } } else { "" }
    }
    let xterm = try XTerm(command(), in: Home(), letters: Set(letters))
    try xterm.wait(for: "an open library") { $0.contains(Self.opened) }
    for (number, (step, expected)) in zip(Self.steps, expected).enumerated() {
      switch step {
      case .text(let text): try xterm.type(text)
      case .key(_, let name): try xterm.press(name)
      case .resize(let size): try xterm.resize(to: size)
      }
      try xterm.wait(for: "the same as in tmux after \(number), \(step):\n\(expected)") {
        $0 == expected
      }
    }
    try xterm.type("q")
    try xterm.wait(for: "the screen as it was before", isRestored)
  }
}
