import Dispatch

/// Wakes the screen of a test, as `TerminalDevice.wake` does.
final class WakeUp: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  var wake: @Sendable () -> Void {
    { [semaphore] in semaphore.signal() }
  }

  /// Waits up to a second until `wake` is called, or was called since the last wait.
  func wait() {
    guard semaphore.wait(timeout: .now() + 1) == .success else { return }
    // Several calls make one event.
    while semaphore.wait(timeout: .now()) == .success {}
  }
}
