import Glibc
import TestSupport
import Testing

/// The terminal is restored, however the reader ends.
@Suite struct TerminalRestoreTests {
  private func launch(_ home: Home) throws -> PseudoTerminal {
    try PseudoTerminal(
      "/bin/bash", ["-c", "ulimit -c 0; exec \"$0\"", Program.reader()], in: home)
  }

  private func start(_ home: Home) throws -> PseudoTerminal {
    let terminal = try launch(home)
    try terminal.read(until: "Al-Fatihah")
    try terminal.type("\r")
    try terminal.read(until: "Nhân danh")
    try terminal.readUntilTypedIsTaken()
    #expect(terminal.settings != terminal.settingsBefore, "keys are read one by one")
    return terminal
  }

  private func expectRestored(_ terminal: PseudoTerminal) {
    #expect(terminal.settings == terminal.settingsBefore)
    let sequences = ControlSequences(terminal.output)
    #expect(sequences.modesUsed.contains(1049), "the reader uses the alternate screen")
    #expect(sequences.modes[25] == true, "the cursor is switched on")
    #expect(sequences.modesLeftBehind.isEmpty)
    // Attributes are reset, by `ESC [ m` or `ESC [ 0 m`, or each by its own sequence.
    let ends: Set<Int> = [0, 22, 23, 24, 27, 39, 49]
    #expect(sequences.attributes.last.map { ends.isSuperset(of: $0) } ?? true)
  }

  @Test func quittingEndsWithStatusZero() throws {
    let home = try Home()
    let terminal = try start(home)
    #expect(try terminal.quit() == .exited(0))
    expectRestored(terminal)
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func echoIsRestoredIfASecretPromptIsInterrupted(signal: Int32) throws {
    let terminal = try PseudoTerminal(
      reader: ["sync", "connect", "http://127.0.0.1:1"], in: Home(), with: ["LANG": "en_US.UTF-8"])
    try terminal.read(until: "API token:")
    #expect(terminal.settings != terminal.settingsBefore, "nothing is echoed")
    try terminal.type("secret")
    try terminal.readUntilTypedIsTaken()
    if signal == SIGINT { try terminal.type("\u{3}") } else { terminal.send(signal: signal) }
    #expect(try terminal.end() == .killed(signal: signal))
    #expect(terminal.settings == terminal.settingsBefore)
    #expect(!String(decoding: terminal.output, as: UTF8.self).contains("secret"))
  }

  @Test func controlCQuitsFromAnywhere() throws {
    let home = try Home()
    let terminal = try start(home)
    try terminal.type("g2:2")
    try terminal.readUntilTypedIsTaken()
    try terminal.type("\u{3}")
    #expect(try terminal.end() == .exited(0))
    expectRestored(terminal)
  }

  @Test(arguments: [SIGTERM, SIGHUP, SIGINT, SIGQUIT]) func terminationSignalsRestoreTheTerminal(
    signal: Int32
  ) throws {
    let home = try Home()
    let terminal = try start(home)
    terminal.send(signal: signal)
    let ending = try terminal.end()
    #expect(
      [.exited(0), .exited(128 + signal), .killed(signal: signal)].contains(ending), "\(ending)")
    expectRestored(terminal)
  }

  @Test(arguments: [SIGSEGV, SIGABRT, SIGILL, SIGTRAP, SIGBUS, SIGFPE])
  func aCrashRestoresTheTerminalAndEndsBySignal(signal: Int32) throws {
    let home = try Home()
    let terminal = try start(home)
    terminal.send(signal: signal)
    #expect(try terminal.end() == .killed(signal: signal))
    expectRestored(terminal)
  }

  /// The signal arrives between the first output of ncurses and the first screen.
  @Test(arguments: 1...10) func aCrashDuringTheStartRestoresTheTerminal(_: Int) throws {
    let home = try Home()
    let terminal = try launch(home)
    try terminal.read(until: "the alternate screen") {
      ControlSequences($0).modesUsed.contains(1049)
    }
    terminal.send(signal: SIGSEGV)
    #expect(try terminal.end() == .killed(signal: SIGSEGV))
    expectRestored(terminal)
  }

  /// Another thread may receive the second signal: whichever ends the process, the terminal is
  /// restored.
  @Test(arguments: 1...10) func aSecondCrashDuringTheFirstRestoresTheTerminal(_: Int) throws {
    let home = try Home()
    let terminal = try start(home)
    terminal.send(signal: SIGSEGV)
    terminal.send(signal: SIGABRT)
    let ending = try terminal.end()
    #expect([.killed(signal: SIGSEGV), .killed(signal: SIGABRT)].contains(ending), "\(ending)")
    expectRestored(terminal)
  }

