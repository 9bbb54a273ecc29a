import FoundationEssentials
import Glibc

/// The clipboard of the desktop, set with a command-line tool.
public struct Clipboard: Sendable {
  /// The program and its arguments. The program reads the text from standard input.
  public let command: [String]

  /// Returns nil if there is no desktop or no known tool is installed.
  public init?(environment: [String: String]) {
    var tools: [[String]] = []
    if environment["WAYLAND_DISPLAY"] != nil { tools.append(["wl-copy"]) }
    if environment["DISPLAY"] != nil {
      tools += [["xclip", "-selection", "clipboard"], ["xsel", "--clipboard", "--input"]]
    }
    tools.append(["termux-clipboard-set"])
    let directories = (environment["PATH"] ?? "").split(separator: ":")
    for tool in tools {
      for directory in directories where access("\(directory)/\(tool[0])", X_OK) == 0 {
        command = ["\(directory)/\(tool[0])"] + tool.dropFirst()
        return
      }
    }
    return nil
  }

  /// Starts the tool and passes the text to it, without waiting for the tool to end: some tools
  /// stay alive to serve the clipboard. If the tool fails, the clipboard is unchanged.
  public func set(_ text: String) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    // The bytes that fit into the pipe arrive even if this process ends first.
    _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
    let bytes = Array(text.utf8)
    let count = bytes.withUnsafeBytes { write(ends[1], $0.baseAddress, $0.count) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO)
    for output in [STDOUT_FILENO, STDERR_FILENO] {
      posix_spawn_file_actions_addopen(&actions, output, "/dev/null", O_WRONLY, 0)
    }
    var arguments = command.map { strdup($0) as UnsafeMutablePointer<CChar>? } + [nil]
    var child = pid_t()
    Descriptors.keepFromPrograms()
    let error = posix_spawn(&child, command[0], &actions, nil, &arguments, environ)
    posix_spawn_file_actions_destroy(&actions)
    for argument in arguments { free(argument) }
    close(ends[0])
    if error == 0 {
      Handover(rest: bytes.dropFirst(max(count, 0)), input: ends[1], child: child).start()
    } else {
      close(ends[1])
    }
  }
}

/// Writes the rest of the text to the child process and waits for its end, so that it does not
/// become a zombie.
///
/// Ignoring SIGCHLD would make the wait unnecessary, but it would affect all other children of this
/// process, and the tools would inherit it: wl-copy waits for a child of its own.
private final class Handover: Sendable {
  private let rest: ArraySlice<UInt8>
  private let input: Int32
  private let child: pid_t

  init(rest: ArraySlice<UInt8>, input: Int32, child: pid_t) {
    self.rest = rest
    self.input = input
    self.child = child
  }

  /// Runs on a new thread, because the tool can be slow to read.
  func start() {
    var thread = pthread_t()
    let handover = Unmanaged.passRetained(self)
    let error = pthread_create(
      &thread, nil,
      { handover in
        if let handover { Unmanaged<Handover>.fromOpaque(handover).takeRetainedValue().run() }
        return nil
      }, handover.toOpaque())
    if error == 0 {
      pthread_detach(thread)
    } else {
      handover.release()
      close(input)
    }
  }

  private func run() {
    // Block all signals: those of the terminal belong to the main thread, and SIGPIPE occurs if the
    // tool does not read.
    var signals = sigset_t()
    sigfillset(&signals)
    pthread_sigmask(SIG_SETMASK, &signals, nil)
    _ = fcntl(input, F_SETFL, 0)
    var rest = rest
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
      guard count > 0 else { break }
      rest = rest.dropFirst(count)
    }
    close(input)
    waitpid(child, nil, 0)
  }
}
