import TestSupport
import Testing

/// Only changes are sent to the terminal; the screen is the same as after a full redraw.
@Suite struct DrawingTests {
  private static let keys = [
    "j", "k", "C-d", "C-u", "PPage", "NPage", "J", "K", "G", "t", "v", "f", "1", "2", "3", "5", "6",
    "7", "Tab", "Enter", "Escape", "?", "Down", "Up", "o",
  ]

  @Test(arguments: [
    "tmux-256color", "xterm-256color", "xterm-nobody-knows", "screen-256color", "screen", "rxvt",
    "linux", "vt100",
  ])
  func partialRedrawsEqualAFullRedraw(term: String) throws {
    let home = try Home()
    let tmux = try Tmux("exec env TERM=\(term) \(Program.reader().quoted) 2:255", in: home)
    try tmux.wait(for: "Kursi")
    var random = SeededGenerator(seed: 5)
    var typed: [String] = []
    for _ in 0..<25 {
      let key = Self.keys.randomElement(using: &random)!
      typed.append(key)
      try tmux.press(key)
      let parts = try screenCells(tmux)
      try tmux.press("C-l")
      for (row, (part, whole)) in zip(parts, try screenCells(tmux)).enumerated() where part != whole
      {
        let changes = zip(part, whole).filter { $0 != $1 }
        Issue.record("row \(row) after \(typed): \(changes)")
      }
    }
  }

  @Test func aPageTurnSendsAtMost4096Bytes() throws {
    let terminal = try PseudoTerminal(reader: ["2:1"], in: Home())
    try terminal.read(until: "Alif. Lam. Mim.")
    try terminal.readUntilTypedIsTaken()
    var counts: [Int] = []
    for _ in 0..<20 {
      let before = terminal.output.count
      try terminal.type("\u{1B}[6~")
      try terminal.read(until: "a new page") { $0.count > before }
      try terminal.readUntilTypedIsTaken()
      counts.append(terminal.output.count - before)
    }
    #expect(counts.max()! <= 4096, "\(counts)")
    #expect(counts.min()! > 200, "\(counts)")
  }

  /// The control sequences that begin and end a frame of synchronized output are never sent without
  /// output between them.
  @Test func noEmptyFrameIsSent() throws {
    let terminal = try PseudoTerminal(
      reader: ["1:1"], in: Home(), with: ["TERM_PROGRAM": "WezTerm"])
    try terminal.read(until: "Al-Fatihah")
    // `k` in the first ayah and Esc have no effect.
    for key in ["k", "k", "k", "\u{1B}", "\u{1B}", "j", "k"] {
      try terminal.type(key)
      try terminal.readUntilTypedIsTaken()
    }
    try terminal.type("\u{3}")
    #expect(try terminal.end() == .exited(0))
    let (begin, end) = (Array("\u{1B}[?2026h".utf8), Array("\u{1B}[?2026l".utf8))
    #expect(terminal.output[...].contains(begin) && terminal.output[...].contains(end))
    #expect(!terminal.output[...].contains(begin + end), "\(terminal.output.readable)")
  }

  /// A character with its colours and attributes.
  fileprivate struct Cell: Hashable {
    var letter: Character
    var background = "49"
    var foreground = "39"
    var attributes: Set<String> = []
  }

  /// The cells of the screen without the last row, which may have a message about the last key.
  private func screenCells(_ tmux: Tmux) throws -> [[Cell]] {
    _ = try tmux.settled()
    var pen = Cell(letter: " ")
    return try tmux.command("capture-pane -p -e").dropLast().map { line in
      var cells: [Cell] = []
      var rest = line[...]
      while let letter = rest.first {
        if letter == "\u{1B}", let end = rest.firstIndex(of: "m") {
          pen.apply(sgr: rest[..<end].dropFirst(2))
          rest = rest[end...].dropFirst()
        } else {
          cells.append(pen.showing(letter))
          rest = rest.dropFirst()
        }
      }
      // tmux prints blanks at the end of a row only if they were written, not if they were cleared.
      while cells.last?.letter == " " { cells.removeLast() }
      return cells
    }
  }
}

extension DrawingTests.Cell {
  /// The cell with another character. Of a blank that is neither underlined nor inverse, only the
  /// background is visible.
  fileprivate func showing(_ letter: Character) -> Self {
    var cell = self
    cell.letter = letter
    if letter == " ", attributes.isDisjoint(with: ["4", "7"]) {
      (cell.foreground, cell.attributes) = ("39", [])
    }
    return cell
  }

  /// Applies the parameters of an SGR sequence.
  fileprivate mutating func apply(sgr parameters: Substring) {
    var rest = parameters.split(separator: ";", omittingEmptySubsequences: false)[...]
    while let first = rest.popFirst() {
      switch first {
      case "0", "": (foreground, background, attributes) = ("39", "49", [])
      case "38":
        foreground = rest.prefix(2).joined(separator: ";")
        rest = rest.dropFirst(2)
      case "48":
        background = rest.prefix(2).joined(separator: ";")
        rest = rest.dropFirst(2)
      case _ where first.count == 1: attributes.insert(String(first))
      case _ where ["3", "9"].contains(first.prefix(1)): foreground = String(first)
      default: background = String(first)
      }
    }
  }
}
