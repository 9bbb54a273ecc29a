import Glibc
import TestSupport
import Testing

/// Reading line by line: for screen readers, and for terminals without cursor movement.
@Suite struct PlainModeTests {
  static let invocations: [(arguments: [String], changes: [String: String?])] = [
    ([], ["TERM": "dumb"]), ([], ["TERM": nil]), ([], ["TERM": "no-such-terminal"]),
    (["--plain"], [:]), ([], ["ACCESSIBLE": "1"]),
  ]

  private static let prompt = "\n> "

  @Test(arguments: invocations.indices) func plainModeReadsAndWritesLines(way: Int) throws {
    let (arguments, changes) = Self.invocations[way]
    let home = try Home()
    let terminal = try PseudoTerminal(reader: arguments, in: home, with: changes)
    try terminal.read(until: Self.prompt)
    let first =
      String(decoding: terminal.output, as: UTF8.self).split(whereSeparator: \.isNewline)
      .first.map(String.init) ?? ""
    #expect(first.shows("từng dòng"), "the first line says the mode is on: \(first)")
    try terminal.type("l\n")
    try terminal.read(until: "1. Al-Fatihah")
    try terminal.read(until: "114. ")
    try terminal.type("2:255\n")
    try terminal.read(until: "Đấng Hằng Sống")
    try terminal.quitPlain()
    #expect(!terminal.output.contains(0x1B), "\(terminal.output.readable)")
    #expect(terminal.settings == terminal.settingsBefore)
    let boxes = String(decoding: terminal.output, as: UTF8.self).unicodeScalars
      .filter { (0x2500...0x259F).contains($0.value) }
    #expect(boxes.isEmpty, "no boxes or bars")
  }

  /// The path may be misspelt.
  @Test func theDirectoryOfALibraryThatIsNamedMustExist() throws {
    let home = try Home()
    let terminal = try PseudoTerminal(
      reader: ["--plain", "--library", home.path + "/missing/library.sqlite"], in: home)
    #expect(try terminal.end() == .exited(3))
    #expect(terminal.output.readable.shows("missing/library.sqlite"))
    #expect(access(home.path + "/missing", F_OK) != 0)
  }

  @Test(arguments: invocations.indices) func controlCEndsPlainMode(way: Int) throws {
    let (arguments, changes) = Self.invocations[way]
    let terminal = try PseudoTerminal(reader: arguments, in: Home(), with: changes)
    try terminal.read(until: Self.prompt)
    try terminal.type("\u{3}")
    #expect(try terminal.end() == .killed(signal: SIGINT))
    #expect(terminal.settings == terminal.settingsBefore)
  }

  @Test func commandsFromAPipeAreExecuted() throws {
    let home = try Home()
    let outcome = try home.quranVi("--plain", input: .text("g 2:255\nf\nq\n"))
    #expect(outcome.ending == .exited(0), "\(outcome)")
    #expect(outcome.output.shows("Đấng Hằng Sống"), "\(outcome)")
    let favorites = "2:255  \(Book.text(of: "2:255"))\n"
    #expect(try home.quranVi("favorite", "list").output == favorites)
    // With an argument, its text is printed and standard input is ignored.
    let printed = try home.quranVi("--plain", "112", input: .text("f\n"))
    #expect(printed.ending == .exited(0), "\(printed)")
    #expect(printed.output == (1...4).map { Book.text(of: "112:\($0)") + "\n" }.joined())
    #expect(try home.quranVi("favorite", "list").output == favorites)
  }

  @Test func anUnknownTerminalIsNamed() throws {
    let terminal = try PseudoTerminal(in: Home(), with: ["TERM": "no-such-terminal"])
    try terminal.read(until: Self.prompt)
    let output = String(decoding: terminal.output, as: UTF8.self)
    #expect(output.contains("“no-such-terminal” (TERM)"), "\(output)")
    try terminal.quitPlain()
  }

  @Test func theFirstLineNamesTheModeInEnglish() throws {
    let terminal = try PseudoTerminal(
      reader: ["--plain"], in: Home(), with: ["LANG": "en_US.UTF-8"])
    try terminal.read(until: "line by line")
    try terminal.quitPlain()
  }

  @Test func aNumberOfTheListOpensItsSurah() throws {
    let terminal = try PseudoTerminal(reader: ["--plain"], in: Home())
    try terminal.read(until: Self.prompt)
    try terminal.type("l\n")
    try terminal.read(until: "114. ")
    try terminal.type("112\n")
    try terminal.read(until: Book.text(of: "112:1"))
    try terminal.quitPlain()
  }

  @Test func endOfInputEndsPlainMode() throws {
    let terminal = try PseudoTerminal(reader: ["--plain"], in: Home())
    try terminal.read(until: Self.prompt)
    try terminal.type("\u{4}")
    #expect(try terminal.end() == .exited(0))
  }

  @Test func thePlaceIsSharedWithTheFullScreenReader() throws {
    let home = try Home()
    let plain = try PseudoTerminal(reader: ["--plain", "36:5"], in: home)
    try plain.read(until: Book.text(of: "36:5"))
    try plain.quitPlain()
    let screens = try PseudoTerminal(reader: [], in: home)
    try screens.read(until: "36:5")
    #expect(try screens.quit() == .exited(0))
  }

  /// Ctrl-c, a request to terminate, and a closed terminal.
  @Test(arguments: [SIGINT, SIGTERM, SIGHUP]) func signalsKeepThePlace(signal: Int32)
    throws
  {
    let home = try Home()
    let terminal = try PseudoTerminal(reader: ["--plain", "36:4"], in: home)
    try terminal.read(until: Self.prompt)
    try terminal.type("\n")
    try terminal.read(until: Book.text(of: "36:5"))
    if signal == SIGINT { try terminal.type("\u{3}") } else { terminal.send(signal: signal) }
    #expect(try terminal.end() == .killed(signal: signal))
    let next = try PseudoTerminal(reader: ["--plain"], in: home)
    try next.read(until: "36:5")
    try next.quitPlain()
  }

  @Test func anInvalidReferenceIsReported() throws {
    let terminal = try PseudoTerminal(reader: ["--plain"], in: Home())
    try terminal.read(until: Self.prompt)
    try terminal.type("2:300\n")
    try terminal.read(until: "286")
    try terminal.quitPlain()
  }
}
