import Terminal

/// A screen without a terminal. Records frames and replays scripted events.
final class MemoryScreen: Screen {
  private(set) var size: Size
  let hasColors: Bool
  /// All frames that were shown, oldest first.
  private(set) var frames: [Canvas] = []
  /// All texts that were copied, oldest first.
  private(set) var copied: [String] = []
  /// The number of calls of `suspend()`.
  private(set) var suspensions = 0
  private var script: [Step]
  private let onWait: () -> Void

  /// The result of one call of `events(within:)`.
  enum Step {
    /// The events are returned.
    case events([Event])
    /// The screen gets a new size, which is returned as an event.
    case resize(Size)
    /// No events are returned, as if the time limit had passed.
    case pause
  }

  /// Creates a screen.
  ///
  /// - Parameters:
  ///   - size: The initial size.
  ///   - hasColors: Whether the screen shows colours.
  ///   - script: One step for each call of `events(within:)`. Later calls return `.terminate` with
  ///     SIGHUP.
  ///   - onWait: Called each time the reader waits for events.
  init(
    size: Size, hasColors: Bool = true, script: [Step] = [], onWait: @escaping () -> Void = {}
  ) {
    self.size = size
    self.hasColors = hasColors
    self.script = script
    self.onWait = onWait
  }

  func show(_ frame: Canvas) { frames.append(frame) }

  func events(within limit: Int?) -> [Event] {
    onWait()
    // SIGHUP
    guard !script.isEmpty else { return [.terminate(1)] }
    switch script.removeFirst() {
    case .events(let events): return events
    case .resize(let size):
      self.size = size
      return [.resized(size)]
    case .pause: return []
    }
  }

  func suspend() { suspensions += 1 }

  func lend(_ body: () -> Void) { body() }

  func copy(_ text: String) -> Bool {
    copied.append(text)
    return true
  }
}
