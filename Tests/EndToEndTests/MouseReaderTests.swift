import Testing

/// The mouse in a real terminal, with mouse events of X.
@Suite(.serialized) struct MouseReaderTests {
  /// The row that shows an ayah's number.
  private func row(of ayah: Int, on screen: Screen) throws -> Int {
    // The first two rows are the title of the page.
    let row = screen.rows.indices.dropFirst(2).first {
      let start = screen.rows[$0].prefix(8).drop { $0 == "▌" || $0 == " " }
      return start.prefix { $0 != " " } == "\(ayah)"
    }
    return try #require(row, "\(screen)")
  }

  @Test func clicksAndTheWheelWorkInXTerm() throws {
    let xterm = try XTerm("exec \(Program.reader().quoted) --lang vi 2:1", in: Home())
    try xterm.wait(for: "the text") { $0.cursorAyah == 1 }
    try xterm.click(row: row(of: 3, on: xterm.screen()), column: 20)
    try xterm.wait(for: "the cursor where it was clicked") { $0.cursorAyah == 3 }
    try xterm.click(row: row(of: 2, on: xterm.screen()), column: 20, times: 2)
    try xterm.wait(for: "the heart") { $0.cursorAyah == 2 && $0.contains("2 ♥") }
    for _ in 0..<5 { try xterm.click(row: 10, column: 20, button: 5) }
    try xterm.wait(for: "the text below") { !$0.contains("Alif. Lam. Mim.") }
    for _ in 0..<5 { try xterm.click(row: 10, column: 20, button: 4) }
    try xterm.wait(for: "the text above") { $0.contains("Alif. Lam. Mim.") }
    try xterm.click(row: row(of: 2, on: xterm.screen()), column: 20, button: 3)
    try xterm.wait(for: "the menu") { $0.contains("Câu này · 2:2") }
  }
}
