import Editions
import Library
import Messages
import Quran
import Reader
import Terminal
import TestSupport
import Testing

@Suite struct AnyEventTests {
  /// After random events in any order, the frame has the size of the screen, the position is an
  /// ayah of the Quran, and Ctrl-c quits.
  @Test(arguments: 1...12)
  func randomEventsKeepTheScreenValid(_ seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let sizes = [(1, 1), (3, 10), (6, 24), (12, 40), (24, 80), (16, 99), (15, 100), (40, 120)]
    let keys: [Key] =
      KeyTable.standard.groups.flatMap(\.bindings).flatMap(\.keys)
      + [
        Key(.tab), Key(.delete), "đ", "\u{301}", "漢", "👨‍👩‍👧", "2", ":", "7", " ",
        Key(.character("x"), .alt),
      ]
    let pastes = ["khoan dung", "2:255", "\u{1B}[2J\n", "", String(repeating: "đấng ", count: 300)]
    let buttons: [Mouse.Button] = [.left, .left, .left, .middle, .right, .wheelUp, .wheelDown]
    var driver = try ReaderDriver(.medium, isIndexed: seed % 2 == 0)
    var size = Size.medium
    for step in 0..<600 {
      driver.time += Int64.random(in: 0...500, using: &random)
      switch Int.random(in: 0..<20, using: &random) {
      case 0:
        let (rows, columns) = sizes.randomElement(using: &random)!
        size = Size(rows: rows, columns: columns)
        driver.send(.resized(size))
      case 1:
        driver.send(.paste(pastes.randomElement(using: &random)!))
      case 2...4:
        let mouse = Mouse(
          buttons.randomElement(using: &random)!,
          row: Int.random(in: 0..<max(size.rows, 1), using: &random),
          column: Int.random(in: 0..<max(size.columns, 1), using: &random))
        driver.send(.mouse(mouse))
      default:
        driver.send(.key(keys.randomElement(using: &random)!))
      }
      #expect(driver.canvas.size == size, "step \(step)")
      if let cursor = driver.canvas.cursor {
        #expect(cursor.row < size.rows && cursor.column < size.columns, "step \(step)")
      }
    }
    driver.send(.key(.control("c")))
    #expect(driver.effects.last == .quit)
  }
}
