import FoundationEssentials
import Glibc
import Messages

/// A file that is written whole or not at all, and then only for its owner to read.
///
/// What is no regular file, as `/dev/stdout`, is written as it comes.
struct OutputFile: ~Copyable {
  private let path: String
  /// Where it is written until it is whole; nil where it is written as it comes.
  private let unfinished: String?
  private let descriptor: Int32
  private let messages: Messages
  private var isWhole = false

  /// - Throws: status 3 where it cannot be written.
  init(_ path: String, messages: Messages) throws(CommandFailure) {
    self.messages = messages
    // A link keeps its place, and what it leads to is replaced.
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
    guard descriptor >= 0 else {
      throw CommandFailure(.badData, messages.fileNotWritten(path, errno))
    }
  }

  func write(_ text: String) throws(CommandFailure) {
    do {
      try Console.write(text, to: descriptor, messages)
    } catch {
      throw CommandFailure(.badData, messages.fileNotWritten(path, errno))
    }
  }

  /// Gives the file its name, once all of it is on the disk.
  mutating func finish() throws(CommandFailure) {
    guard let unfinished else { return }
    guard fsync(descriptor) == 0, rename(unfinished, path) == 0 else {
      throw CommandFailure(.badData, messages.fileNotWritten(path, errno))
    }
    isWhole = true
    // The name, too.
    let directory = open(
      URL(filePath: path).deletingLastPathComponent().path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard directory >= 0 else { return }
    fsync(directory)
    close(directory)
  }

  deinit {
    close(descriptor)
    if let unfinished, !isWhole { unlink(unfinished) }
  }
}
