import FoundationEssentials
import Glibc

/// The desktop's clipboard, by the tool that sets it.
public struct Clipboard: Sendable {
  /// Program and arguments; the text goes to its standard input.
  public let command: [String]

  /// Nil where there is no desktop, or none of its tools is installed.
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

  /// Starts the tool and hands it the text, without waiting for it to end: some
  /// stay to serve the clipboard. A tool that fails leaves the clipboard as it was.
  public func set(_ text: String) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    // What the pipe holds arrives even if this process ends first.
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

/// Gives a child the rest of its text and waits for its end, so that no zombie is left.
///
/// Ignoring SIGCHLD would spare the wait, but also for every other child of this
/// process, and in the tools, which inherit it: wl-copy waits for a child of its own.
private final class Handover: Sendable {
  private let rest: ArraySlice<UInt8>
  private let input: Int32
  private let child: pid_t

  init(rest: ArraySlice<UInt8>, input: Int32, child: pid_t) {
    self.rest = rest
    self.input = input
    self.child = child
  }

  /// Runs on a thread of its own: a tool may be slow to read.
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
    // Neither the reader's signals, nor that of a tool that does not read.
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
