import CCurses
import Glibc

/// A pipe that interrupts a wait in `poll` from a signal handler or another thread.
public final class WakeUp: Sendable {
  let readEnd: Int32
  let writeEnd: Int32

  /// Opens the pipe.
  public init() {
    var ends: [Int32] = [-1, -1]
    // Opening fails only if the process has no free file descriptors. Waits then cannot be
    // interrupted.
    if !guard_pipe(&ends) { ends = [-1, -1] }
    readEnd = ends[0]
    writeEnd = ends[1]
  }

  /// Makes `Screen.events(within:)` return `.woken` among its events. Can be called on any thread.
  public func wake() {
    var byte: UInt8 = 0
    // If the pipe is full, the write fails, but the bytes in it already interrupt the wait.
    _ = Glibc.write(writeEnd, &byte, 1)
  }

  /// Reads the bytes that were written since the last call.
  func drain() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = read(readEnd, &bytes, bytes.count)
    return Array(bytes.prefix(max(count, 0)))
  }
}
