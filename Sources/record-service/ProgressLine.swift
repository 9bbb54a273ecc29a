import Glibc
import RecordServer
import Synchronization

/// A line on standard error that says how far a command is, if that is a terminal. It appears when a
/// hundredth is done, and is written again for each further one.
final class ProgressLine: Sendable {
  private let isShown = isatty(STDERR_FILENO) == 1
  private let shown = Mutex((percent: 0, line: ""))

  func update(_ done: Int, of total: Int) {
    guard isShown, total > 0 else { return }
    let percent = min(done * 100 / total, 100)
    shown.withLock { shown in
      guard percent > shown.percent else { return }
      let line = CommandMessages.moving(percent: percent)
      Output.replace(shown.line, by: line)
      shown = (percent, line)
    }
  }

  /// Erases the line.
  func finish() {
    shown.withLock { shown in
      if !shown.line.isEmpty { Output.replace(shown.line, by: "") }
      shown.line = ""
    }
  }
}
