import Editions
import Foundation
import Library
import Messages
import Quran
import Reader
import Terminal
import Testing
import Text

@Suite struct OverlayTests {
  @Test func paletteKeepsItsSelectionInViewWhenTheScreenShrinks() throws {
    var story = try Story(Size(rows: 40, columns: 100))
    story.press("<C-p><PgDn><PgDn>")
    story.resize(Size(rows: 12, columns: 100))
    #expect(story.screen.contains("▸ "))
    #expect(story.rows.contains { $0.contains("│ ▸ ") })
  }

  @Test func helpFillsAScreenThatGrows() throws {
    var story = try Story(Size(rows: 10, columns: 60))
    story.press("?G")
    story.resize(Size(rows: 40, columns: 100))
    #expect(story.rows[2] != "")
  }

  @Test(arguments: [Size.small, .medium])
  func everyChoiceOfACommandIsShown(_ size: Size) throws {
    var story = try Story(size)
    story.press(":theme <Tab>")
    for theme in ThemeName.allCases { #expect(story.screen.contains(theme.rawValue)) }
    story.press("<Tab><Tab>")
    #expect(story.rows.last == ":theme light")
  }

  @Test func refusedCommandsStayOnTheLine() throws {
    var story = try Story(.medium)
    story.press(":xyz<Enter>")
    #expect(story.screen.contains("Không có lệnh “xyz”"))
    #expect(story.rows.last == ":xyz")
    story.press("<C-u>layout flow<Enter>")
    #expect(story.model.state.layout == "flow")
  }
}
