/// A terminal as the reader uses it: it has a size, shows frames and reports events.
public protocol Screen: AnyObject {
  /// The current size of the terminal.
  var size: Size { get }

  /// Shows a frame. Sends only the difference from the previous frame.
  func show(_ frame: Canvas)

  /// Waits for events and returns them in order.
  ///
  /// - Parameter limit: The maximum time to wait, in milliseconds; nil for no limit. The result is
  ///   empty if nothing happens within this time.
  func events(within limit: Int?) -> [Event]

  /// Restores the terminal, stops the process as Ctrl-z does by default, and takes the terminal
  /// again when the process is continued.
  func suspend()

  /// Restores the terminal for another program, runs `body`, and takes the terminal again.
  func lend(_ body: () -> Void)

  /// Copies text to the terminal's clipboard (OSC 52).
  ///
  /// - Returns: False if the terminal is not known to support it.
  func copy(_ text: String) -> Bool
}

/// A screen without a terminal, for tests. Records frames and replays scripted events.
public final class MemoryScreen: Screen {
  public private(set) var size: Size
  /// All frames that were shown, oldest first.
  public private(set) var frames: [Canvas] = []
  /// All texts that were copied, oldest first.
  public private(set) var copied: [String] = []
  /// The number of calls of `suspend()`.
  public private(set) var suspensions = 0
  private var script: [Step]

  /// The result of one call of `events(within:)`.
  public enum Step: Sendable {
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
  ///   - script: One step for each call of `events(within:)`. Later calls return `.terminate` with
  ///     SIGHUP.
  public init(size: Size, script: [Step] = []) {
    self.size = size
    self.script = script
  }

  public func show(_ frame: Canvas) { frames.append(frame) }

  public func events(within limit: Int?) -> [Event] {
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

  public func suspend() { suspensions += 1 }

  public func lend(_ body: () -> Void) { body() }

  public func copy(_ text: String) -> Bool {
    copied.append(text)
    return true
  }
}
