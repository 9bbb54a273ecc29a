import Dispatch

/// Lets a test wait until another thread calls `wake`, which stands for `TerminalDevice.wake`.
final class WakeUp: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  var wake: @Sendable () -> Void {
    { [semaphore] in semaphore.signal() }
  }

  /// Waits for at most a second until `wake` has been called since the last wait.
  func wait() {
    guard semaphore.wait(timeout: .now() + 1) == .success else { return }
    // Several calls make one event.
    while semaphore.wait(timeout: .now()) == .success {}
  }
}
