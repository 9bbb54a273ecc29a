import Glibc
import Library
import Messages
import Text

/// A file that can be read from its start several times. Input from a pipe is copied to a temporary
/// file first, so that the library is not locked while the program waits for the pipe.
final class InputFile {
  /// The name of the file as the user gave it.
  let name: String
  /// Whether this is standard input, which has no file name.
  let isStandardInput: Bool
  private let descriptor: Int32

  /// The size in bytes.
  var size: Int {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
  }

  /// The modification time in milliseconds since 1970, UTC, or nil if the input is not a regular
  /// file.
  let modifiedAt: Int64?
  /// The identity of the file and of its current content.
  let identity: FileState?

  /// Opens a file or a pipe.
  ///
  /// - Parameters:
  ///   - path: The path of the file, or `-` for standard input.
  ///   - library: The path of the library, whose files are not opened; nil if there is none.
  ///   - messages: The language of error messages.
  /// - Throws: Status 1 if the file does not exist, 2 if it belongs to the library, 3 if it cannot
  ///   be read.
  convenience init(
    _ path: String, library: String?, messages: Messages
  ) throws(CommandFailure) {
    guard path != "-" else {
      let name = messages.standardInputName
      let input = dup(STDIN_FILENO)
      let error = SystemError.last
      guard input >= 0 else {
        throw CommandFailure(.badData, messages.fileNotRead(name, error.code))
      }
      try self.init(
        input, name: name, isStandardInput: true, acceptsStreams: true, messages: messages)
      return
    }
    var status = stat()
    let isPipe = stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
    try self.init(
      try Self.open(
        path, O_RDONLY | (isPipe ? 0 : O_NONBLOCK), library: library, messages: messages),
      name: path, acceptsStreams: isPipe, messages: messages)
  }

  /// Opens a regular file only. Used while the interface is on the screen, which must not wait for
  /// a pipe.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - library: The path of the library, whose files are not opened; nil if there is none.
  ///   - messages: The language of error messages.
  /// - Throws: Status 1 if the file does not exist, 2 if it belongs to the library, 3 if it cannot
  ///   be read or is not a regular file.
  convenience init(
    regular path: String, library: String?, messages: Messages
  ) throws(CommandFailure) {
    try self.init(
      try Self.open(path, O_RDONLY | O_NONBLOCK, library: library, messages: messages), name: path,
      acceptsStreams: false, messages: messages)
  }

  private static func open(
    _ path: String, _ flags: Int32, library: String?, messages: Messages
  ) throws(CommandFailure) -> Int32 {
    // Do not open the database file: closing any descriptor of it releases all locks that SQLite
    // holds on it in this process.
    if let library, Library.isFile(path, of: library) {
      throw CommandFailure(.usage, messages.isTheLibrary(path.sanitizedLine))
    }
    let descriptor = Glibc.open(path, flags | O_CLOEXEC)
    let error = SystemError.last
    guard descriptor >= 0 else {
      throw error.code == ENOENT
        ? CommandFailure(.notFound, messages.noSuchFile(path))
        : CommandFailure(.badData, messages.fileNotRead(path, error.code))
    }
    return descriptor
  }

  /// - Parameter acceptsStreams: Whether pipes, sockets and terminals are accepted.
  private init(
    _ opened: Int32, name: String, isStandardInput: Bool = false, acceptsStreams: Bool,
    messages: Messages
  ) throws(CommandFailure) {
    self.name = name
    self.isStandardInput = isStandardInput
    var status = stat()
    let kind = fstat(opened, &status) == 0 ? status.st_mode & S_IFMT : 0
    identity = FileState(descriptor: opened)
    modifiedAt =
      kind == S_IFREG
      ? Int64(status.st_mtim.tv_sec) * 1000 + Int64(status.st_mtim.tv_nsec) / 1_000_000 : nil
    guard kind != S_IFREG else {
      descriptor = opened
      return
    }
    defer { close(opened) }
    // Reject devices, because some never end.
    guard acceptsStreams, [S_IFIFO, S_IFSOCK].contains(kind) || isatty(opened) == 1 else {
      throw CommandFailure(
        .badData, kind == S_IFDIR ? messages.fileIsDirectory(name) : messages.fileIsNotRegular(name)
      )
    }
    let file = try Self.temporaryFile(messages)
    do {
      try FileDescriptors.copy(opened, to: file)
    } catch {
      close(file)
      let isFull = [ENOSPC, EDQUOT, EFBIG].contains(error.code)
      throw CommandFailure(
        .badData,
        isFull
          ? messages.fileNotWritten("\(Self.temporaryPrefix)…", error.code)
          : messages.fileNotRead(name, error.code))
    }
    descriptor = file
  }

  deinit { close(descriptor) }

  /// Returns a function that reads from the start of the file, like read(2).
  ///
  /// - Parameter progress: Called with the total number of bytes read so far.
  func source(
    _ progress: @escaping (Int) -> Void = { _ in }
  ) -> (UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
    var offset: off_t = 0
    return { [self] buffer throws(SystemError) in
      while true {
        let count = pread(descriptor, buffer.baseAddress, buffer.count, offset)
        if count >= 0 {
          offset += off_t(count)
          progress(Int(offset))
          return count
        }
        let error = SystemError.last
        guard error.code == EINTR else { throw error }
      }
    }
  }

  /// Reads the whole file, but at most `limit` + 1 bytes, so that callers notice a larger file.
  func bytes(upTo limit: Int) throws(SystemError) -> [UInt8] {
    try FileDescriptors.bytes(upTo: min(size, limit + 1), source())
  }

  /// The path with which the names of temporary files begin.
  private static var temporaryPrefix: String {
    let directory = getenv("TMPDIR").map { String(cString: $0) } ?? ""
    return "\(directory.hasPrefix("/") ? directory : "/tmp")/quran-vi-"
  }

  /// Creates an unlinked temporary file, which is deleted when its descriptor is closed.
  private static func temporaryFile(_ messages: Messages) throws(CommandFailure) -> Int32 {
    var template = Array("\(temporaryPrefix)XXXXXX".utf8CString)
    let file = mkstemp(&template)
    let error = SystemError.last
    guard file >= 0 else {
      throw CommandFailure(.badData, messages.fileNotWritten("\(temporaryPrefix)…", error.code))
    }
    _ = fcntl(file, F_SETFD, FD_CLOEXEC)
    unlink(template)
    return file
  }
}
