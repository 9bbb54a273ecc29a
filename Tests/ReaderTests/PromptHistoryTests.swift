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
    // A line that was changed is typed.
    #expect(history.older(than: "x") == "c")
    #expect(history.newer(than: "changed") == nil)
  }

  @Test func theNewestFiftyAreKept() {
    var history = PromptHistory()
    for number in 1...60 { history.enter("\(number)") }
    #expect(history.lines == (11...60).map(String.init))
    var next = PromptHistory()
    next.enter("later")
    next.load(history.stored)
    #expect(next.lines == (12...60).map(String.init) + ["later"])
  }

  @Test func promptsRecallTheirOwnLines() throws {
    var story = try Story(.medium)
    story.press("g2:255<Enter>g36<Enter>:theme dark<Enter>g<Up>")
    #expect(story.screen.contains("Đến: 36"))
    story.press("<Up>")
    #expect(story.screen.contains("Đến: 2:255"))
    story.press("<Down><Down>")
    #expect(!story.screen.contains("Đến: 36"))
    story.press("<Esc>:<Up>")
    #expect(story.rows.last?.hasPrefix(":theme dark") == true)
    let stored = try story.stored().device
    #expect(stored[DeviceKey.history(of: "goTo")] == "2:255\n36")
  }

  @Test func queriesAreRecalledUnlessOneIsTyped() throws {
    var story = try Story(.medium)
    story.press("5khoan dung<Enter>/dâng<Enter>/")
    #expect(story.screen.contains("Tìm: dâng"))
    story.press("<Up>")
    #expect(story.screen.contains("Tìm: khoan dung"))
    story.press("<C-u>trời<Up>")
    #expect(story.screen.contains("Tìm: trời"))
  }

  @Test func linesOfAnEarlierSessionAreRecalled() throws {
    var story = try Story(.medium) { library, _ in
      try library.setDeviceValues([DeviceKey.history(of: "goTo"): "18:10\n2:286"])
    }
    story.press("g<Up>")
    #expect(story.screen.contains("Đến: 2:286"))
  }
}
