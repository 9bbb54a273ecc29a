import Foundation
import TestSupport

/// A port that no process listens on, reserved for the test.
struct ReservedPort: ~Copyable {
  let number: Int
  private let socket: Int32

  init() throws {
    let (descriptor, port) = try bindToLoopback()
    socket = descriptor
    number = Int(port)
  }

  deinit {
    close(socket)
  }
}
