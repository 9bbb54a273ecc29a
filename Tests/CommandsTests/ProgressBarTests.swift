import Dispatch
import Synchronization
import Testing
import Text

@testable import Commands

struct ProgressBarTests {
  /// A clock that the test sets, and the text that was drawn.
  private final class Terminal: Sendable {
    let now = Atomic<Int>(0)
    let written = Mutex("")

    func bar(isShown: Bool = true) -> ProgressBar {
      ProgressBar(
        isShown: isShown, clock: { Int64(self.now.load(ordering: .relaxed)) },
        write: { text in self.written.withLock { $0 += text } })
    }

    /// The text that was drawn since the last call.
    func drawn() -> String {
      written.withLock { text in
        defer { text = "" }
        return text
      }
    }
  }

  private let terminal = Terminal()

  private func wait(_ milliseconds: Int) {
    terminal.now.add(milliseconds, ordering: .relaxed)
  }

  @Test func shortTasksShowNoBar() {
    let bar = terminal.bar()
    bar.update(1, of: 10)
    wait(499)
    bar.update(9, of: 10)
    bar.finish()
    #expect(terminal.drawn() == "")
  }

  @Test func longTasksShowABarThatIsCleared() {
    let bar = terminal.bar()
    wait(500)
    bar.update(1, of: 4)
    #expect(terminal.drawn() == "\r▓▓▓▓▓▓▓░░░░░░░░░░░░░░░░░░░░░░░ 25 %")
    wait(99)
    bar.update(2, of: 4)
    #expect(terminal.drawn() == "")
    wait(1)
    bar.update(4, of: 4)
    #expect(terminal.drawn() == "\r\(String(repeating: "▓", count: 30)) 100 %")
    wait(100)
    bar.update(4, of: 4)
    #expect(terminal.drawn() == "", "the same is not drawn again")
    wait(100)
    bar.update(0, of: 4)
    #expect(terminal.drawn() == "\r\(String(repeating: "░", count: 30)) 0 %  ", "no digit is left")
    bar.finish()
    #expect(terminal.drawn() == "\r\(String(repeating: " ", count: 34))\r")
    wait(1000)
    bar.update(3, of: 4)
    bar.finish()
    #expect(terminal.drawn() == "")
  }

  /// The timer of `polling` can update the bar while it is being erased.
  @Test func nothingIsDrawnAfterTheEnd() {
    for _ in 1...500 {
      let terminal = Terminal()
      let bar = terminal.bar()
      terminal.now.add(500, ordering: .relaxed)
      bar.update(0, of: 100)
      DispatchQueue.concurrentPerform(iterations: 2) { index in
        guard index == 0 else { return bar.finish() }
        for done in 1...100 {
          terminal.now.add(100, ordering: .relaxed)
          bar.update(done, of: 100)
        }
      }
      #expect(terminal.drawn().hasSuffix("\r"))
    }
  }

  @Test func aHiddenBarWritesNothing() {
    let bar = terminal.bar(isShown: false)
    wait(10_000)
    bar.update(1, of: 2)
    bar.finish()
    #expect(terminal.drawn() == "")
  }

  @Test func anUnknownTotalIsShownAsACount() {
    let bar = terminal.bar()
    wait(500)
    bar.update(12, of: 0)
    #expect(terminal.drawn() == "\r\(String(repeating: "░", count: 30)) 12")
    wait(100)
    bar.update(.max, of: 10)
    #expect(terminal.drawn().hasSuffix(" 100 %"))
  }

  @Test func pollingReturnsOrThrowsLikeItsBody() throws {
    struct Lost: Error {}
    for isShown in [false, true] {
      let bar = terminal.bar(isShown: isShown)
      #expect(bar.polling({ (1, 2) }, { 7 }) == 7)
      #expect(throws: Lost.self) { try bar.polling({ (1, 2) }, { throw Lost() }) }
    }
  }
}
