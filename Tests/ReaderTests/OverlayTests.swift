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
    var driver = try ReaderDriver(Size(rows: 40, columns: 100))
    driver.press("<C-p><PgDn><PgDn>")
    driver.resize(Size(rows: 12, columns: 100))
    #expect(driver.screen.contains("▸ "))
    #expect(driver.rows.contains { $0.contains("│ ▸ ") })
  }

  @Test func helpFillsAScreenThatGrows() throws {
    var driver = try ReaderDriver(Size(rows: 10, columns: 60))
    driver.press("?G")
    driver.resize(Size(rows: 40, columns: 100))
    #expect(driver.rows[2] != "")
  }

  @Test(arguments: [Size.small, .medium])
  func everyChoiceOfACommandIsShown(_ size: Size) throws {
    var driver = try ReaderDriver(size)
    driver.press(":theme <Tab>")
    for theme in ThemeName.allCases { #expect(driver.screen.contains(theme.rawValue)) }
    driver.press("<Tab><Tab>")
    #expect(driver.rows.last == ":theme light")
  }

  @Test func thePaletteSaysWhyAnActionCannotBePerformed() throws {
    func row(_ driver: ReaderDriver) -> String? { driver.rows.first { $0.contains("│ ▸ ") } }
    var driver = try ReaderDriver(.medium)
    driver.press("<C-p>ghi chu moi")
    let selected = try #require(row(driver))
    #expect(selected.contains("ghi chú mới") && selected.contains("Hãy mở một câu trước."))
    driver.press("<Enter>")
    #expect(!driver.model.isWriting && driver.screen.contains("Hãy mở một câu trước."))
    // Actions that can be performed come first.
    driver.press("<C-p>yeu thich")
    #expect(row(driver)?.contains("các câu yêu thích") == true)
    driver.press("<Esc>g2:255<Enter><C-p>ghi chu moi")
    #expect(row(driver)?.contains(" n i │") == true)
    driver.press("<Enter>")
    #expect(driver.model.isWriting)
  }

  @Test(arguments: [
    ("goto", "Đến câu nào? Ví dụ: :goto 2:255"), ("quit now", "Không hiểu “now”; chỉ gõ :quit."),
    ("help me", "Không hiểu “me”; chỉ gõ :help."),
  ])
  func missingAndUnexpectedArgumentsAreReported(_ line: String, _ reason: String) throws {
    var driver = try ReaderDriver(.medium)
    driver.press(":\(line)<Enter>")
    #expect(driver.screen.contains(reason), "\(driver.screen)")
    #expect(driver.rows.last == ":\(line)" && driver.effects.isEmpty)
  }

  @Test(arguments: [
    ("'", ["1–9 đến đó", "Esc đóng", "' về 1:1"]), ("M", ["1–9 đặt ở đây", "Esc đóng"]),
    ("<C-p>", ["Enter thực hiện", "Esc đóng", "↑ ↓ chọn"]),
    ("l", ["Enter thực hiện", "Esc đóng", "k j chọn"]),
  ])
  func overlaysNameTheirKeys(_ keys: String, _ hints: [String]) throws {
    var driver = try ReaderDriver(.medium, opening: .first)
    driver.press("g2:255<Enter>\(keys)")
    for hint in hints { #expect(driver.rows.last?.contains(hint) == true, "\(driver.screen)") }
    driver.resize(.small)
    for hint in hints.prefix(1) {
      #expect(driver.rows.last?.contains(hint) == true, "\(driver.screen)")
    }
  }

  @Test(arguments: [Language.vietnamese, .english], ["R", "nabc<Esc>"])
  func aQuestionIsNotDividedWithinAnAnswer(_ language: Language, _ keys: String) throws {
    for columns in 24...60 {
      var driver = try ReaderDriver(
        Size(rows: 12, columns: columns), language: language, opening: AyahID("2:255"))
      driver.press("r\(keys)")
      let answers =
        switch (keys, language) {
        case ("R", .vietnamese): ["c có", "k không"]
        case ("R", .english): ["y yes", "n no"]
        case (_, .vietnamese): ["Ctrl-s lưu", "Ctrl-x bỏ", "Esc viết tiếp"]
        case (_, .english): ["Ctrl-s save", "Ctrl-x discard", "Esc go on writing"]
        }
      for answer in answers { #expect(driver.screen.contains(answer), "\(driver.screen)") }
    }
  }

  @Test func refusedCommandsStayOnTheLine() throws {
    var driver = try ReaderDriver(.medium)
    driver.press(":xyz<Enter>")
    #expect(driver.screen.contains("Không có lệnh “xyz”"))
    #expect(driver.rows.last == ":xyz")
    driver.press("<C-u>layout flow<Enter>")
    #expect(driver.model.state.layout == "flow")
  }
}
