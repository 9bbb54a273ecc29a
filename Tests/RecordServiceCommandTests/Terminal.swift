import CPseudoTerminal
import Foundation
import TestSupport

/// The program on a terminal of its own.
///
///     let terminal = try Terminal(["user", "add", "an"], in: home)
///     try terminal.read(until: "password")
///     terminal.type("…\n")
final class Terminal {
  private(set) var output = ""
  private let child: ChildProcess
  private let master: Int32
  private let slave: Int32
  private let settingsBefore: String

  init(_ arguments: [String], in home: TestHome) throws {
    var path = [CChar](repeating: 0, count: 64)
    var ends: (master: Int32, slave: Int32) = (-1, -1)
    let error = pseudo_terminal_open(24, 80, &ends.master, &ends.slave, &path)
    guard error == 0 else { throw Failure("no terminal: errno \(error)") }
    (master, slave) = ends
    settingsBefore = Self.settings(ends.slave)
    let name = String(decoding: path.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    child = try ChildProcess(
      TestHome.program, arguments, environment: home.environment, directory: home.path,
      terminal: name, input: .terminal, output: .terminal, errors: .terminal)
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
    let deadline = Deadline()
    while !output.contains(text), child.poll() == nil, !deadline.hasPassed {
      waitForEvents(
        [(master, POLLIN), (child.watch, POLLIN)],
        milliseconds: deadline.milliseconds(atMost: 1000))
      takeOutput()
    }
    takeOutput()
    guard let range = output.range(of: text) else {
      throw Failure(waitingFor: text, seen: output.utf8)
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

  func end() throws -> Ending {
    let ending = try child.end()
    takeOutput()
    return ending
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
