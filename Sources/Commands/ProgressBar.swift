import Dispatch
import Synchronization

/// A progress bar for operations that take longer than half a second. Commands draw it on standard
/// error, the reader in its status line.
///
/// `update` can be called on any thread and as often as the progress changes; the bar is redrawn at
/// most ten times a second.
public final class ProgressBar: Sendable {
  private struct State {
    let start: Int64
    var drawnAt: Int64?
    var shown = ""
    var isFinished = false
  }

  /// The delay before the bar appears, in milliseconds.
  private static let delay: Int64 = 500
  /// The minimum time between two drawings, in milliseconds.
  private static let interval: Int64 = 100
  private static let width = 30

  private let isShown: Bool
  private let clock: @Sendable () -> Int64
  private let write: @Sendable (String) -> Void
  private let state: Mutex<State>

  /// Creates a progress bar.
  ///
  /// - Parameters:
  ///   - isShown: Whether to draw the bar at all.
  ///   - clock: Returns a time in milliseconds, from which durations are computed.
  ///   - write: Called with the characters to write.
  public init(
    isShown: Bool, clock: @escaping @Sendable () -> Int64,
    write: @escaping @Sendable (String) -> Void
  ) {
    self.isShown = isShown
    self.clock = clock
    self.write = write
    state = Mutex(State(start: clock()))
  }

  /// A progress bar that is never drawn.
  public static var hidden: ProgressBar {
    ProgressBar(isShown: false, clock: { 0 }, write: { _ in })
  }

  /// Reports the progress.
  ///
  /// - Parameters:
  ///   - done: The amount that is done.
  ///   - total: The whole amount, or 0 if it is unknown.
  public func update(_ done: Int, of total: Int) {
    guard isShown else { return }
    let now = clock()
    state.withLock { state in
      guard !state.isFinished, now - state.start >= Self.delay,
        state.drawnAt.map({ now - $0 >= Self.interval }) ?? true
      else { return }
      let bar = TextBar.text(done, of: total, width: Self.width)
      let share = total > 0 ? "\(min(max(done, 0), total) * 100 / total) %" : "\(done)"
      let drawing = "\(bar) \(share)"
      state.drawnAt = now
      guard drawing != state.shown else { return }
      write("\r" + drawing.padded(to: state.shown.count))
      state.shown = drawing
    }
  }

  /// Erases the bar. Later updates have no effect.
  public func finish() {
    state.withLock { state in
      erase(&state)
      state.isFinished = true
    }
  }

  /// Erases the bar until the next update, so that a line can be printed.
  func erase() {
    state.withLock { erase(&$0) }
  }

  private func erase(_ state: inout State) {
    guard !state.isFinished, !state.shown.isEmpty else { return }
    write("\r\(String(repeating: " ", count: state.shown.count))\r")
    state.shown = ""
  }

  /// Runs an operation that does not report its progress. Ten times a second, calls `measure` and
  /// updates the bar.
  ///
  /// - Parameter measure: Returns the amount that is done and the whole amount; called on another
  ///   thread.
  func polling<Value, Failure>(
    _ measure: @escaping @Sendable () -> (done: Int, total: Int),
    _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    guard isShown else { return try body() }
    let timer = DispatchSource.makeTimerSource(queue: .global(qos: .utility))
    timer.schedule(deadline: .now() + 0.5, repeating: 0.1)
    timer.setEventHandler {
      let (done, total) = measure()
      self.update(done, of: total)
    }
    timer.activate()
    defer {
      timer.cancel()
      finish()
    }
    return try body()
  }
}
