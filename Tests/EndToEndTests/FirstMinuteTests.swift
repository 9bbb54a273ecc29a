import Glibc
import Testing

/// A first session that is started from a shell, and the state of the terminal after it.
@Suite(.serialized) struct FirstMinuteTests {
  /// A shell on a terminal, with some output from before the reader starts.
  private final class Shell {
    let home: Home
    let tmux: Tmux
    private var checks = 0

    init() throws {
      home = try Home()
      tmux = try Tmux(
        "ulimit -c 0; exec bash --norc --noprofile -i", in: home, with: ["PS1": "shell> "])
      try tmux.wait(for: "shell>")
      try run("echo said before", until: "\nsaid before")
      try run("stty -a >before", until: "stty")
    }

    func run(_ line: String, until text: String) throws {
      try tmux.type(line)
      try tmux.press("Enter")
      try tmux.wait(for: text) { ("\n" + $0.rows.joined(separator: "\n")).shows(text) }
    }

    func startReader() throws {
      try tmux.type(Program.reader().quoted)
      try tmux.press("Enter")
      try tmux.wait(for: "the library") { $0.contains("Al-Fatihah", "Mở Đầu") }
      #expect(try tmux.showsAlternateScreen)
    }

    /// Expects the former screen, cursor and terminal settings, and a shell that runs commands.
    func expectUsable() throws {
      try tmux.wait(for: "the main screen") { _ in try !tmux.showsAlternateScreen }
      try tmux.wait(for: "the prompt") { $0.rows.last { !$0.isEmpty } == "shell>" }
      #expect(try tmux.screen().contains("said before"))
      #expect(try tmux.showsCursor)
      #expect(try tmux.value(of: "#{mouse_any_flag}") == "0")
      #expect(try tmux.value(of: "#{keypad_cursor_flag}") == "0")
      checks += 1
      try run("stty -a >after; echo check \(checks) $?", until: "\ncheck \(checks) 0")
      #expect(try home.contents(of: "after") == home.contents(of: "before"))
    }
  }

  @Test func quittingFromAnAyahRestoresTheShell() throws {
    let shell = try Shell()
    let tmux = shell.tmux
    try shell.startReader()
    try tmux.press("Enter")
    try tmux.wait(for: "Nhân danh Allah")
    try tmux.type("g")
    try tmux.type("2:255")
    try tmux.press("Enter")
    try tmux.wait(for: "2:255 under the cursor") {
      $0.cursorAyah == 255 && $0.contains("Al-Baqarah") && $0.contains("Đấng Hằng Sống")
    }
    try tmux.type("q")
    try shell.expectUsable()
  }

  @Test(arguments: [SIGTERM, SIGSEGV]) func theShellIsUsableAfterTermination(by signal: Int32)
    throws
  {
    let shell = try Shell()
    try shell.startReader()
    try shell.tmux.press("Enter")
    try shell.tmux.wait(for: "Nhân danh Allah")
    let reader = try shell.tmux.foregroundProcess()
    #expect(reader != Int32(try shell.tmux.value(of: "#{pane_pid}")))
    kill(reader, signal)
    try shell.expectUsable()
  }

  @Test func theReaderRedrawsAfterSuspendAndResume() throws {
    let shell = try Shell()
    let tmux = shell.tmux
    try shell.startReader()
    try tmux.press("Enter")
    try tmux.wait(for: "Nhân danh Allah")
    let before = try tmux.settled()

    try tmux.press("C-z")
    try tmux.wait(for: "Stopped")
    try shell.expectUsable()
    try tmux.type("fg")
    try tmux.press("Enter")
    try tmux.wait(for: "the same screen") { $0 == before }

    // The terminal gets another size while the reader is stopped.
    try tmux.press("C-z")
    try tmux.wait(for: "the main screen") { _ in try !tmux.showsAlternateScreen }
    try tmux.resize(to: Size(44, 13))
    try tmux.type("fg")
    try tmux.press("Enter")
    try tmux.wait(for: "the screen in its new size") {
      try tmux.showsAlternateScreen && $0.rows.count == 13 && $0.contains("Nhân danh Allah")
        && $0.cursorAyah == 1
    }
    try tmux.quitReader()
  }
}
