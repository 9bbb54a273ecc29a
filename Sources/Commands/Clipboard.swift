import FoundationEssentials
import Glibc

/// The clipboard of the desktop, set with a command-line tool.
public struct Clipboard: Sendable {
  /// The program and its arguments. The program reads the text from standard input.
  public let command: [String]

  /// Finds a tool in `PATH`. Returns nil if there is no desktop or no known tool is installed.
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
    let null = ChildProcess.Redirection.file("/dev/null")
    let child = try? ChildProcess.start(
      command[0], command,
      redirections: [
        STDIN_FILENO: .descriptor(ends[0]), STDOUT_FILENO: null, STDERR_FILENO: null,
      ])
    close(ends[0])
    if let child {
      PipeWriter(rest: bytes.dropFirst(max(count, 0)), input: ends[1], child: child).start()
    } else {
      close(ends[1])
    }
  }
}

/// Writes the rest of the text to a child process, then waits until the process ends, so that it
/// does not become a zombie.
///
/// Ignoring SIGCHLD would make the wait unnecessary, but it would affect all other children of this
/// process, and the tools would inherit it: wl-copy waits for a child of its own.
private final class PipeWriter: Sendable {
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
    let writer = Unmanaged.passRetained(self)
    let error = pthread_create(
      &thread, nil,
      { writer in
        if let writer { Unmanaged<PipeWriter>.fromOpaque(writer).takeRetainedValue().run() }
        return nil
      }, writer.toOpaque())
    if error == 0 {
      pthread_detach(thread)
    } else {
      writer.release()
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
    try? FileDescriptors.write(rest, to: input)
    close(input)
    waitpid(child, nil, 0)
  }
}
