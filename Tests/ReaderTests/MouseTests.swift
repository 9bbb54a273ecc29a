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
  @Test func wheelScrollsThePaneUnderThePointer() throws {
    var driver = try ReaderDriver(.large, opening: AyahID("2:1")) { library, now in
      try library.commit([.setProgress(SurahNumber(1)!, to: 7)], at: now)
    }
    // Only the columns of the names: the progress behind them changes.
    func names() -> [Substring] { driver.rows.dropFirst(2).prefix(30).map { $0.prefix(34) } }
    let before = names()
    for _ in 0..<3 { driver.send(.mouse(Mouse(.wheelDown, row: 20, column: 100))) }
    #expect(names() == before)
    #expect(!driver.screen.contains("Alif. Lam. Mim."))
  }

  @Test func clickSelectsAndDoubleClickOpens() throws {
    var driver = try ReaderDriver(.medium)
    let click = Mouse(.left, row: 7, column: 10)
    driver.send(.mouse(click))
    #expect(driver.rows[7].hasPrefix("▸"))
    #expect(driver.model.state.position == nil)
    driver.time += 200
    driver.send(.mouse(click))
    #expect(driver.model.state.position == "5:1")
  }

  @Test func slowClicksAreNotADoubleClick() throws {
    var driver = try ReaderDriver(.medium)
    let click = Mouse(.left, row: 7, column: 10)
    driver.send(.mouse(click))
    driver.time += 2000
    driver.send(.mouse(click))
    #expect(driver.model.state.position == nil)
  }

  @Test func clickInTheTextMovesTheCursor() throws {
    var driver = try ReaderDriver(.medium, opening: AyahID("1:1"))
    let row = try #require(driver.rows.firstIndex { $0.contains("Đấng làm Vua") })
    driver.send(.mouse(Mouse(.left, row: row, column: 20)))
    #expect(driver.model.state.position == "1:4")
    driver.send(.mouse(Mouse(.right, row: row, column: 20)))
    #expect(driver.screen.contains("Câu này · 1:4"))
    driver.press("<Enter>")
    #expect(driver.model.libraryState.shown.isFavorite(AyahID("1:4")))
  }

  @Test func aClickOnTheEmptyFilterKeepsItOpen() throws {
    var driver = try ReaderDriver(.small)
    driver.press("/")
    let row = try #require(driver.model.geometry.listHeading).row
    driver.send(.mouse(Mouse(.left, row: row, column: 5)))
    #expect(driver.model.overlay == .filter && driver.model.pane == .list)
    driver.press("yas")
    #expect(driver.screen.contains("Ya-Sin"))
  }

  @Test(arguments: ["1", "2", "7"]) func aClickOnThePlaceToContinueOpensIt(tab: String) throws {
    var driver = try ReaderDriver(.small, place: AyahID("2:255"))
    driver.press(tab)
    let row = try #require(driver.model.geometry.listHeading).row
    driver.send(.mouse(Mouse(.left, row: row, column: 5)))
    #expect(driver.model.pane == .text && driver.model.position.cursor == AyahID("2:255"))
  }

  @Test func clickOnATabOpensIt() throws {
    var driver = try ReaderDriver(.medium)
    let column = driver.rows[0].distance(
      from: driver.rows[0].startIndex, to: driver.rows[0].firstRange(of: "2 Juz")!.lowerBound)
    driver.send(.mouse(Mouse(.left, row: 0, column: column)))
    #expect(driver.screen.contains("– 2:141 Al-Baqarah"))
  }

  @Test func clicksAnywhereDoNotCrash() throws {
    var driver = try ReaderDriver(Size(rows: 20, columns: 110))
    for row in 0..<22 {
      for column in stride(from: 0, to: 115, by: 6) {
        for button in [Mouse.Button.left, .right, .middle, .wheelUp, .wheelDown] {
          driver.send(.mouse(Mouse(button, row: row, column: column)))
          #expect(driver.canvas.size == Size(rows: 20, columns: 110))
        }
      }
    }
  }

  @Test func clicksInMenuAndPaletteRunActions() throws {
    var driver = try ReaderDriver(.medium, opening: AyahID("1:1"))
    driver.send(.mouse(Mouse(.right, row: 4, column: 20)))
    let row = try #require(driver.rows.firstIndex { $0.contains("chép liên kết") })
    driver.send(.mouse(Mouse(.left, row: row, column: 40)))
    #expect(driver.effects == [.copy("quranvn://surah/1/ayah/1")])
    driver.press("<C-p>lien")
    let theme = try #require(driver.rows.firstIndex { $0.contains("liền mạch / từng câu") })
    driver.send(.mouse(Mouse(.left, row: theme, column: 30)))
    #expect(driver.model.state.layout == "flow")
    driver.press("<C-p>")
    driver.send(.mouse(Mouse(.left, row: 0, column: 0)))
    #expect(!driver.screen.contains("Mọi thao tác"))
  }

  @Test(arguments: ["3", "4", "6"])
  func clickOnAHeadingOpensThePlaceOnlyInSurahs(_ tab: String) throws {
    var driver = try ReaderDriver(.medium, place: AyahID("20:53"))
    driver.press(tab)
    driver.send(.mouse(Mouse(.left, row: 1, column: 4)))
    #expect(driver.model.pane == .list)
    driver.press("1")
    driver.send(.mouse(Mouse(.left, row: 1, column: 4)))
    #expect(driver.model.pane == .text && driver.model.position.cursor == AyahID("20:53"))
  }

  @Test func clicksSelectAndOpenInAFilteredList() throws {
    var driver = try ReaderDriver(.medium)
    driver.press("/yu")
    driver.send(.mouse(Mouse(.left, row: 4, column: 10)))
    #expect(driver.rows[4].hasPrefix("▸"))
    driver.send(.mouse(Mouse(.left, row: 4, column: 10)))
    #expect(driver.model.state.position == "12:1")
  }
}
