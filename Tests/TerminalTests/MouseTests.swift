import Testing

@testable import Terminal

struct MouseTests {
  private static let buttons: [(Int, Mouse.Button)] = [
    (0, .left), (1, .middle), (2, .right), (64, .wheelUp), (65, .wheelDown),
  ]
  /// What Shift, Alt and Ctrl add to the button's number.
  private static let modifiers = [0, 4, 8, 16, 28]

  @Test func buttonsAndTheWheelAreReported() throws {
    for (code, button) in Self.buttons {
      for modifier in Self.modifiers {
        try expect(
          "\u{1B}[<\(code + modifier);12;7M", are: [.mouse(Mouse(button, row: 6, column: 11))])
      }
    }
    try expect("\u{1B}[<0;1;1M", are: [.mouse(Mouse(.left, row: 0, column: 0))])
    try expect("\u{1B}[<0;300;200M", are: [.mouse(Mouse(.left, row: 199, column: 299))])
  }

  @Test func releasesMotionAndOtherButtonsAreSkipped() throws {
    for (code, _) in Self.buttons { try expectSkipped("\u{1B}[<\(code);12;7m") }
    for code in [3, 32, 35, 66, 67, 128, 129] { try expectSkipped("\u{1B}[<\(code);12;7M") }
  }

  @Test func invalidCoordinatesAreSkipped() throws {
    for place in ["0;1", "1;0", "-1;1", "10000;1", "1;10000", "99999999999999999999;1", ";", "1"] {
      try expectSkipped("\u{1B}[<0;\(place)M")
    }
  }

  @Test func shortMouseReports() throws {
    for (code, button) in Self.buttons {
      for modifier in Self.modifiers {
        let report: [UInt8] = [UInt8(code + modifier + 32), 12 + 32, 7 + 32]
        try expect(
          Array("\u{1B}[M".utf8) + report, are: [.mouse(Mouse(button, row: 6, column: 11))])
      }
    }
    try expect(
      Array("\u{1B}[M".utf8) + [32, 255, 255], are: [.mouse(Mouse(.left, row: 222, column: 222))])
    // A release.
    try expect(Array("\u{1B}[M".utf8) + [35, 33, 33, 0x6A], are: [.key("j")])
  }

  @Test func damagedShortReportsDoNotAffectLaterKeys() throws {
    try expect("\u{1B}[M\u{1B}[A", is: Key(.up))
    try expect("\u{1B}[M!\u{1B}[A", is: Key(.up))
    try expect("\u{1B}[M!!\r", is: Key(.enter))
    // xterm sends zero for a coordinate that is too large for this form.
    try expect(Array("\u{1B}[M".utf8) + [32, 0, 33, 0x6A], are: [.key("j")])
  }
}
