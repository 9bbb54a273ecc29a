import Foundation
import TestSupport
import Testing

/// Notes with joined emoji and Indic text, whose widths differ between terminals.
@Suite(.serialized) struct EmojiNoteTests {
  private static let note = "Nhà 👨‍👩‍👧‍👦 yêu ❤️ quê 🇻🇳 hết. हिन्दी क्षमा ক্ষমা தமிழ் hết"
  private let home: Home

  init() throws {
    home = try Home()
    for ayah in ["2:255", "1:1"] {
      let added = try home.quranVi("note", "add", ayah, "-m", Self.note)
      guard added.ending == .exited(0) else { throw Failure("note add: \(added)") }
    }
  }

  /// Keys, by their names in tmux and in X, and a text on the screen after each key.
  private static let steps: [(tmux: String, xterm: String, shown: String)] = [
    ("Tab", "Tab", "Ghi chú 1/1"), ("?", "question", "Di chuyển"), ("Escape", "Escape", "255 ✎"),
    ("M-4", "alt+4", "Al-Fatihah"), ("Down", "Down", "quê"), ("Up", "Up", "quê"), ("t", "t", "quê"),
    ("Enter", "Return", "1:1"), ("Tab", "Tab", "Ghi chú 1/1"),
  ]

  @Test func partialRedrawsEqualAFullRedrawInTmux() throws {
    let tmux = try Tmux(reader: ["2:255"], in: home)
    try tmux.wait(for: "the pen") { $0.contains("255", "✎") }
    for step in Self.steps {
      try tmux.press(step.tmux)
      try tmux.wait(for: step.shown)
      let parts = try tmux.settled()
      try tmux.press("C-l")
      let whole = try tmux.settled()
      // The last row has a message until the next key.
      #expect(
        parts.rows.dropLast() == whole.rows.dropLast(),
        "after \(step.tmux):\n\(parts)\nand at once:\n\(whole)")
    }
    try tmux.close()
  }

  @Test func partialRedrawsEqualAFullRedrawInXTerm() throws {
    let xterm = try XTerm("exec \(Program.reader().quoted) --lang vi 2:255", in: home)
    try xterm.wait(for: "the pen") { $0.contains("255", "✎") }
    for step in Self.steps {
      try xterm.press(step.xterm)
      try xterm.wait(for: step.shown) { $0.contains(step.shown) }
      let parts = try xterm.screen()
      // Makes the screen differ until it is redrawn.
      try xterm.writeAtTopLeft("~~~~")
      #expect(try xterm.screen() != parts)
      try xterm.press("ctrl+l")
      try xterm.wait(for: "the same as in parts after \(step.xterm):\n\(parts)") {
        $0.rows.dropLast() == parts.rows.dropLast()
      }
    }
  }

  @Test func aCopiedNoteIsComplete() throws {
    let terminal = try PseudoTerminal(reader: ["2:255"], in: home)
    try terminal.read(until: "Hằng Sống")
    try terminal.type("\t")
    try terminal.read(until: "Ghi chú 1/1")
    try terminal.type("y")
    let copy = "\u{1B}]52;c;\(Data(Self.note.utf8).base64EncodedString())\u{07}"
    try terminal.read(until: "the copy") { $0[...].contains(Array(copy.utf8)) }
    try terminal.quit(by: "\u{3}")
    #expect(try home.quranVi("note", "list", "2:255", "--json").output.shows(Self.note))
  }

  @Test func textPastedIntoANoteIsComplete() throws {
    let tmux = try Tmux(reader: ["1:2"], in: home)
    try tmux.wait(for: "1:2") { $0.cursorAyah == 2 }
    try tmux.type("n")
    try tmux.wait(for: "Ghi chú mới · 1:2")
    try tmux.paste(Self.note)
    try tmux.wait(for: "hết. ")
    try tmux.press("C-s")
    try tmux.wait(for: "✎ đã lưu ghi chú")
    try tmux.close()
    #expect(try home.quranVi("note", "list", "1:2", "--json").output.shows(Self.note))
    #expect(try home.quranVi("export").output.shows(Self.note))
  }
}
