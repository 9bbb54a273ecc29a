import Testing

@Suite struct ColourTests {
  private func output(with changes: [String: String?]) throws -> [UInt8] {
    let terminal = try PseudoTerminal(reader: ["2:255"], in: Home(), with: changes)
    try terminal.read(until: "Hằng Sống")
    // Through the themes and over other screens.
    for key in ["t", "t", "t", "t", "j", "j", "?", "\u{1B}", "/", "Allah", "\u{1B}"] {
      try terminal.type(key)
      try terminal.readUntilTypedIsTaken()
    }
    #expect(try terminal.quit() == .exited(0))
    return terminal.output
  }

  @Test func aColourTerminalGetsColours() throws {
    #expect(try !ControlSequences(output(with: [:])).colours.isEmpty)
  }

  @Test(arguments: ["1", "yes"]) func noColorMeansNone(value: String) throws {
    let sequences = try ControlSequences(output(with: ["NO_COLOR": value]))
    // 39 and 49 give the terminal's own colours back.
    let chosen = sequences.colours.filter { !Set([39, 49, 0]).isSuperset(of: $0) }
    #expect(chosen.isEmpty)
  }

  @Test func anEmptyNoColorIsNone() throws {
    #expect(try !ControlSequences(output(with: ["NO_COLOR": ""])).colours.isEmpty)
  }
}
