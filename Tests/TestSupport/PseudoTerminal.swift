import CPseudoTerminal
import Glibc
import TestSupport

/// Columns and rows of a terminal.
struct Size: Hashable, CustomStringConvertible {
  let columns: Int
  let rows: Int

  init(_ columns: Int, _ rows: Int) {
    self.columns = columns
    self.rows = rows
  }

  static let standard = Size(80, 24)

  var description: String { "\(columns)×\(rows)" }
}

/// A program on a terminal of its own, and everything it wrote there.
///
///     let terminal = try PseudoTerminal("/bin/cat", [], in: home)
///     try terminal.type("salam\n")
///     try terminal.read(until: "salam")
///     try terminal.type("\u{4}")
///     try terminal.end()   // .exited(0)
///
/// Every wait ends: with the expected event, or with a failure that contains
/// the output so far.
final class PseudoTerminal {
  /// Everything written to the terminal.
  private(set) var output: [UInt8] = []
  /// Everything written to standard output if that is a pipe.
  private(set) var piped: [UInt8] = []
  /// The terminal's settings before the program started.
  let settingsBefore: String
  private let child: ChildProcess
  private var master: Int32
  private var slave: Int32
  private var pipe: Int32 = -1
  private var settingsAtEnd: String?
  /// Retained: the directory has to exist as long as a program runs in it.
  private let home: Home

