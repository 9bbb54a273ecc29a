import Foundation
import Testing

/// The program `library-writer`, ended with the value at the latest.
final class WriterProcess {
  let pid: pid_t
  private let socket: Int32
  private var unread: [UInt8] = []
  private var hasEnded = false
  /// As wait(2) told it, once it ended.
  private(set) var status: Int32?

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// Beside the program that runs the tests.
  static let program: String = {
    let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return URL(filePath: tests).deletingLastPathComponent().path + "/library-writer"
  }()

  /// What it prints to the end, line by line.
  static func run(
    _ arguments: [String], environment: [String: String] = [:]
  ) throws -> [String] {
    let writer = try WriterProcess(arguments, environment: environment)
    let lines = writer.remainingLines()
    guard writer.wait() == 0 else {
      throw Failure(description: "library-writer \(arguments): \(writer.status ?? -1) \(lines)")
    }
    return lines
  }

  /// What it prints in a mount namespace of its own, made ready by lines of shell.
  static func run(_ arguments: [String], after script: String, environment: [String: String] = [:])
    throws -> [String]
  {
    let writer = try WriterProcess(
      ["-m", "sh", "-ec", script + "\nexec \"$0\" \"$@\"", program] + arguments,
      program: "/usr/bin/unshare", environment: environment)
    let lines = writer.remainingLines()
    guard writer.wait() == 0 else {
      throw Failure(description: "library-writer \(arguments): \(writer.status ?? -1) \(lines)")
    }
    return lines
  }

  /// Whether this process may make mount namespaces, as root in most containers may.
  static let mayMount: Bool = {
    guard geteuid() == 0, access("/usr/bin/unshare", X_OK) == 0,
      let writer = try? WriterProcess(
        ["-m", "sh", "-ec", "mount -t tmpfs -o size=64k none /mnt"], program: "/usr/bin/unshare")
    else { return false }
    return writer.wait() == 0
  }()

  init(
    _ arguments: [String], program: String = WriterProcess.program,
    environment: [String: String] = [:]
  ) throws {
    var ends: [Int32] = [0, 0]
    // Closed on exec from the first: other tests start programs at the same time.
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
      throw Failure(description: "no socket: \(errno)")
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_adddup2(&actions, ends[1], 0)
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    var argv: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
    var all = ProcessInfo.processInfo.environment
    all.merge(environment) { $1 }
    var envp: [UnsafeMutablePointer<CChar>?] = all.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer {
      posix_spawn_file_actions_destroy(&actions)
      for pointer in argv + envp { free(pointer) }
      close(ends[1])
    }
    var pid: pid_t = 0
    let error = posix_spawn(&pid, program, &actions, nil, &argv, &envp)
    self.pid = pid
    socket = ends[0]
    guard error == 0 else {
      hasEnded = true
      throw Failure(description: "cannot start \(program): \(String(cString: strerror(error)))")
    }
  }

  deinit {
    kill()
    close(socket)
  }

  /// What it waits for, where it waits for its input to end.
  func closeInput() {
    shutdown(socket, Int32(SHUT_WR))
  }

  func kill() {
    guard !hasEnded else { return }
    Glibc.kill(pid, SIGKILL)
    wait()
  }

  /// - Returns: the status it exited with; -1 where a signal ended it.
  @discardableResult
  func wait() -> Int32 {
    if !hasEnded {
      var status: Int32 = 0
      while waitpid(pid, &status, 0) < 0, errno == EINTR {}
      hasEnded = true
      self.status = status
    }
    let status = status ?? -1
    return status & 0x7F == 0 ? status >> 8 & 0xFF : -1
  }

  /// The next whole line; nil where it ended without another.
  func nextLine() -> String? {
    while true {
      if let end = unread.firstIndex(of: 10) {
        defer { unread.removeFirst(end + 1) }
        return String(decoding: unread[..<end], as: UTF8.self)
      }
      var buffer = [UInt8](repeating: 0, count: 65536)
      let count = read(socket, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return nil }
      unread += buffer[..<count]
    }
  }

  func remainingLines() -> [String] {
    var lines: [String] = []
    while let line = nextLine() { lines.append(line) }
    return lines
  }
}
