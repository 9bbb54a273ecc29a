import FoundationEssentials
import Glibc
import Synchronization

/// The editor in which the reader writes longer notes: it takes the terminal until it ends.
public struct ExternalEditor: Sendable {
  /// Shell words, as `code --wait`; the file comes after them.
  public let command: String

  /// Why there is no text. What was written is not lost: it lies in a file.
  public enum Failure: Error, Hashable, Sendable {
    /// There is no place for the file, or no process; `errno`.
    case notStarted(Int32)
    /// The editor ended with this status; a shell says 127 where there is no such program.
    ///
    /// - Parameter file: what it wrote all the same; nil where that is nothing.
    case failed(Int32, file: String?)
    /// What it wrote is no UTF-8.
    case notText(file: String)
  }

  /// - Parameter command: what the reader set, before `VISUAL` and `EDITOR`.
  public init(environment: [String: String], command: String? = nil) {
    let named = [command, environment["VISUAL"], environment["EDITOR"]].compactMap { $0 }
    self.command = named.first { $0.contains { !$0.isWhitespace } } ?? "vi"
  }

  /// What people call it: `vim` of `/usr/bin/vim -n`.
  public var name: String {
    let program = command.split(separator: " ").first ?? ""
    return (program.split(separator: "/").last ?? program).filter { $0 != "'" && $0 != "\"" }
  }

  /// What an editor left of a text, in a directory that goes with the value.
  public final class EditedText: Sendable {
    public let text: String
    private let file: PrivateFile

    fileprivate init(_ text: String, _ file: PrivateFile) {
      self.text = text
      self.file = file
    }

    /// Leaves the file where it is, for a text that could not be saved.
    ///
    /// - Returns: its path.
    public func keep() -> String { file.keep() }
  }

  /// Has a text edited, in a file that only its owner can read.
  ///
  /// - Parameter fileName: what editors show.
  public func edited(_ text: String, fileName: String) throws(Failure) -> EditedText {
    let file = try PrivateFile(text, name: fileName)
    let status = try run(on: file.path)
    let data = try? Data(contentsOf: URL(filePath: file.path))
    guard status == 0 else {
      let isWritten = data.map { $0 != Data(text.utf8) } ?? false
      throw .failed(status, file: isWritten ? file.keep() : nil)
    }
    guard let data else { throw .notStarted(EIO) }
    guard let text = String(validating: data, as: UTF8.self) else {
      throw .notText(file: file.keep())
    }
    return EditedText(text, file)
  }

  /// What a failed editor wrote. The file goes, unless it is no UTF-8.
  public static func take(_ file: String) -> String? {
    guard let data = try? Data(contentsOf: URL(filePath: file)),
      let text = String(validating: data, as: UTF8.self)
    else { return nil }
    try? FileManager.default.removeItem(at: URL(filePath: file).deletingLastPathComponent())
    return text
  }

  /// - Returns: its exit status, as shells say it.
  private func run(on path: String) throws(Failure) -> Int32 {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // It has the terminal, wherever this program's own input comes from and output goes,
    // as in `note add 2:255 --json | jq`.
    let isAtTerminal = [STDIN_FILENO, STDOUT_FILENO].map { isatty($0) == 1 }
    if isAtTerminal.contains(true) {
      for (descriptor, isThere) in zip([STDIN_FILENO, STDOUT_FILENO], isAtTerminal) where !isThere {
        posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/tty", O_RDWR, 0)
      }
    }
    // The keys' signals are for the editor, as in system(3).
    let interrupt = signal(SIGINT, SIG_IGN)
    let quit = signal(SIGQUIT, SIG_IGN)
    defer {
      signal(SIGINT, interrupt)
      signal(SIGQUIT, quit)
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    for number in [SIGINT, SIGQUIT, SIGPIPE, SIGTSTP, SIGTERM, SIGHUP] {
      sigaddset(&signals, number)
    }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGDEF) | Int16(POSIX_SPAWN_SETSIGMASK))
    let words = ["sh", "-c", "\(command) \"$@\"", command, path]
    var arguments = words.map { strdup($0) as UnsafeMutablePointer<CChar>? } + [nil]
    defer { for argument in arguments { free(argument) } }
    var child = pid_t()
    Descriptors.keepFromPrograms()
    let error = posix_spawn(&child, "/bin/sh", &actions, &attributes, &arguments, environ)
    guard error == 0 else { throw .notStarted(error) }
    var status: Int32 = 0
    while true {
      let ended = waitpid(child, &status, WUNTRACED)
      guard ended >= 0 || errno == EINTR else { throw .notStarted(errno) }
      // Ctrl-z in the editor stops this program with it; the shell that continues the
      // one continues the other.
      if ended == child, status & 0xFF == 0x7F {
        kill(getpid(), SIGSTOP)
      } else if ended == child {
        break
      }
    }
    // As WIFEXITED and WEXITSTATUS read it.
    return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
  }
}

/// A file in a directory of its own, which both go with the value.
private final class PrivateFile: Sendable {
  let path: String
  private let directory: String
  private let isKept = Atomic(false)

  init(_ text: String, name: String) throws(ExternalEditor.Failure) {
    let parent = getenv("TMPDIR").map { String(cString: $0) }.flatMap {
      $0.hasPrefix("/") ? $0 : nil
    }
    // mkdtemp(3) makes it for its owner alone.
    var template = Array("\(parent ?? "/tmp")/quran-vi-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw .notStarted(errno) }
    directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    path = "\(directory)/\(name)"
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .notStarted(errno) }
    defer { close(descriptor) }
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 || errno == EINTR else { throw .notStarted(errno) }
      bytes = bytes.dropFirst(max(count, 0))
    }
  }

  func keep() -> String {
    isKept.store(true, ordering: .relaxed)
    return path
  }

  deinit {
    guard !isKept.load(ordering: .relaxed) else { return }
    try? FileManager.default.removeItem(atPath: directory)
  }
}
