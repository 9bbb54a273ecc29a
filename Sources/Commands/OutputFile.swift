import Glibc
import Library
import Messages

/// An output file that is replaced atomically and that only its owner can read.
///
/// A file that is not regular, such as `/dev/stdout`, is written directly.
final class OutputFile {
  private let path: String
  /// The path of the temporary file, or nil if the file is written directly.
  private let unfinished: String?
  private let descriptor: Int32
  private let messages: Messages
  private var isWhole = false

  /// Opens the file for writing.
  ///
  /// - Throws: Status 3 if the file cannot be opened.
  init(_ path: String, messages: Messages) throws(CommandFailure) {
    self.messages = messages
    // If the path is a symbolic link to an existing file, replace that file.
    let resolved = realpath(path, nil)
    defer { free(resolved) }
    self.path = resolved.map { String(cString: $0) } ?? path
    var status = stat()
    let isOther = stat(self.path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
    if isOther {
      unfinished = nil
      descriptor = open(self.path, O_WRONLY | O_CLOEXEC)
    } else {
      let name = "\(self.path).\(getpid()).new"
      unlink(name)
      unfinished = name
      descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    }
    let error = SystemError.last
    guard descriptor >= 0 else {
      throw CommandFailure(.badData, messages.fileNotWritten(path, error.code))
    }
  }

  func write(_ text: String) throws(CommandFailure) {
    do {
      try FileDescriptors.write(text.utf8, to: descriptor)
    } catch {
      throw CommandFailure(.badData, messages.fileNotWritten(path, error.code))
    }
  }

  /// Moves the complete file to its path.
  ///
  /// - Throws: Status 3 if this fails; an existing file is then unchanged.
  func finish() throws(CommandFailure) {
    guard let unfinished else { return }
    guard fsync(descriptor) == 0, rename(unfinished, path) == 0 else {
      let error = SystemError.last
      throw CommandFailure(.badData, messages.fileNotWritten(path, error.code))
    }
    isWhole = true
    // Also write the directory entry to disk.
    Directory.synchronize(Directory.containing(path))
  }

  deinit {
    close(descriptor)
    if let unfinished, !isWhole { unlink(unfinished) }
  }
}
