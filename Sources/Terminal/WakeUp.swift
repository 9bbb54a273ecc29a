import CCurses
import Glibc

/// A pipe that ends a wait in `poll`: from a signal handler, or another thread.
public final class WakeUp: Sendable {
  let readEnd: Int32
  let writeEnd: Int32

  public init() {
    var ends: [Int32] = [-1, -1]
    // Fails only where the process may open no file at all; then nothing wakes.
    if !guard_pipe(&ends) { ends = [-1, -1] }
    readEnd = ends[0]
    writeEnd = ends[1]
  }

  /// Makes `Screen.events()` return, with `.woken` among its events. From any thread.
  public func wake() {
    var byte: UInt8 = 0
    // A full pipe wakes as well.
    _ = Glibc.write(writeEnd, &byte, 1)
  }

  func drain() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = read(readEnd, &bytes, bytes.count)
    return Array(bytes.prefix(max(count, 0)))
  }
}
