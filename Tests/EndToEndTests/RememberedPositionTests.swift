import Glibc
import Testing

@Suite(.serialized) struct RememberedPositionTests {
  private func expectContinuing(at reference: String, ayah: Int, in home: Home) throws {
    let tmux = try Tmux(reader: [], in: home)
    try tmux.wait(for: "the offer to continue") { $0.contains("Đọc tiếp", reference) }
    try tmux.press("Enter")
    try tmux.wait(for: reference) { $0.cursorAyah == ayah }
    #expect(try tmux.settled().contains(reference))
    try tmux.quitReader()
    try tmux.expectEnd()
  }

  @Test func theNextStartOffersToContinue() throws {
    let home = try Home()
    do {
      let tmux = try Tmux(reader: ["2:255"], in: home)
      try tmux.wait(for: "2:255") { $0.cursorAyah == 255 }
      try tmux.quitReader()
      try tmux.expectEnd()
    }
    try expectContinuing(at: "2:255", ayah: 255, in: home)
  }

  @Test func alsoAfterMovingOnAndARequestToEnd() throws {
    let home = try Home()
    let terminal = try PseudoTerminal(reader: ["2:255"], in: home)
    try terminal.read(until: "Hằng Sống")
    try terminal.type("g36:5\r")
    try terminal.read(until: "36:5")
    try terminal.readUntilTypedIsTaken()
    terminal.send(signal: SIGTERM)
    try terminal.end()
    try expectContinuing(at: "36:5", ayah: 5, in: home)
  }

  /// Nothing that may stand in the file keeps the reader from starting.
  @Test func aDamagedFileIsNoHindrance() throws {
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

  @Test func aHomeThatCannotBeWrittenIsNoHindrance() throws {
    let home = try Home()
    let terminal = try PseudoTerminal(
      reader: ["2:255"], in: home,
      with: ["XDG_DATA_HOME": "/dev/null/data", "HOME": "/dev/null/home"])
    try terminal.read(until: "Hằng Sống")
    // That the place is not kept may be said by the status, but not by a crash.
    let ending = try terminal.quit()
    #expect([.exited(0), .exited(1), .exited(3)].contains(ending), "\(ending)")
    #expect(terminal.settings == terminal.settingsBefore)
    #expect(!terminal.output[...].contains(Array("Fatal error".utf8)))
  }
}
