import Glibc
import TestSupport
import Testing

@Suite(.serialized) struct RememberedPositionTests {
  private func expectContinuing(at reference: String, ayah: Int, in home: Home) throws {
    let tmux = try Tmux(reader: [], in: home)
    try tmux.wait(for: "the offer to continue") { $0.contains("Đọc tiếp", reference) }
    try tmux.press("Enter")
    try tmux.wait(for: reference) { $0.cursorAyah == ayah }
    #expect(try tmux.settled().contains(reference))
    try tmux.close()
  }

  @Test func theNextStartOffersToContinue() throws {
    let home = try Home()
    do {
      let tmux = try Tmux(reader: ["2:255"], in: home)
      try tmux.wait(for: "2:255") { $0.cursorAyah == 255 }
      try tmux.close()
    }
    try expectContinuing(at: "2:255", ayah: 255, in: home)
  }

  @Test func thePositionIsKeptAfterSIGTERM() throws {
    let home = try Home()
    let terminal = try PseudoTerminal(reader: ["2:255"], in: home)
    try terminal.read(until: "Hằng Sống")
    try terminal.type("g36:5\rjjj")
    try terminal.read(until: "36:8")
    try terminal.readUntilTypedIsTaken()
    terminal.send(signal: SIGTERM)
    try terminal.end()
    try expectContinuing(at: "36:8", ayah: 8, in: home)
  }

  @Test(arguments: [Size(80, 24), Size(120, 40), Size(40, 12)])
  func aSearchDoesNotMoveThePlace(size: Size) throws {
    let home = try Home()
    let corner = size.columns < 60 ? "chỗ khác" : "chỗ đọc 20:53"
    do {
      let tmux = try Tmux(reader: [], in: home, size: size)
      try tmux.wait(for: "the list") { $0.contains("Al-Fatihah") }
      try tmux.type("g20:50")
      try tmux.press("Enter")
      try tmux.wait(for: "20:50") { $0.cursorAyah == 50 }
      try tmux.type("jjj")
      try tmux.wait(for: "20:53") { $0.cursorAyah == 53 }
      #expect(try !tmux.settled().contains(corner))
      try tmux.type("/con bo cai vang")
      try tmux.wait(for: "the hits") { $0.contains("2:69") }
      try tmux.press("Enter")
      try tmux.wait(for: "2:69") { $0.cursorAyah == 69 }
      #expect(try tmux.settled().rows.last?.contains(corner) == true)
      try tmux.press("Escape")
      try tmux.wait(for: "2:69 and the corner") {
        $0.rows.last?.contains("2:69") == true && $0.rows.last?.contains(corner) == true
      }
      try tmux.close()
    }
    try expectContinuing(at: "20:53", ayah: 53, in: home)
    // Ctrl-o returns to the place, too.
    let tmux = try Tmux(reader: ["2:69"], in: home, size: size)
    try tmux.wait(for: "2:69") { $0.cursorAyah == 69 && $0.contains(corner) }
    try tmux.press("C-o")
    try tmux.wait(for: "20:53") { $0.cursorAyah == 53 && !$0.contains(corner) }
    try tmux.close()
  }

  /// The reader starts with any contents of the files.
  @Test func damagedFilesDoNotPreventTheStart() throws {
    let home = try Home()
    let terminal = try PseudoTerminal(reader: ["2:255"], in: home)
    try terminal.read(until: "Hằng Sống")
    #expect(try terminal.quit() == .exited(0))
    let files = try home.files(under: "data")
    #expect(!files.isEmpty)
    for contents in ["", "\u{0}\u{1B}[31m", "{\"cursor\":\"9:999\"}", "999:999\n", "[[[["] {
      for file in files { try home.write(contents, to: file) }
      let terminal = try PseudoTerminal(reader: [], in: home)
      try terminal.read(until: "Al-Fatihah")
      #expect(try terminal.quit() == .exited(0))
    }
  }

  @Test func anUnwritableHomeDoesNotPreventTheStart() throws {
    let home = try Home()
    let terminal = try PseudoTerminal(
      reader: ["2:255"], in: home,
      with: ["XDG_DATA_HOME": "/dev/null/data", "HOME": "/dev/null/home"])
    try terminal.read(until: "Hằng Sống")
    // The exit status may report that the place is not saved, but the reader must not crash.
    let ending = try terminal.quit()
    #expect([.exited(0), .exited(1), .exited(3)].contains(ending), "\(ending)")
    #expect(terminal.settings == terminal.settingsBefore)
    #expect(!terminal.output[...].contains(Array("Fatal error".utf8)))
  }
}
