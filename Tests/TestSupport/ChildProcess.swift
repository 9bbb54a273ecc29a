import CPseudoTerminal
import Glibc

/// How a program ended.
public enum Ending: Equatable, Sendable, CustomStringConvertible {
  case exited(Int32)
  case killed(signal: Int32)

  public var description: String {
    switch self {
    case .exited(let status): "exit status \(status)"
    case .killed(let signal): "death by signal \(signal)"
    }
  }

  /// The exit status, or 128 and the signal, as in a shell.
  public var status: Int32 {
    switch self {
    case .exited(let status): status
    case .killed(let signal): 128 + signal
    }
  }
}

/// A program that a test started. It is killed when this object is released.
public final class ChildProcess {
  /// Where a standard descriptor of the program leads.
  public enum Descriptor {
    case terminal
    case closed
    case null
    case open(Int32)

    fileprivate var number: Int32 {
      switch self {
      case .terminal: Int32(PSEUDO_TERMINAL_INHERIT)
      case .closed: Int32(PSEUDO_TERMINAL_CLOSED)
      case .null: Int32(PSEUDO_TERMINAL_NULL)
      case .open(let descriptor): descriptor
      }
    }
  }

  public let pid: Int32
  /// A pidfd: readable for poll(2) as soon as the program has ended.
  public let watch: Int32
  public private(set) var ending: Ending?

  /// Starts a program.
  ///
  /// - Parameter terminal: The path of its controlling terminal; nil for none.
  public init(
    _ program: String, _ arguments: [String], environment: [String: String], directory: String,
    terminal: String? = nil, input: Descriptor, output: Descriptor, errors: Descriptor
  ) throws {
    // Writing to a child that no longer reads must not end the tests.
    signal(SIGPIPE, SIG_IGN)
    var argv: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
    var envp: [UnsafeMutablePointer<CChar>?] =
      environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for pointer in argv + envp { free(pointer) } }
    var pid: pid_t = 0
    let error = pseudo_terminal_start(
      program, &argv, &envp, directory, terminal, [input.number, output.number, errors.number],
      &pid)
    guard error == 0 else {
      throw Failure("cannot start \(program): \(String(cString: strerror(error)))")
    }
    self.pid = pid
    self.watch = pseudo_terminal_watch(pid)
  }

  deinit {
    stop()
    close(watch)
  }

  /// Kills the process group of the program if the program still runs.
  public func stop() {
    guard poll() == nil else { return }
    kill(-pid, SIGKILL)
    while poll() == nil { waitForEvents([(watch, POLLIN)], milliseconds: 1000) }
  }

  /// How the program ended, or nil while it runs. Does not wait.
  @discardableResult
  public func poll() -> Ending? {
    var code: Int32 = 0
    var signal: Int32 = 0
    if ending == nil, pseudo_terminal_reap(pid, &code, &signal) == 1 {
      ending = signal == 0 ? .exited(code) : .killed(signal: code)
    }
    return ending
  }

  /// Waits until the program ends.
  public func end(deadline: Deadline = Deadline()) throws(Failure) -> Ending {
    while true {
      if let ending = poll() { return ending }
      guard !deadline.hasPassed else { throw Failure("the program does not end") }
      waitForEvents([(watch, POLLIN)], milliseconds: deadline.milliseconds(atMost: 1000))
    }
  }

  public func send(signal: Int32) {
    guard ending == nil else { return }
    kill(pid, signal)
  }
}

/// A pipe, closed on exec, whose reading end does not block.
public func makePipe() throws -> (reading: Int32, writing: Int32) {
  var ends: [Int32] = [0, 0]
  let error = pipe_open(&ends)
  guard error == 0 else { throw Failure("no pipe: errno \(error)") }
  _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
  return (ends[0], ends[1])
}
