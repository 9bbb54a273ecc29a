import Glibc
import RecordServer
import Synchronization

/// A line on standard error with the progress of a command in percent. It is shown only if standard
/// error is a terminal, from 1 percent on, and is written again for each further percent.
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
