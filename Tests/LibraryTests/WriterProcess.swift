import Foundation
import TestSupport

/// A process of `library-writer`, which is killed at the latest when the value is released.
final class WriterProcess {
  private let child: ChildProcess
  private var input: Int32
  private let output: Int32
  private var unread: [UInt8] = []

  static let program = programBesideTests("library-writer")

  /// Runs the program, and returns the lines that it prints until it ends.
  static func run(
    _ arguments: [String], environment: [String: String] = [:]
  ) throws -> [String] {
    try output(of: WriterProcess(arguments, environment: environment), arguments)
  }

  /// Runs the program in its own mount namespace, which a shell script prepares.
  static func run(_ arguments: [String], after script: String, environment: [String: String] = [:])
    throws -> [String]
  {
    try output(
      of: WriterProcess(
        ["-m", "sh", "-ec", script + "\nexec \"$0\" \"$@\"", program] + arguments,
        program: "/usr/bin/unshare", environment: environment), arguments)
  }

  private static func output(of writer: WriterProcess, _ arguments: [String]) throws -> [String] {
    let lines = writer.remainingLines()
    guard writer.wait() == 0 else {
      throw Failure("library-writer \(arguments): \(writer.child.ending as Any) \(lines)")
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
    let (input, output) = (try makePipe(), try makePipe())
    defer {
      close(input.reading)
      close(output.writing)
    }
    _ = fcntl(input.reading, F_SETFL, 0)
    (self.input, self.output) = (input.writing, output.reading)
    child = try ChildProcess(
      program, arguments,
      environment: ProcessInfo.processInfo.environment.merging(environment) { $1 },
      directory: FileManager.default.currentDirectoryPath, input: .open(input.reading),
      output: .open(output.writing), errors: .terminal)
  }

  deinit {
    kill()
    closeInput()
    close(output)
  }

  /// Ends the standard input of the process, which some of its modes wait for.
  func closeInput() {
    if input >= 0 { close(input) }
    input = -1
  }

  func kill() { child.stop() }

  /// - Returns: The exit status; -1 if a signal ended the process.
  @discardableResult
  func wait() -> Int32 {
    if case .exited(let status) = try? child.end() { status } else { -1 }
  }

  /// The next line; nil at the end of the output.
  func nextLine() -> String? {
    while true {
      if let end = unread.firstIndex(of: 10) {
        defer { unread.removeFirst(end + 1) }
        return String(decoding: unread[..<end], as: UTF8.self)
      }
      waitForEvents([(output, POLLIN)], milliseconds: -1)
      guard readAvailable(output, into: &unread) else { return nil }
    }
  }

  func remainingLines() -> [String] {
    var lines: [String] = []
    while let line = nextLine() { lines.append(line) }
    return lines
  }
}
