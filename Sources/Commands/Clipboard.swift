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
    tools += [["clip.exe"], ["termux-clipboard-set"]]
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
    // What a pipe does not hold at once would have to be waited for.
    _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO)
    for output in [STDOUT_FILENO, STDERR_FILENO] {
      posix_spawn_file_actions_addopen(&actions, output, "/dev/null", O_WRONLY, 0)
    }
    var arguments = command.map { strdup($0) as UnsafeMutablePointer<CChar>? } + [nil]
    // Nobody waits for the child, so that no zombie may be left of it.
    signal(SIGCHLD, SIG_IGN)
    var child = pid_t()
    posix_spawn(&child, command[0], &actions, nil, &arguments, environ)
    posix_spawn_file_actions_destroy(&actions)
    for argument in arguments { free(argument) }
    close(ends[0])
    _ = Array(text.utf8).withUnsafeBytes { write(ends[1], $0.baseAddress, $0.count) }
    close(ends[1])
  }
}
