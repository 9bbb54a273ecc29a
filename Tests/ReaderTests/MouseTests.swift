import Editions
import Foundation
import Library
import Messages
import Quran
import Terminal
import Testing
import Text

@testable import Reader

@Suite struct MouseTests {
  @Test func wheelScrollsWhatItIsOver() throws {
    var story = try Story(.large, opening: AyahID("2:1")) { library, now in
      try library.commit([.setProgress(SurahNumber(1)!, to: 7)], at: now)
    }
    let list = story.rows.map { $0.prefix(40) }
    for _ in 0..<3 { story.send(.mouse(Mouse(.wheelDown, row: 20, column: 100))) }
    #expect(
      story.rows.map { $0.prefix(40) }.dropFirst(2).prefix(30) == list.dropFirst(2).prefix(30))
    #expect(!story.screen.contains("Alif. Lam. Mim."))
  }

  @Test func clickSelectsAndDoubleClickOpens() throws {
    var story = try Story(.medium)
    let click = Mouse(.left, row: 7, column: 10)
    story.send(.mouse(click))
    #expect(story.rows[7].hasPrefix("▸"))
    #expect(story.model.state.position == nil)
    story.time += 200
    story.send(.mouse(click))
    #expect(story.model.state.position == "5:1")
  }

  @Test func slowClicksAreNotADoubleClick() throws {
    var story = try Story(.medium)
    let click = Mouse(.left, row: 7, column: 10)
    story.send(.mouse(click))
    story.time += 2000
    story.send(.mouse(click))
    #expect(story.model.state.position == nil)
  }

  @Test func clickInTheTextMovesTheCursor() throws {
    var story = try Story(.medium, opening: AyahID("1:1"))
    let row = try #require(story.rows.firstIndex { $0.contains("Đấng làm Vua") })
    story.send(.mouse(Mouse(.left, row: row, column: 20)))
    #expect(story.model.state.position == "1:4")
    story.send(.mouse(Mouse(.right, row: row, column: 20)))
    #expect(story.screen.contains("Câu này · 1:4"))
    story.press("<Enter>")
    #expect(story.model.libraryState.shown.isFavorite(AyahID("1:4")))
  }

  @Test func tabsAreClicked() throws {
    var story = try Story(.medium)
    let column = story.rows[0].distance(
      from: story.rows[0].startIndex, to: story.rows[0].firstRange(of: "2 Juz")!.lowerBound)
    story.send(.mouse(Mouse(.left, row: 0, column: column)))
    #expect(story.screen.contains("– 2:141 Al-Baqarah"))
  }

  @Test func clicksAnywhereKeepTheScreenValid() throws {
    var story = try Story(Size(rows: 20, columns: 110))
    for row in 0..<22 {
      for column in stride(from: 0, to: 115, by: 6) {
        for button in [Mouse.Button.left, .right, .middle, .wheelUp, .wheelDown] {
          story.send(.mouse(Mouse(button, row: row, column: column)))
          #expect(story.canvas.size == Size(rows: 20, columns: 110))
        }
      }
    }
  }

  @Test func menuAndPaletteAreClicked() throws {
    var story = try Story(.medium, opening: AyahID("1:1"))
    story.send(.mouse(Mouse(.right, row: 4, column: 20)))
    let row = try #require(story.rows.firstIndex { $0.contains("chép liên kết") })
    story.send(.mouse(Mouse(.left, row: row, column: 40)))
    #expect(story.effects == [.copy("quranvn://surah/1/ayah/1")])
    story.press("<C-p>lien")
    let theme = try #require(story.rows.firstIndex { $0.contains("liền mạch / từng câu") })
    story.send(.mouse(Mouse(.left, row: theme, column: 30)))
    #expect(story.model.state.layout == "flow")
    story.press("<C-p>")
    story.send(.mouse(Mouse(.left, row: 0, column: 0)))
    #expect(!story.screen.contains("Mọi thao tác"))
  }

  @Test(arguments: ["3", "4", "6"])
  func aHeadingWithoutThePlaceOpensNothing(_ tab: String) throws {
    var story = try Story(.medium, place: AyahID("20:53"))
    story.press(tab)
    story.send(.mouse(Mouse(.left, row: 1, column: 4)))
    #expect(story.model.pane == .list)
    story.press("1")
    story.send(.mouse(Mouse(.left, row: 1, column: 4)))
    #expect(story.model.pane == .text && story.model.position.cursor == AyahID("20:53"))
  }

  @Test func filteredListIsClicked() throws {
    var story = try Story(.medium)
    story.press("/yu")
    story.send(.mouse(Mouse(.left, row: 4, column: 10)))
    #expect(story.rows[4].hasPrefix("▸"))
    story.send(.mouse(Mouse(.left, row: 4, column: 10)))
    #expect(story.model.state.position == "12:1")
  }
}
