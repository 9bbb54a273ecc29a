import Glibc
public import Messages

/// What is piped into a command.
public enum StandardInput {
  public static var isTerminal: Bool { isatty(STDIN_FILENO) == 1 }

  /// Reads to the end, but no more than so many bytes. Where there is no input, none.
  ///
  /// - Throws: status 3 where it cannot be read.
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
