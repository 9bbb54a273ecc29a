import Glibc
import Messages

/// A file that can be read from its start several times. Input from a pipe is copied to a temporary
/// file first, so that the library is not locked while waiting for it.
final class InputFile {
  /// The name of the file as the user gave it.
  let name: String
  private let descriptor: Int32

  /// The size in bytes.
  var size: Int {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
  }

  /// The modification time in milliseconds since 1970, UTC, or nil if the input is not a regular
  /// file.
  let modifiedAt: Int64?
  let identity: Identity

  /// The identity of a file and of its current content: two values differ if the files differ or
  /// the file was modified.
  struct Identity: Hashable {
    private let device: dev_t
    private let number: ino_t
    private let size: off_t
    private let seconds: Int
    private let nanoseconds: Int

    init(_ status: stat) {
      (device, number, size) = (status.st_dev, status.st_ino, status.st_size)
      (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
    }

    /// The identity of the file that has a path now, or nil if there is none.
    init?(of path: String) {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      self.init(status)
    }
  }

  /// Opens a file or a pipe.
  ///
  /// - Parameters:
  ///   - path: The path of the file, or `-` for standard input.
  ///   - messages: Words the failures.
  /// - Throws: Status 1 if the file does not exist, 3 if it cannot be read.
  convenience init(_ path: String, messages: Messages) throws(CommandFailure) {
    guard path != "-" else {
      let input = dup(STDIN_FILENO)
      guard input >= 0 else {
        throw CommandFailure(.badData, messages.fileNotRead(messages.standardInputName, errno))
      }
      try self.init(input, name: messages.standardInputName, isPipe: true, messages: messages)
      return
    }
    var status = stat()
    let isPipe = stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
    try self.init(
      try Self.open(path, O_RDONLY | (isPipe ? 0 : O_NONBLOCK), messages: messages), name: path,
      isPipe: isPipe, messages: messages)
  }

  /// Opens a regular file only. Used while the interface is on the screen, which must not wait for
  /// a pipe.
  ///
  /// - Throws: Status 1 if the file does not exist, 3 if it cannot be read or is not a regular
  ///   file.
  convenience init(regular path: String, messages: Messages) throws(CommandFailure) {
    try self.init(
      try Self.open(path, O_RDONLY | O_NONBLOCK, messages: messages), name: path, isPipe: false,
      messages: messages)
  }

  private static func open(
    _ path: String, _ flags: Int32, messages: Messages
  ) throws(CommandFailure) -> Int32 {
    let descriptor = Glibc.open(path, flags | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw errno == ENOENT
        ? CommandFailure(.notFound, messages.noSuchFile(path))
        : CommandFailure(.badData, messages.fileNotRead(path, errno))
    }
    return descriptor
  }

  /// - Parameter isPipe: Whether pipes, sockets and terminals are accepted.
  private init(
    _ opened: Int32, name: String, isPipe: Bool, messages: Messages
  ) throws(CommandFailure) {
    self.name = name
    var status = stat()
    let kind = fstat(opened, &status) == 0 ? status.st_mode & S_IFMT : 0
    identity = Identity(status)
    modifiedAt =
      kind == S_IFREG
      ? Int64(status.st_mtim.tv_sec) * 1000 + Int64(status.st_mtim.tv_nsec) / 1_000_000 : nil
    guard kind != S_IFREG else {
      descriptor = opened
      return
    }
    defer { close(opened) }
    // Reject devices, because some never end.
    guard isPipe, [S_IFIFO, S_IFSOCK].contains(kind) || isatty(opened) == 1 else {
      throw CommandFailure(
        .badData, kind == S_IFDIR ? messages.fileIsDirectory(name) : messages.fileIsNone(name))
    }
    do {
      descriptor = try Self.putAside(opened)
    } catch {
      throw CommandFailure(.badData, messages.fileNotRead(name, error.code))
    }
  }

  deinit { close(descriptor) }

  /// Returns a function that reads from the start of the file, like read(2).
  ///
  /// - Parameter progress: Called with the number of bytes read.
  func source(
    _ progress: @escaping (Int) -> Void = { _ in }
  ) -> (UnsafeMutableRawBufferPointer) throws -> Int {
    var offset: off_t = 0
    return { [descriptor] buffer in
      while true {
        let count = pread(descriptor, buffer.baseAddress, buffer.count, offset)
        if count >= 0 {
          offset += off_t(count)
          progress(Int(offset))
          return count
        }
        guard errno == EINTR else { throw ReadFailure(code: errno) }
      }
    }
  }

  /// Reads the whole file, but at most `limit` + 1 bytes, so that callers notice a larger file.
  func bytes(upTo limit: Int) throws(ReadFailure) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: min(size, limit + 1))
    var count = 0
    while count < bytes.count {
      let read = bytes.withUnsafeMutableBytes {
        pread(descriptor, $0.baseAddress.map { $0 + count }, $0.count - count, off_t(count))
      }
      if read == 0 { break }
      if read > 0 {
        count += read
      } else if errno != EINTR {
        throw ReadFailure(code: errno)
      }
    }
    return Array(bytes[..<count])
  }

  struct ReadFailure: Error {
    /// The value of `errno`.
    let code: Int32
  }

  /// Copies the input to an unlinked temporary file, which is deleted when its descriptor is
  /// closed.
  private static func putAside(_ input: Int32) throws(ReadFailure) -> Int32 {
    let directory = getenv("TMPDIR").map { String(cString: $0) } ?? ""
    var template = Array(
      "\(directory.hasPrefix("/") ? directory : "/tmp")/quran-vi-XXXXXX".utf8CString)
    let file = mkstemp(&template)
    guard file >= 0 else { throw ReadFailure(code: errno) }
    _ = fcntl(file, F_SETFD, FD_CLOEXEC)
    unlink(template)
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(input, &buffer, buffer.count)
      if count == 0 { return file }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN {
        var ready = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
        poll(&ready, 1, -1)
        continue
      }
      var rest = buffer[..<max(count, 0)]
      while !rest.isEmpty {
        let written = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
        guard written > 0 || errno == EINTR else { break }
        rest = rest.dropFirst(max(written, 0))
      }
      guard count > 0, rest.isEmpty else {
        let code = errno
        close(file)
        throw ReadFailure(code: code)
      }
    }
  }
}
