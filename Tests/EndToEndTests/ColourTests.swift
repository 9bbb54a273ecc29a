import TestSupport
import Testing

@Suite struct ColourTests {
  private func output(with changes: [String: String?]) throws -> [UInt8] {
    let terminal = try PseudoTerminal(reader: ["2:255"], in: Home(), with: changes)
    try terminal.read(until: "Hằng Sống")
    // All themes, then another place and other screens.
    for key in ["t", "t", "t", "t", "j", "j"] {
      try terminal.type(key)
      try terminal.readUntilTypedIsTaken()
    }
    // Esc directly followed by a key is Alt and that key, so each step waits for its screen.
    for (keys, shown) in [
      ("?", "Di chuyển"), ("\u{1B}", "Con Bò Cái"), ("/", "Gõ chữ cần tìm"), ("Allah", "kết quả"),
      ("\u{1B}", "Con Bò Cái"),
    ] {
      let before = terminal.output.count
      try terminal.type(keys)
      try terminal.read(until: shown, after: before)
    }
    // Ctrl-c quits from anywhere.
    try terminal.type("\u{3}")
    #expect(try terminal.end() == .exited(0))
    return terminal.output
  }

  @Test func aColourTerminalGetsColours() throws {
    #expect(try !ControlSequences(output(with: [:])).colours.isEmpty)
  }

  @Test(arguments: ["1", "yes"]) func noColorTurnsColoursOff(value: String) throws {
    let sequences = try ControlSequences(output(with: ["NO_COLOR": value]))
    // 39, 49 and 0 set the terminal's own colours, and do not count.
    #expect(sequences.colours.isEmpty)
  }

  @Test func anEmptyNoColorIsIgnored() throws {
    #expect(try !ControlSequences(output(with: ["NO_COLOR": ""])).colours.isEmpty)
  }
}
