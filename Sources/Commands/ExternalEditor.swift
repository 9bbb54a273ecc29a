import FoundationEssentials
import Glibc
import Synchronization

/// The user's text editor, which runs in the foreground of the terminal.
public struct ExternalEditor: Sendable {
  /// The shell command, such as `code --wait`. The path of the file is appended as an argument.
  public let command: String

  /// The reason why there is no edited text. If the editor wrote something, it is preserved in a
  /// file.
  public enum Failure: Error, Hashable, Sendable {
    /// The file or the process could not be created, or the file could not be read after the editor
    /// ended. The value is the `errno` of the failed call; `EIO` for an unreadable file.
    case notStarted(Int32)
    /// The editor ended with a nonzero exit status; the shell returns 127 if the program does not
    /// exist.
    ///
    /// - Parameter file: The file with the text that the editor wrote, or nil if it wrote nothing
    ///   new.
    case failed(Int32, file: String?)
    /// The editor wrote a file that is not UTF-8.
    case notText(file: String)
  }

  /// Chooses the editor: `command`, `VISUAL`, `EDITOR` or `vi`, in this order.
  ///
  /// - Parameters:
  ///   - environment: `VISUAL` and `EDITOR` are read.
  ///   - command: The configured command, if any.
  public init(environment: [String: String], command: String? = nil) {
    let named = [command, environment["VISUAL"], environment["EDITOR"]].compactMap { $0 }
    self.command = named.first { $0.contains { !$0.isWhitespace } } ?? "vi"
  }

  /// The program as the user named it: `/usr/bin/vim` for the command `/usr/bin/vim -n`.
  public var name: String {
    let command = command.drop { $0 == " " }
    guard let quote = command.first, quote == "'" || quote == "\"" else {
      return String(command.prefix { $0 != " " })
    }
    return String(command.dropFirst().prefix { $0 != quote })
  }

  /// The result of an editor. Its temporary directory is deleted when the value is deinitialized.
  public final class EditedText: Sendable {
    /// The edited text.
    public let text: String
    private let file: PrivateFile

    fileprivate init(_ text: String, _ file: PrivateFile) {
      self.text = text
      self.file = file
    }

    /// Prevents the deletion of the file, for a text that could not be saved.
    ///
    /// - Returns: The path of the file.
    public func keep() -> String { file.keep() }
  }

  /// Runs the editor on a file that only its owner can read.
  ///
  /// - Parameters:
  ///   - text: The initial text.
  ///   - fileName: The name of the file, which editors show.
  ///   - directoryPrefix: The beginning of the path of the file's directory. The parent of the
  ///     directory is created if it does not exist. If this is nil, or no file can be made there,
  ///     the directory is in `TMPDIR`.
  /// - Throws: `Failure` if the editor fails or its result is not UTF-8.
  public func edit(
    _ text: String, fileName: String, directoryPrefix: String? = nil
  ) throws(Failure) -> EditedText {
    let file = try PrivateFile.make(text, name: fileName, directoryPrefix: directoryPrefix)
    let status = try run(on: file)
    let data = try? Data(contentsOf: URL(filePath: file.path))
    guard status == 0 else {
      let isWritten = data.map { $0 != Data(text.utf8) } ?? false
      throw .failed(status, file: isWritten ? file.keep() : nil)
    }
    guard let data else {
      // An editor that deletes the file has written nothing.
      guard access(file.path, F_OK) != 0 else { throw .notStarted(EIO) }
      return EditedText(text, file)
    }
    guard let text = String(validating: data, as: UTF8.self) else {
      throw .notText(file: file.keep())
    }
    return EditedText(text, file)
  }

  /// Reads the file that `Failure.failed` names. As with the result of `edit`, the file is deleted
  /// when the returned value is deinitialized.
  ///
  /// - Parameter file: The path of the file.
  /// - Returns: nil if the file cannot be read or is not UTF-8; the file then remains.
  public static func recoverText(from file: String) -> EditedText? {
    guard let data = try? Data(contentsOf: URL(filePath: file)),
      let text = String(validating: data, as: UTF8.self)
    else { return nil }
    return EditedText(text, PrivateFile(existing: file))
  }

