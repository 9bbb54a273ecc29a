import Glibc
public import Messages

/// The standard input of the process.
public enum StandardInput {
  /// Whether standard input is a terminal.
  public static var isTerminal: Bool { isatty(STDIN_FILENO) == 1 }

  /// Reads to the end of the input, but at most `limit` bytes. A closed standard input counts as
  /// empty.
  ///
  /// - Throws: Status 3 if reading fails.
  public static func read(limit: Int, messages: Messages) throws(CommandFailure) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count < limit {
      let count = Glibc.read(STDIN_FILENO, &buffer, min(buffer.count, limit - bytes.count))
      if count > 0 {
        bytes += buffer[..<count]
      } else if count == 0 || errno == EBADF {
        break
      } else if errno == EAGAIN {
        var ready = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        poll(&ready, 1, -1)
      } else if errno != EINTR {
        throw CommandFailure(.badData, messages.fileNotRead("-", errno))
      }
    }
    return bytes
  }
}
