import Dispatch
import Synchronization

/// A bar on standard error for what takes longer than half a second.
///
/// It is driven by counts: `update` is called as often as there is something to tell, and
/// draws now and then. Any thread may call it.
public final class ProgressBar: Sendable {
  private struct State {
    let start: Int64
    var drawnAt: Int64?
    var shown = ""
    var isFinished = false
  }

  /// How long something takes before it has a bar, and between two drawings, in
  /// milliseconds.
  private static let patience: Int64 = 500
  private static let interval: Int64 = 100
  private static let width = 30

  private let isShown: Bool
  private let clock: @Sendable () -> Int64
  private let write: @Sendable (String) -> Void
  private let state: Mutex<State>

  /// - Parameters:
  ///   - isShown: whether people look; else nothing is ever written.
  ///   - clock: milliseconds since any moment.
  ///   - write: takes what is drawn.
  public init(
    isShown: Bool, clock: @escaping @Sendable () -> Int64,
    write: @escaping @Sendable (String) -> Void
  ) {
    self.isShown = isShown
    self.clock = clock
    self.write = write
    state = Mutex(State(start: clock()))
  }

  /// A bar that is never seen.
  public static var hidden: ProgressBar {
    ProgressBar(isShown: false, clock: { 0 }, write: { _ in })
  }

  /// Tells how much is done, of how much; 0 in all where that is not known.
  public func update(_ done: Int, of total: Int) {
    guard isShown else { return }
    let now = clock()
    state.withLock { state in
      guard !state.isFinished, now - state.start >= Self.patience,
        state.drawnAt.map({ now - $0 >= Self.interval }) ?? true
      else { return }
      let bar = Bar.text(done, of: total, width: Self.width)
      let share = total > 0 ? "\(min(max(done, 0), total) * 100 / total) %" : "\(done)"
      let picture = "\(bar) \(share)"
      state.drawnAt = now
      guard picture != state.shown else { return }
      write("\r" + picture.padded(to: state.shown.count))
      state.shown = picture
    }
  }

  /// Takes the bar away.
  public func finish() {
    state.withLock { state in
      if !state.isFinished, !state.shown.isEmpty {
        write("\r\(String(repeating: " ", count: state.shown.count))\r")
      }
      state.isFinished = true
    }
  }

  /// Runs what cannot tell how much of it is done, and looks ten times a second.
  ///
  /// - Parameter measure: how much is done, of how much; from another thread.
  func watching<Value, Failure>(
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