  @Test func hangUpEndsTheReader() throws {
    let home = try Home()
    let terminal = try start(home)
    let ending = try terminal.hangUp()
    #expect(
      [.exited(0), .exited(128 + SIGHUP), .killed(signal: SIGHUP)].contains(ending), "\(ending)")
  }

  /// When a window is closed, the kernel and the shell send SIGHUP, even while an editor runs.
  @Test func hangUpKeepsTheTextOfTheEditor() throws {
    let home = try Home()
    let editor = try home.program(
      "editor", "printf 'Sáng danh Allah' >>\"$1\"\necho written\nexec sleep 1000")
    let terminal = try PseudoTerminal(
      reader: ["1:1"], in: home, with: ["VISUAL": editor, "TMPDIR": "\(home.path)/runtime"])
    try terminal.read(until: "Nhân danh")
    try terminal.readUntilTypedIsTaken()
    try terminal.type("E")
    try terminal.read(until: "written")
    for _ in 0..<2 { terminal.send(signal: SIGHUP) }
    _ = try terminal.hangUp()
    let exported = try home.quranVi("export").output
    #expect(exported.contains("Sáng danh Allah"), "\(exported)")
    #expect(try home.files(under: "runtime").filter { $0.hasSuffix("note.txt") } == [])
  }

  // MARK: The terminal's own reordering of text

  private static let off = "\u{1B}[8l"
  private static let on = "\u{1B}[8h"

  /// The switches of the bidirectional mode in the output, in order.
  private func switches(_ terminal: PseudoTerminal) -> [String] {
    let output = String(decoding: terminal.output, as: UTF8.self)
    return output.ranges(of: "\u{1B}[8").compactMap { range in
      [Self.off, Self.on].first { output[range.lowerBound...].hasPrefix($0) }
    }
  }

  private func startShaped(
    _ home: Home, with changes: [String: String?] = [:]
  ) throws -> PseudoTerminal {
    mkdir("\(home.path)/config/quran-vi", 0o700)
    try home.write("arabic = \"shaped\"", to: "config/quran-vi/config.toml")
    let terminal = try PseudoTerminal(
      reader: ["1:1"], in: home, with: changes.merging(["VTE_VERSION": "7600"]) { $1 })
    try terminal.read(until: "Nhân danh")
    try terminal.readUntilTypedIsTaken()
    return terminal
  }

  @Test func reorderingIsTurnedOffUntilTheReaderQuits() throws {
    let terminal = try startShaped(Home())
    #expect(switches(terminal) == [Self.off])
    #expect(try terminal.quit() == .exited(0))
    #expect(switches(terminal) == [Self.off, Self.on])
  }

  /// The kernel does not stop a process whose parent is in another session: the reader continues.
  @Test func suspendingRestoresTheReordering() throws {
    let terminal = try startShaped(Home())
    try terminal.type("\u{1A}")
    try terminal.read(until: "CSI 8 h") { String(decoding: $0, as: UTF8.self).contains(Self.on) }
    #expect(try terminal.quit() == .exited(0))
    #expect(switches(terminal) == [Self.off, Self.on, Self.off, Self.on])
  }

  @Test func aCrashRestoresTheReordering() throws {
    let terminal = try startShaped(Home())
    terminal.send(signal: SIGSEGV)
    #expect(try terminal.end() == .killed(signal: SIGSEGV))
    #expect(switches(terminal) == [Self.off, Self.on])
  }

  @Test func theReorderingFollowsTheChoiceOfTheUser() throws {
    let home = try Home()
    let terminal = try PseudoTerminal(
      reader: ["1:1"], in: home, with: ["VTE_VERSION": "7600"])
    try terminal.read(until: "Nhân danh")
    try terminal.readUntilTypedIsTaken()
    #expect(switches(terminal) == [])
    try terminal.type("A2")
    try terminal.read(until: "CSI 8 l") { _ in switches(terminal) == [Self.off] }
    try terminal.type("A1")
    // The reordering is on for the page with the choice, and stays on after it.
    try terminal.read(until: "CSI 8 h") { _ in switches(terminal) == [Self.off, Self.on] }
    // A crash before the reader has noted the change would turn the reordering on once more.
    try terminal.readUntilTypedIsTaken()
    terminal.send(signal: SIGSEGV)
    #expect(try terminal.end() == .killed(signal: SIGSEGV))
    #expect(switches(terminal) == [Self.off, Self.on])
  }

  @Test func anEditorRunsWithTheReorderingRestored() throws {
    let home = try Home()
    let editor = try home.program("editor", "echo written\nexit 1")
    let terminal = try startShaped(home, with: ["VISUAL": editor])
    try terminal.type("E")
    try terminal.read(until: "written")
    #expect(try terminal.quit() == .exited(0))
    #expect(switches(terminal) == [Self.off, Self.on, Self.off, Self.on])
  }
}
