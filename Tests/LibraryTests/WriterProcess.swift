import Foundation
import Testing

/// A process of `library-writer`, which is killed at the latest when the value is released.
final class WriterProcess {
  let pid: pid_t
  private let socket: Int32
  private var unread: [UInt8] = []
  private var hasEnded = false
  /// The status of wait(2), once the process has ended.
  private(set) var status: Int32?

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// The path of the program: beside the program that runs the tests.
  static let program: String = {
    let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return URL(filePath: tests).deletingLastPathComponent().path + "/library-writer"
  }()

  /// Runs the program, and returns the lines that it prints until it ends.
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

  /// Runs the program in its own mount namespace, which a shell script prepares.
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
    // Close-on-exec from the beginning: other tests start programs at the same time.
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

  /// Ends the standard input of the process, which some of its modes wait for.
  func closeInput() {
    shutdown(socket, Int32(SHUT_WR))
  }

  func kill() {
    guard !hasEnded else { return }
    Glibc.kill(pid, SIGKILL)
    wait()
  }

  /// - Returns: The exit status; -1 if a signal ended the process.
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

  /// The next line; nil at the end of the output.
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
