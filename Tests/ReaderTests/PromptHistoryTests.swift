import Library
import Terminal
import Testing

@testable import Reader

/// Lines that were entered before.
@Suite struct PromptHistoryTests {
  @Test func linesAreRecalledInOrder() {
    var history = PromptHistory()
    #expect(history.older(than: "") == nil)
    #expect(history.newer(than: "") == nil)
    for line in ["a", "b", "a", "c"] { history.enter(line) }
    #expect(history.lines == ["b", "a", "c"], "each once")
    #expect(history.older(than: "typed") == "c")
    #expect(history.older(than: "c") == "a")
    #expect(history.older(than: "a") == "b")
    #expect(history.older(than: "b") == nil)
    #expect(history.newer(than: "b") == "a")
    #expect(history.newer(than: "a") == "c")
    #expect(history.newer(than: "c") == "typed")
    #expect(history.newer(than: "typed") == nil)
    // A recalled line that was changed counts as newly typed.
    #expect(history.older(than: "x") == "c")
    #expect(history.newer(than: "changed") == nil)
  }

  @Test func theLastLineCanBeTypedAgain() {
    var history = PromptHistory()
    for line in ["a", "b"] { history.enter(line) }
    #expect(history.older(than: "typed") == "b")
    #expect(history.newer(than: "b") == "typed")
    #expect(history.older(than: "b") == "a")
    #expect(history.newer(than: "a") == "b")
    #expect(history.newer(than: "b") == "b")
  }

  @Test func onlyTheNewestFiftyLinesAreKept() {
    var history = PromptHistory()
    for number in 1...60 { history.enter("\(number)") }
    #expect(history.lines == (11...60).map(String.init))
    var next = PromptHistory()
    next.enter("later")
    next.load(history.stored)
    #expect(next.lines == (12...60).map(String.init) + ["later"])
  }

  @Test func promptsRecallTheirOwnLines() throws {
    var driver = try ReaderDriver(.medium)
    driver.press("g2:255<Enter>g36<Enter>:theme dark<Enter>g<Up>")
    #expect(driver.screen.contains("Đến: 36"))
    driver.press("<Up>")
    #expect(driver.screen.contains("Đến: 2:255"))
    driver.press("<Down><Down>")
    #expect(!driver.screen.contains("Đến: 36"))
    driver.press("<Esc>:<Up>")
    #expect(driver.rows.last?.hasPrefix(":theme dark") == true)
    let stored = try driver.stored().device
    #expect(stored[DeviceKey.history(of: "goTo")] == "2:255\n36")
  }

  @Test func queriesAreRecalledUnlessOneIsTyped() throws {
    var driver = try ReaderDriver(.medium)
    driver.press("5khoan dung<Enter>/dâng<Enter>/")
    #expect(driver.screen.contains("Tìm: dâng"))
    driver.press("<Up>")
    #expect(driver.screen.contains("Tìm: khoan dung"))
    driver.press("<C-u>trời<Up>")
    #expect(driver.screen.contains("Tìm: trời"))
  }

  @Test func linesOfAnEarlierSessionAreRecalled() throws {
    var driver = try ReaderDriver(.medium) { library, _ in
      try library.setDeviceValues([DeviceKey.history(of: "goTo"): "18:10\n2:286"])
    }
    driver.press("g<Up>")
    #expect(driver.screen.contains("Đến: 2:286"))
  }
}