  /// - Parameters:
  ///   - input: the standard input of the program.
  ///   - pipesOutput: whether its standard output is a pipe, as in `quran-vi | cat`.
  ///   - hasSignalKeys: whether Ctrl-c, Ctrl-z and Ctrl-\ send signals in cooked mode.
  init(
    _ program: String, _ arguments: [String], in home: Home, with changes: [String: String?] = [:],
    size: Size = .standard, input: ChildProcess.Descriptor = .terminal, pipesOutput: Bool = false,
    hasSignalKeys: Bool = true
  ) throws {
    self.home = home
    var path = [CChar](repeating: 0, count: 64)
    var ends: (master: Int32, slave: Int32) = (-1, -1)
    let error = pseudo_terminal_open(
      Int32(size.rows), Int32(size.columns), &ends.master, &ends.slave, &path)
    guard error == 0 else { throw Failure("no pseudo-terminal: errno \(error)") }
    (master, slave) = ends
    if !hasSignalKeys { _ = pseudo_terminal_disable_signal_keys(ends.slave) }
    settingsBefore = Self.settings(of: ends.slave)
    var writing: Int32 = -1
    if pipesOutput { (pipe, writing) = try makePipe() }
    defer { if writing >= 0 { close(writing) } }
    let name = String(decoding: path.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    child = try ChildProcess(
      program, arguments, environment: home.environment(with: changes), directory: home.path,
      terminal: name, input: input, output: pipesOutput ? .open(writing) : .terminal,
      errors: .terminal)
  }

  /// The reader on a terminal.
  convenience init(
    reader arguments: [String] = [], in home: Home, with changes: [String: String?] = [:],
    size: Size = .standard, input: ChildProcess.Descriptor = .terminal, pipesOutput: Bool = false
  ) throws {
    try self.init(
      Program.reader(), arguments, in: home, with: changes, size: size, input: input,
      pipesOutput: pipesOutput)
  }

  deinit {
    child.stop()
    for descriptor in [master, slave, pipe] where descriptor >= 0 { close(descriptor) }
  }

  var pid: pid_t { child.pid }
  var ending: Ending? { child.poll() }

  /// The terminal's settings now, or when the program ended.
  var settings: String { settingsAtEnd ?? Self.settings(of: slave) }

  private static func settings(of descriptor: Int32) -> String {
    var text = [CChar](repeating: 0, count: 1024)
    _ = pseudo_terminal_settings(descriptor, &text, text.count)
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Discards the output if it is longer than 1 MiB, except the last 64 KiB for later checks.
  func forgetOutput() {
    if output.count > 1 << 20 { output.removeFirst(output.count - 1 << 16) }
  }

  func resize(to size: Size) {
    _ = pseudo_terminal_resize(master, Int32(size.rows), Int32(size.columns))
  }

  /// Closes the terminal, as a lost connection does, and waits for the
  /// program's end.
  func hangUp(deadline: Deadline = Deadline()) throws -> Ending {
    settingsAtEnd = settings
    for descriptor in [slave, master] { close(descriptor) }
    (slave, master) = (-1, -1)
    while child.poll() == nil {
      guard !deadline.hasPassed else {
        throw Failure(waitingFor: "its end without a terminal", seen: output)
      }
      waitForEvents([(child.watch, POLLIN)], milliseconds: deadline.milliseconds(atMost: 1000))
    }
    return child.ending!
  }

  func send(signal: Int32) {
    child.send(signal: signal)
  }

  /// Waits until `text` has been written, after the first `offset` bytes. Spaces are
  /// ignored: the program may move the cursor instead of writing them.
  func read(until text: String, after offset: Int = 0) throws {
    let wanted = Array(text.utf8).writtenText
    try read(until: "“\(text)”") { $0[min(offset, $0.count)...].writtenText[...].contains(wanted) }
  }

  /// Waits until the output so far satisfies `isEnough`.
  func read(
    until what: String, deadline: Deadline = Deadline(), _ isEnough: ([UInt8]) -> Bool
  ) throws {
    while !isEnough(output) {
      guard child.poll() == nil else {
        try finishReading(deadline)
        if isEnough(output) { return }
        throw Failure(waitingFor: "\(what), but it ended with \(child.ending!)", seen: output)
      }
      guard !deadline.hasPassed else { throw Failure(waitingFor: what, seen: output) }
      pump(milliseconds: deadline.milliseconds(atMost: 1000))
    }
  }

  /// Types at the keyboard and reads the output of the program meanwhile. Stops
  /// early when the program ends.
  func type(_ bytes: some Collection<UInt8>, deadline: Deadline = Deadline()) throws {
    var rest = Array(bytes)[...]
    while !rest.isEmpty, child.poll() == nil {
      guard !deadline.hasPassed else { throw Failure(waitingFor: "room to type", seen: output) }
      if pump(milliseconds: deadline.milliseconds(atMost: 1000), wantsToWrite: true) {
        let count = rest.withUnsafeBytes { write(master, $0.baseAddress, $0.count) }
        rest.removeFirst(max(count, 0))
      }
    }
  }

  func type(_ text: String) throws {
    try type(Array(text.utf8))
  }

  /// Waits until the program has read everything typed and waits for more, or
  /// has ended.
  func readUntilTypedIsTaken(deadline: Deadline = Deadline()) throws {
    while child.poll() == nil, pseudo_terminal_unread(slave) > 0 || isWorking {
      guard !deadline.hasPassed else {
        throw Failure(waitingFor: "the typed keys to be taken", seen: output)
      }
      // The kernel does not report that a queue is empty, so the wait is short.
      pump(milliseconds: deadline.milliseconds(atMost: 1))
    }
    pump(milliseconds: 0)
  }

  private var isWorking: Bool {
    guard let group = ProcessState(pid: child.pid)?.foregroundGroup else { return false }
    return ProcessState(pid: group)?.isWorking ?? false
  }

  /// Presses a key until the program ends: `q` goes back, and if there is
  /// nothing to go back to, it quits.
  @discardableResult
  func quit(by key: String = "q", deadline: Deadline = Deadline()) throws -> Ending {
    while child.poll() == nil {
      guard !deadline.hasPassed else { throw Failure(waitingFor: "it to quit", seen: output) }
      try type(Array(key.utf8), deadline: deadline)
      try readUntilTypedIsTaken(deadline: deadline)
      pump(milliseconds: deadline.milliseconds(atMost: 50))
    }
    return try end(deadline: deadline)
  }

  /// Waits for the program's end, reading everything it still writes.
  @discardableResult
  func end(deadline: Deadline = Deadline()) throws -> Ending {
    while child.poll() == nil {
      guard !deadline.hasPassed else { throw Failure(waitingFor: "its end", seen: output) }
      pump(milliseconds: deadline.milliseconds(atMost: 1000))
    }
    try finishReading(deadline)
    return child.ending!
  }

  /// Reads to the end of the stream, which comes when no process has the slave open.
  private func finishReading(_ deadline: Deadline) throws {
    guard slave >= 0 else { return }
    settingsAtEnd = settings
    close(slave)
    slave = -1
    while readAvailable(master, into: &output) {
      guard !deadline.hasPassed else {
        throw Failure(waitingFor: "the last process on the terminal to end", seen: output)
      }
      waitForEvents([(master, POLLIN)], milliseconds: deadline.milliseconds(atMost: 1000))
    }
    while pipe >= 0, readAvailable(pipe, into: &piped) {
      guard !deadline.hasPassed else { throw Failure(waitingFor: "the pipe's end", seen: piped) }
      waitForEvents([(pipe, POLLIN)], milliseconds: deadline.milliseconds(atMost: 1000))
    }
  }

  /// Waits for an event and reads the available output.
  ///
  /// - Returns: whether there is room to type.
  @discardableResult
  private func pump(milliseconds: Int32, wantsToWrite: Bool = false) -> Bool {
    let events = waitForEvents(
      [(master, POLLIN | (wantsToWrite ? POLLOUT : 0)), (child.watch, POLLIN), (pipe, POLLIN)],
      milliseconds: milliseconds)
    if events[0] & POLLIN != 0 { _ = readAvailable(master, into: &output) }
    if events[2] & POLLIN != 0 {
      _ = readAvailable(pipe, into: &piped)
    } else if events[2] != 0 {
      // The other end is closed; if this end stayed open, poll(2) would return at once.
      close(pipe)
      pipe = -1
    }
    return events[0] & POLLOUT != 0
  }
}

extension ArraySlice<UInt8> {
  /// Whether it contains `bytes` without other bytes between them.
  func contains(_ bytes: [UInt8]) -> Bool {
    withUnsafeBytes { here in
      bytes.withUnsafeBytes {
        bytes_contain(here.baseAddress, here.count, $0.baseAddress, $0.count)
      }
    }
  }
}
