import CPseudoTerminal
import Foundation
import TestSupport

/// A process of the program, which is killed when the value is deallocated, if it still runs.
final class Child {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  let pid: pid_t
  let watch: Int32
  private var status: Int32?

  init(
    _ arguments: [String], program: String = TestHome.program, environment: [String: String],
    directory: String, terminal: String?, descriptors: [Int32]
  ) throws {
    var argv: [UnsafeMutablePointer<CChar>?] =
      ([program] + arguments).map { strdup($0) } + [nil]
    var envp: [UnsafeMutablePointer<CChar>?] =
      environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for pointer in argv + envp { free(pointer) } }
    var pid: pid_t = 0
    let error = pseudo_terminal_start(
      program, &argv, &envp, directory, terminal, descriptors, &pid)
    guard error == 0 else {
      throw Failure(description: "\(program): \(String(cString: strerror(error)))")
    }
    self.pid = pid
    watch = pseudo_terminal_watch(pid)
  }

  deinit {
    if poll() == nil {
      kill(pid, SIGKILL)
      wait(for: [(watch, POLLIN)])
      poll()
    }
    close(watch)
  }

  /// The exit status, or 128 and the signal; nil while it runs.
  @discardableResult
  func poll() -> Int32? {
    var code: Int32 = 0
    var signal: Int32 = 0
    if status == nil, pseudo_terminal_reap(pid, &code, &signal) == 1 {
      status = signal == 0 ? code : 128 + code
    }
    return status
  }

  /// Waits for the end of the process, and returns its exit status.
  func end() throws -> Int32 {
    while true {
      if let status = poll() { return status }
      guard wait(for: [(watch, POLLIN)]) else { throw Failure(description: "it does not end") }
    }
  }

  /// The time after which a process counts as hanging, in milliseconds: far longer than a busy
  /// machine needs.
  private static let timeout: Int32 = 120_000

  /// Waits for one of the events.
  ///
  /// - Returns: false if none came in time.
  @discardableResult
  func wait(for wanted: [(descriptor: Int32, events: Int32)]) -> Bool {
    waitForEvents(wanted, milliseconds: Self.timeout).contains { $0 != 0 }
  }
}

/// The program on a terminal of its own.
///
///     let terminal = try Terminal(["user", "add", "an"], in: home)
///     try terminal.read(until: "password")
///     terminal.type("…\n")
final class Terminal {
  private(set) var output = ""
  private let child: Child
  private let master: Int32
  private let slave: Int32
  private let settingsBefore: String

  init(_ arguments: [String], in home: TestHome) throws {
    var path = [CChar](repeating: 0, count: 64)
    var ends: (master: Int32, slave: Int32) = (-1, -1)
    let error = pseudo_terminal_open(24, 80, &ends.master, &ends.slave, &path)
    guard error == 0 else { throw Child.Failure(description: "no terminal: errno \(error)") }
    (master, slave) = ends
    settingsBefore = Self.settings(ends.slave)
    let name = String(decoding: path.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    let inherit = Int32(PSEUDO_TERMINAL_INHERIT)
    child = try Child(
      arguments, environment: home.environment, directory: home.path, terminal: name,
      descriptors: [inherit, inherit, inherit])
  }

  deinit {
    close(slave)
    close(master)
  }

  private static func settings(_ descriptor: Int32) -> String {
    var text = [CChar](repeating: 0, count: 1024)
    _ = pseudo_terminal_settings(descriptor, &text, text.count)
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Whether the terminal is as it was before the program started.
  var isAsBefore: Bool { Self.settings(slave) == settingsBefore }

  /// Waits until the program has written a text after the text of the previous call.
  func read(until text: String) throws {
    while !output.contains(text) {
      guard child.poll() == nil else { break }
      guard child.wait(for: [(master, POLLIN), (child.watch, POLLIN)]) else { break }
      takeOutput()
    }
    takeOutput()
    guard let range = output.range(of: text) else {
      throw Child.Failure(description: "waited in vain for \(text), seen: \(output)")
    }
    seen += output[..<range.upperBound]
    output.removeSubrange(..<range.upperBound)
  }

  /// The output up to the end of the text that was last waited for.
  private(set) var seen = ""

  func type(_ text: String) {
    let bytes = Array(text.utf8)
    _ = write(master, bytes, bytes.count)
  }

  func end() throws -> Int32 {
    let status = try child.end()
    takeOutput()
    return status
  }

  private func takeOutput() {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = Foundation.read(master, &buffer, buffer.count)
      guard count > 0 else { return }
      output += String(decoding: buffer[..<count], as: UTF8.self)
    }
  }
}
