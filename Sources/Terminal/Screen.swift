/// A terminal as the reader sees it: a size, frames out, events in.
public protocol Screen: AnyObject {
  var size: Size { get }

  /// Shows a frame; only what changed since the last one is sent.
  func show(_ frame: Canvas)

  /// What happened, in order. Waits until something has.
  ///
  /// - Parameter limit: milliseconds after which it returns though nothing did; nil
  ///   for no limit.
  func events(within limit: Int?) -> [Event]

  /// Gives the terminal back, stops the process as Ctrl-z does, and takes the
  /// terminal again when it is continued.
  func suspend()

  /// Gives the terminal to another program for as long as the body runs.
  func lend(_ body: () -> Void)

  /// Hands text to the terminal's clipboard (OSC 52).
  ///
  /// - Returns: false where the terminal has none.
  func copy(_ text: String) -> Bool
}

/// A screen without a terminal: what a test shows to the reader.
public final class MemoryScreen: Screen {
  public private(set) var size: Size
  /// Every frame shown, oldest first.
  public private(set) var frames: [Canvas] = []
  /// Everything copied, oldest first.
  public private(set) var copied: [String] = []
  public private(set) var suspensions = 0
  private var script: [Step]

  public enum Step: Sendable {
    case events([Event])
    case resize(Size)
    /// Nothing happens, for as long as is waited.
    case pause
  }

  /// - Parameter script: what happens, a step each time events are asked for;
  ///   after the last, the terminal hangs up.
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
