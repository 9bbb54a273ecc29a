@testable import Terminal

/// A screen that types a text, then waits for wake-ups until a test is done.
final class WakingScreen: Screen {
  /// Called before the first wait.
  var onFirstWait: () -> Void = {}
  let size = Size.medium
  private let wakeUp: WakeUp
  private var typed: Substring
  private let limit: Int
  private let isDone: () -> Bool
  private let onFrame: (Canvas) -> Void
  private var waits = 0

  /// - Parameters:
  ///   - limit: The number of waits after which the reader is ended.
  ///   - isDone: Called before each wait; true ends the reader.
  init(
    _ wakeUp: WakeUp, typing text: String = "", limit: Int = 30,
    until isDone: @escaping () -> Bool, onFrame: @escaping (Canvas) -> Void
  ) {
    self.wakeUp = wakeUp
    typed = text[...]
    self.limit = limit
    self.isDone = isDone
    self.onFrame = onFrame
  }

  func show(_ frame: Canvas) { onFrame(frame) }

  func events(within limit: Int?) -> [Event] {
    if let character = typed.popFirst() { return [.key(.character(character))] }
    waits += 1
    if waits == 1 { onFirstWait() }
    // SIGHUP
    guard !isDone(), waits < self.limit else { return [.terminate(1)] }
    wakeUp.wait()
    return [.woken]
  }

  func suspend() {}
  func lend(_ body: () -> Void) { body() }
  func copy(_ text: String) -> Bool { true }
}
