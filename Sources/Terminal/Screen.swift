/// A terminal as the reader uses it: it has a size, shows frames and reports events.
public protocol Screen: AnyObject {
  /// The current size of the terminal.
  var size: Size { get }

  /// Whether the terminal shows colours.
  var hasColors: Bool { get }

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

extension Screen {
  public var hasColors: Bool { true }
}
