import FoundationEssentials
import Glibc

/// The failure of a system call.
struct SystemError: Error, Hashable {
  /// The value of `errno`.
  let code: Int32

  /// The failure of the last system call. Create the value before anything else can change `errno`.
  static var last: SystemError { SystemError(code: errno) }
}

/// Functions on file descriptors.
enum FileDescriptors {
  /// Sets the close-on-exec flag of all descriptors except the three standard ones, before a
  /// program is started. This process opens its own descriptors with the flag, but some libraries
  /// do not.
  static func closeOnExec() {
    let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
    for descriptor in (names ?? []).compactMap({ Int32($0) }) where descriptor > STDERR_FILENO {
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }
  }

  /// Writes all bytes. Waits for space if the descriptor is non-blocking.
  static func write(
    _ bytes: some Collection<UInt8>, to descriptor: Int32
  ) throws(SystemError) {
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else {
        try waitAfterFailure(of: descriptor, for: POLLOUT)
      }
    }
  }

  /// Reads at most as many bytes as fit into the buffer. Waits for bytes if the descriptor is
  /// non-blocking.
  ///
  /// - Returns: The number of bytes, or 0 at the end of the input.
  static func read(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer
  ) throws(SystemError) -> Int {
    while true {
      let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      if count >= 0 { return count }
      try waitAfterFailure(of: descriptor, for: POLLIN)
    }
  }

  /// Reads to the end of the input, but at most `limit` bytes.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of bytes.
  ///   - read: Reads into a buffer and returns the number of bytes, or 0 at the end.
  static func bytes(
    upTo limit: Int, _ read: (UnsafeMutableRawBufferPointer) throws(SystemError) -> Int
  ) throws(SystemError) -> [UInt8] {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: limit, alignment: 1)
    defer { buffer.deallocate() }
    var count = 0
    while count < limit {
      let step = try read(UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
      if step == 0 { break }
      count += step
    }
    return Array(buffer[..<count])
  }

  /// Copies all bytes from one descriptor to another.
  static func copy(_ source: Int32, to target: Int32) throws(SystemError) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 1)
    defer { buffer.deallocate() }
    while true {
      let count = try read(source, into: buffer)
      guard count > 0 else { return }
      try write(buffer[..<count], to: target)
    }
  }

  /// Returns when the failed system call should be repeated: it was interrupted, or the descriptor
  /// is non-blocking and is now ready. Call this function before anything else can change `errno`.
  ///
  /// - Throws: The failure of the system call if it should not be repeated.
  private static func waitAfterFailure(
    of descriptor: Int32, for events: Int32
  ) throws(SystemError) {
    let error = SystemError.last
    switch error.code {
    case EINTR: break
    case EAGAIN:
      var ready = pollfd(fd: descriptor, events: Int16(events), revents: 0)
      poll(&ready, 1, -1)
    default: throw error
    }
  }
}