  /// Runs the editor and waits for its end.
  ///
  /// - Returns: The exit status as a shell reports it: 128 plus the signal's number if a signal
  ///   ended the editor.
  private func run(on file: PrivateFile) throws(Failure) -> Int32 {
    // Give the editor the terminal even if one of standard input and output is redirected, as in
    // `note add 2:255 --json | jq`.
    let isAtTerminal = [STDIN_FILENO, STDOUT_FILENO].map { isatty($0) == 1 }
    var redirections: [Int32: ChildProcess.Redirection] = [:]
    // The editor holds the lock, too, in case this process is killed.
    if file.lock >= 0 { redirections[file.lock] = .descriptor(file.lock) }
    if isAtTerminal.contains(true) {
      for (descriptor, isThere) in zip([STDIN_FILENO, STDOUT_FILENO], isAtTerminal) where !isThere {
        redirections[descriptor] = .file("/dev/tty")
      }
    }
    // As in system(3), ignore Ctrl-c and Ctrl-\ while the editor runs.
    let interrupt = signal(SIGINT, SIG_IGN)
    let quit = signal(SIGQUIT, SIG_IGN)
    defer {
      signal(SIGINT, interrupt)
      signal(SIGQUIT, quit)
    }
    let child: pid_t
    do {
      child = try ChildProcess.start(
        "/bin/sh", ["sh", "-c", "\(command) \"$@\"", command, file.path],
        redirections: redirections,
        resetsSignals: true)
    } catch {
      throw .notStarted(error.code)
    }
    var status: Int32 = 0
    while true {
      let ended = waitpid(child, &status, WUNTRACED)
      let code = errno
      guard ended >= 0 || code == EINTR else { throw .notStarted(code) }
      // If Ctrl-z stopped the editor, stop this process, too. The shell continues both.
      if ended == child, status & 0xFF == 0x7F {
        kill(getpid(), SIGSTOP)
      } else if ended == child {
        break
      }
    }
    // The same as WIFEXITED and WEXITSTATUS.
    return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
  }
}

/// A file in a directory of its own; both are deleted when the value is deinitialized. Other files
/// in the directory remain: vim, for example, leaves one if its terminal is closed.
private final class PrivateFile: Sendable {
  let path: String
  private let directory: String
  /// A descriptor of the directory, which holds a lock on it; -1 if it cannot be opened.
  let lock: Int32
  private let isKept = Atomic(false)

  /// Takes ownership of an existing file, and of its directory, which has no other files.
  init(existing path: String) {
    self.path = path
    directory = URL(filePath: path).deletingLastPathComponent().path
    lock = -1
  }

  /// Creates a file; see `ExternalEditor.edit` for the parameters.
  static func make(
    _ text: String, name: String, directoryPrefix: String?
  ) throws(ExternalEditor.Failure) -> PrivateFile {
    if let directoryPrefix {
      // A program that starts at this moment removes the parent while it is empty; then try again.
      for _ in 1...2 {
        mkdir(URL(filePath: directoryPrefix).deletingLastPathComponent().path, 0o700)
        if let file = try? PrivateFile(text, name: name, directoryPrefix) { return file }
      }
    }
    let temporary = getenv("TMPDIR").map { String(cString: $0) }.flatMap {
      $0.hasPrefix("/") ? $0 : nil
    }
    return try PrivateFile(text, name: name, "\(temporary ?? "/tmp")/quran-vi-")
  }

  private init(
    _ text: String, name: String, _ directoryPrefix: String
  ) throws(ExternalEditor.Failure) {
    // mkdtemp(3) creates a directory that only its owner can access.
    var template = Array("\(directoryPrefix)XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw .notStarted(errno) }
    directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    path = "\(directory)/\(name)"
    lock = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    // A starting program may hold it while it looks for texts to recover. It removes the directory
    // if it is still empty; then the file cannot be created.
    while flock(lock, LOCK_EX) != 0, errno == EINTR {}
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .notStarted(errno) }
    defer { close(descriptor) }
    do {
      try FileDescriptors.write(text.utf8, to: descriptor)
    } catch {
      throw .notStarted(error.code)
    }
  }

  func keep() -> String {
    isKept.store(true, ordering: .relaxed)
    return path
  }

  deinit {
    if !isKept.load(ordering: .relaxed) {
      unlink(path)
      rmdir(directory)
    }
    if lock >= 0 { close(lock) }
  }
}
