import Glibc
import Testing

/// If standard output is no terminal, the reader ends by itself, and its output
/// is text without control sequences.
@Suite struct WithoutTerminalTests {
  private func expectText(_ outcome: Outcome) {
    #expect(!outcome.outputBytes.contains(0x1B), "\(outcome)")
    #expect(!outcome.errorBytes.contains(0x1B), "\(outcome)")
    // The text is on one of the two streams.
    #expect(!outcome.outputBytes.isEmpty || !outcome.errorBytes.isEmpty)
  }

  @Test func withoutATerminalTheReaderPrintsAHint() throws {
    let outcome = try Home().quranVi()
    #expect(outcome.ending == .exited(0), "\(outcome)")
    expectText(outcome)
    #expect(outcome.output.shows("quran-vi"), "it says how to ask: \(outcome)")
  }

  @Test func withoutATerminalAndInputTheReaderEnds() throws {
    let outcome = try Home().quranVi([], input: .closed)
    #expect(outcome.ending == .exited(0), "\(outcome)")
    expectText(outcome)
  }

  @Test(arguments: [["2:255"], ["--plain"], ["--plain", "2:255"]])
  func argumentsWithoutATerminalPrintText(arguments: [String]) throws {
    let home = try Home()
    for input in [Outcome.Input.nothing, .closed, .text("q\n")] {
      let outcome = try home.quranVi(arguments, input: input)
      #expect(outcome.ending == .exited(0), "\(outcome)")
      expectText(outcome)
    }
  }

  @Test func pipedOutputWithTerminalInputIsText() throws {
    let home = try Home()
    let terminal = try PseudoTerminal(reader: [], in: home, pipesOutput: true)
    #expect(try terminal.end() == .exited(0), "\(terminal.output.readable)")
    #expect(!terminal.piped.contains(0x1B))
    #expect(!terminal.output.contains(0x1B))
    #expect(!terminal.piped.isEmpty || !terminal.output.isEmpty)
    #expect(terminal.settings == terminal.settingsBefore)
  }

  /// The reader may read keys from the terminal, as less does, and end at a key,
  /// or it may end by itself.
  @Test(arguments: [false, true]) func withoutTerminalInputTheTerminalIsRestored(isClosed: Bool)
    throws
  {
    let home = try Home()
    for arguments in [[], ["2:255"]] {
      let terminal = try PseudoTerminal(
        reader: arguments, in: home, input: isClosed ? .closed : .null)
      try terminal.read(until: "keys to be read, or the end") { _ in
        terminal.ending != nil || terminal.settings != terminal.settingsBefore
      }
      let ending = try terminal.quit()
      #expect([.exited(0), .exited(2)].contains(ending), "\(ending)")
      #expect(terminal.settings == terminal.settingsBefore)
      #expect(ControlSequences(terminal.output).modesLeftBehind.isEmpty)
    }
  }

  @Test(arguments: [false, true]) func plainModeEndsWithItsInput(isClosed: Bool) throws {
    let terminal = try PseudoTerminal(
      reader: ["--plain"], in: Home(), input: isClosed ? .closed : .null)
    #expect(try terminal.end() == .exited(0))
    #expect(!terminal.output.contains(0x1B))
  }

  @Test func pipedOutputWithClosedInputIsText() throws {
    let home = try Home()
    let terminal = try PseudoTerminal(reader: [], in: home, input: .closed, pipesOutput: true)
    #expect(try terminal.end() == .exited(0), "\(terminal.output.readable)")
    #expect(!terminal.piped.contains(0x1B))
    #expect(!terminal.output.contains(0x1B))
  }

  /// `quran-vi read 1:1-114:6 | head -1` reports no error.
  @Test func aPipeThatIsClosedEarlyIsNotAnError() throws {
    let home = try Home()
    let outcome = try Outcome.of(
      "/bin/bash",
      ["-c", "\"$0\" read 1:1-114:6 --plain | head -1; echo ${PIPESTATUS[0]}", Program.reader()],
      environment: home.environment, directory: home.path)
    let lines = outcome.output.split(separator: "\n").map(String.init)
    #expect(lines.first == Book.ayahs[0].text)
    #expect(["0", "141"].contains(lines.last), "\(outcome)")
    #expect(outcome.errors == "", "\(outcome)")
  }
}
