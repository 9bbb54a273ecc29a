import Foundation
import Glibc
import TestSupport
import Testing

@Suite struct ResizeTests {
  @Test func theReaderSurvivesATinyTerminal() throws {
    let home = try Home()
    let terminal = try PseudoTerminal(reader: ["2:255"], in: home)
    try terminal.read(until: "Hằng Sống")
    for size in [Size(10, 3), Size(1, 1), Size(10, 3), .standard] {
      terminal.resize(to: size)
      try terminal.type("j")
      try terminal.readUntilTypedIsTaken()
      #expect(terminal.ending == nil, "at \(size)")
    }
    #expect(try terminal.quit() == .exited(0))
    #expect(terminal.settings == terminal.settingsBefore)
    #expect(ControlSequences(terminal.output).modesLeftBehind.isEmpty)
  }

  @Test(arguments: [Size(10, 3), Size(1, 1)]) func theReaderStartsInATinyTerminal(size: Size) throws
  {
    let home = try Home()
    let terminal = try PseudoTerminal(reader: [], in: home, size: size)
    // At 1×1 nothing may be visible: that the reader quits shows that it was running.
    try terminal.read(until: "the reader to take the terminal") { _ in
      terminal.settings != terminal.settingsBefore
    }
    #expect(try terminal.quit() == .exited(0))
    #expect(terminal.settings == terminal.settingsBefore)
  }

  @Test func aTooSmallTerminalShowsTheSizeNeeded() throws {
    let tmux = try Tmux(reader: ["2:255"], in: Home(), size: Size(20, 5))
    try tmux.wait(for: "the room needed, as 24×6") { screen in
      screen.rows.contains { $0.contains(/[0-9]+×[0-9]+/) }
    }
    try tmux.resize(to: Size(40, 12))
    try tmux.wait(for: "the ayah under the cursor") { $0.cursorAyah == 255 }
    try tmux.close()
  }

  @Test func theAyahUnderTheCursorStaysInView() throws {
    let tmux = try Tmux(reader: ["2:100"], in: Home())
    try tmux.wait(for: "2:100") { $0.cursorAyah == 100 }
    for size in [Size(40, 12), Size(120, 40), Size(100, 12), Size(60, 30), .standard] {
      try tmux.resize(to: size)
      try tmux.wait(for: "2:100 at \(size)") { $0.rows.count == size.rows && $0.cursorAyah == 100 }
    }
  }

  /// Between two equal sizes the terminal may have had another one, in which
  /// it lost the contents of the screen.
  @Test func returningToASizeRedrawsTheScreen() throws {
    let home = try Home()
    let terminal = try PseudoTerminal(reader: ["2:255"], in: home)
    try terminal.read(until: "Kursi")
    try terminal.readUntilTypedIsTaken()
    // The reader is stopped, so both changes of the size reach it as one.
    terminal.send(signal: SIGSTOP)
    try terminal.read(until: "it to stop") { _ in ProcessState(pid: terminal.pid)?.letter == "T" }
    let before = terminal.output.count
    terminal.resize(to: Size(1, 1))
    terminal.resize(to: .standard)
    terminal.send(signal: SIGCONT)
    try terminal.read(until: "Kursi", after: before)
    #expect(try terminal.quit() == .exited(0))
  }

  @Test func twoHundredResizesLeaveACorrectScreen() throws {
    let home = try Home()
    var random = SeededGenerator(seed: 0x5EED_2026)
    let terminal = try PseudoTerminal(reader: ["2:1"], in: home)
    try terminal.read(until: "Alif")
    for _ in 0..<200 {
      let size = Size(.random(in: 1...200, using: &random), .random(in: 1...60, using: &random))
      terminal.resize(to: size)
      try terminal.type(["j", "k", " ", "\u{4}", "G"].randomElement(using: &random)!)
      // Half of the sizes come while the one before is still being drawn.
      if Bool.random(using: &random) { try terminal.readUntilTypedIsTaken() }
      try #require(terminal.ending == nil, "it ended at \(size): \(terminal.output.readable)")
    }
    terminal.resize(to: Size(1, 1))
    try terminal.type("k")
    try terminal.readUntilTypedIsTaken()
    let before = terminal.output.count
    terminal.resize(to: .standard)
    // On a terminal that is too small, the keys would have no effect.
    try terminal.read(until: "juz", after: before)
    try terminal.type("g1:1\r")
    try terminal.read(until: "Khoan Dung", after: before)
    try terminal.readUntilTypedIsTaken()
    // Ctrl-c quits at once: nothing else is drawn any more.
    try terminal.type("\u{3}")
    #expect(try terminal.end() == .exited(0))
    #expect(terminal.settings == terminal.settingsBefore)

    // The output since the last resize must draw the whole screen, the same
    // as that of a reader that was never resized.
    let redrawn = Array(terminal.output[before...]).upToTheMainScreen
    try Data(redrawn).write(to: URL(fileURLWithPath: "\(home.path)/redrawn"))
    let replay = try Tmux(
      "stty raw -echo; cat redrawn; printf '\\033]2;done\\007'; exec cat >/dev/null", in: home)
    try replay.wait(for: "the replay") { _ in try replay.value(of: "#{pane_title}") == "done" }
    let fresh = try Tmux(reader: ["2:1"], in: Home())
    try fresh.wait(for: "2:1") { $0.cursorAyah == 1 }
    try fresh.type("g1:1")
    try fresh.press("Enter")
    try fresh.wait(for: "Khoan Dung")
    let expected = try fresh.settled()
    let replayed = try replay.screen()
    // The last row names the place from which each reader jumped.
    #expect(
      replayed.rows.dropLast() == expected.rows.dropLast(),
      "\(replayed)\nexpected\n\(expected)")
  }
}

extension [UInt8] {
  /// The bytes before the alternate screen was left.
  fileprivate var upToTheMainScreen: [UInt8] {
    let leaving = Array("\u{1B}[?1049l".utf8)
    guard let end = indices.last(where: { self[$0...].starts(with: leaving) }) else { return self }
    return Array(self[..<end])
  }
}
