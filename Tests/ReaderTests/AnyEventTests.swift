import Editions
import Library
import Messages
import Quran
import Reader
import Terminal
import TestSupport
import Testing

@Suite struct AnyEventTests {
  /// Whatever happens, in whatever order, the screen keeps its size, the place is
  /// one of the book's, and quitting works.
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
    var story = try Story(.medium, isIndexed: seed % 2 == 0)
    var size = Size.medium
    for step in 0..<600 {
      story.time += Int64.random(in: 0...500, using: &random)
      switch Int.random(in: 0..<20, using: &random) {
      case 0:
        let (rows, columns) = sizes.randomElement(using: &random)!
        size = Size(rows: rows, columns: columns)
        story.send(.resized(size))
      case 1:
        story.send(.paste(pastes.randomElement(using: &random)!))
      case 2...4:
        let mouse = Mouse(
          buttons.randomElement(using: &random)!,
          row: Int.random(in: 0..<max(size.rows, 1), using: &random),
          column: Int.random(in: 0..<max(size.columns, 1), using: &random))
        story.send(.mouse(mouse))
      case 5 where step == 300:
        story.index()
      default:
        story.send(.key(keys.randomElement(using: &random)!))
      }
      #expect(story.canvas.size == size, "step \(step)")
      let state = story.model.state
      #expect(state.position == nil || state.ayah != nil, "step \(step)")
      if let cursor = story.canvas.cursor {
        #expect(cursor.row < size.rows && cursor.column < size.columns, "step \(step)")
      }
    }
    story.send(.key(.control("c")))
    #expect(story.effects.last == .quit)
  }
}
