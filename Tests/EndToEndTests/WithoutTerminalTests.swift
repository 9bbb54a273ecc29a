import Foundation
import TestSupport
import Testing

/// If standard output is no terminal, the reader ends by itself, and its output
/// is text without control sequences.
@Suite struct WithoutTerminalTests {
  /// Expects that the output contains a text, and that nothing was written to draw a screen.
  private func expect(_ outcome: Outcome, shows text: String) {
    #expect(outcome.ending == .exited(0), "\(outcome)")
    #expect(outcome.output.shows(text), "\(outcome)")
    #expect(!outcome.outputBytes.contains(0x1B), "\(outcome)")
    #expect(outcome.errorBytes.isEmpty, "\(outcome)")
  }

  @Test func withoutATerminalTheReaderPrintsAHint() throws {
    expect(try Home().quranVi(), shows: "quran-vi read 2:255")
  }

  @Test func withoutATerminalAndInputTheReaderEnds() throws {
    expect(try Home().quranVi([], input: .closed), shows: "quran-vi read 2:255")
  }

  @Test(arguments: [["2:255"], ["--plain"], ["--plain", "2:255"]])
  func argumentsWithoutATerminalPrintText(arguments: [String]) throws {
    let home = try Home()
    let text =
      arguments == ["--plain"]
      ? Book.ayahs.prefix(7).map { $0.text + "\n" }.joined()
      : (arguments.count == 1 ? "2:255  " : "") + Book.text(of: "2:255") + "\n"
    for input in [Outcome.Input.nothing, .closed] {
      let outcome = try home.quranVi(arguments, input: input)
      expect(outcome, shows: text)
      #expect(outcome.output == text)
    }
    // Without a reference, the commands of plain mode are read from a pipe.
    expect(
      try home.quranVi(arguments, input: .text("q\n")),
      shows: arguments == ["--plain"] ? "q: thoát" : text)
  }

  @Test func pipedOutputWithTerminalInputIsText() throws {
    let home = try Home()
    let terminal = try PseudoTerminal(reader: [], in: home, pipesOutput: true)
    #expect(try terminal.end() == .exited(0), "\(terminal.output.readable)")
    #expect(String(decoding: terminal.piped, as: UTF8.self).shows("quran-vi read 2:255"))
    #expect(!terminal.piped.contains(0x1B))
    #expect(terminal.output.isEmpty)
    #expect(terminal.settings == terminal.settingsBefore)
  }

  /// The reader reads keys from the terminal, as less does, and restores it.
  @Test(arguments: [false, true]) func withoutTerminalInputKeysAreReadFromTheTerminal(
    isClosed: Bool
  ) throws {
    let home = try Home()
    for arguments in [[], ["2:255"]] {
      let terminal = try PseudoTerminal(
        reader: arguments, in: home, input: isClosed ? .closed : .null)
      try terminal.read(until: "keys to be read") { _ in
        terminal.settings != terminal.settingsBefore
      }
      #expect(try terminal.quit() == .exited(0))
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

  /// A file that is opened must not get the number of a closed descriptor, because the output would
  /// be written to it.
  @Test func withStandardOutputClosedNoFileGetsTheOutput() throws {
    let home = try Home()
    #expect(try home.quranVi("favorite", "add", "1:1").ending == .exited(0))
    let data = "\(home.path)/data/quran-vi"
    func files() throws -> [String: Data] {
      let names = try FileManager.default.contentsOfDirectory(atPath: data)
      return try names.reduce(into: [:]) { files, name in
        files[name] = try Data(contentsOf: URL(filePath: "\(data)/\(name)"))
      }
    }
    let before = try files()
    for arguments in [
      ["export"], ["favorite", "list", "--json"], ["export", "--format", "markdown", "-o", "x"],
    ] {
      for closed in [">&-", ">&- 2>&-", "<&- >&- 2>&-"] {
        let outcome = try Outcome.of(
          "/bin/sh", ["-c", #"exec "$0" "$@" \#(closed)"#, Program.reader()] + arguments,
          environment: home.environment(with: [:]), directory: home.path)
        #expect(outcome.ending == .exited(3), "\(closed): \(outcome)")
        #expect(try files() == before, "\(closed): \(outcome)")
      }
    }
    let written = try String(contentsOfFile: "\(home.path)/x", encoding: .utf8)
    #expect(written.shows("1:1") && written.hasSuffix("\n"))
  }
}
