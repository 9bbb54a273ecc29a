import Glibc

/// Starts other programs.
enum ChildProcess {
  /// The source or destination of a standard descriptor.
  enum Redirection {
    /// A descriptor of this process.
    case descriptor(Int32)
    /// A file, opened for reading and writing.
    case file(String)
  }

  /// Starts a program with the environment of this process and no descriptors except the three
  /// standard ones and those in `redirections`.
  ///
  /// - Parameters:
  ///   - path: The path of the program.
  ///   - arguments: The arguments, of which the first is the name of the program.
  ///   - redirections: The descriptors to replace or to add, each with its source or destination.
  ///     The other standard ones are inherited.
  ///   - resetsSignals: Whether the program starts with the default actions of the signals that
  ///     this process handles or ignores, and with no signal blocked.
  /// - Returns: The ID of the process.
  static func start(
    _ path: String, _ arguments: [String], redirections: [Int32: Redirection],
    resetsSignals: Bool = false
  ) throws(SystemError) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (target, redirection) in redirections {
      switch redirection {
      case .descriptor(let source): posix_spawn_file_actions_adddup2(&actions, source, target)
      case .file(let name): posix_spawn_file_actions_addopen(&actions, target, name, O_RDWR, 0)
      }
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    if resetsSignals {
      var signals = sigset_t()
      sigemptyset(&signals)
      posix_spawnattr_setsigmask(&attributes, &signals)
      for number in [SIGINT, SIGQUIT, SIGPIPE, SIGTSTP, SIGTERM, SIGHUP] {
        sigaddset(&signals, number)
      }
      posix_spawnattr_setsigdefault(&attributes, &signals)
      posix_spawnattr_setflags(
        &attributes, Int16(POSIX_SPAWN_SETSIGDEF) | Int16(POSIX_SPAWN_SETSIGMASK))
    }
    var words = arguments.map { strdup($0) as UnsafeMutablePointer<CChar>? } + [nil]
    defer { for word in words { free(word) } }
    FileDescriptors.closeOnExec()
    var child = pid_t()
    let error = posix_spawn(&child, path, &actions, &attributes, &words, environ)
    guard error == 0 else { throw SystemError(code: error) }
    return child
  }
}
