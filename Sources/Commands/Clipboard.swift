import Glibc
import Synchronization

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

  /// Starts the tool with the text as its input, without waiting for the tool to end: some tools
  /// stay alive to serve the clipboard. If the tool fails, the clipboard is unchanged.
  ///
  /// - Returns: False if the tool could not be started.
  public func set(_ text: String) -> Bool {
    // A file in memory. Unlike a pipe, it can hold the whole text before the tool begins to read.
    let name = "/quran-vi-\(getpid())-\(UInt64.random(in: .min ... .max))"
    let input = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0o600)
    guard input >= 0 else { return false }
    shm_unlink(name)
    defer { close(input) }
    let null = ChildProcess.Redirection.file("/dev/null")
    guard (try? FileDescriptors.write(text.utf8, to: input)) != nil,
      lseek(input, 0, SEEK_SET) == 0,
      let child = try? ChildProcess.start(
        command[0], command,
        redirections: [
          STDIN_FILENO: .descriptor(input), STDOUT_FILENO: null, STDERR_FILENO: null,
        ])
    else { return false }
    // Wait for the tools that have ended. Those that end later remain zombies until the next copy.
    // Ignoring SIGCHLD would make the wait unnecessary, but it would affect all other children of
    // this process, and the tools would inherit it: wl-copy waits for a child of its own.
    Self.startedTools.withLock { tools in
      tools.append(child)
      tools.removeAll { waitpid($0, nil, WNOHANG) != 0 }
    }
    return true
  }

  /// The tools that were not yet found to have ended.
  private static let startedTools = Mutex<[pid_t]>([])
}
