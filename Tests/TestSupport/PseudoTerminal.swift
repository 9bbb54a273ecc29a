import CPseudoTerminal
import Glibc

/// A program on a terminal of its own, and everything it wrote there.
///
///     let terminal = try PseudoTerminal("/bin/cat", [], environment: [:], directory: "/")
///     try terminal.type("salam\n")
///     try terminal.read(until: "salam")
///     try terminal.type("\u{4}")
///     try terminal.end()   // .exited(0)
///
/// Every wait ends: with the expected event, or with a failure that contains
/// the output so far.
public final class PseudoTerminal {
  /// Everything written to the terminal.
  public private(set) var output: [UInt8] = []
  /// Everything written to standard output if that is a pipe.
  public private(set) var piped: [UInt8] = []
  /// The terminal's settings before the program started.
  public let settingsBefore: String
  private let child: ChildProcess
  private var master: Int32
  private var slave: Int32
  private var pipe: Int32 = -1
  private var settingsAtEnd: String?
  private let retained: AnyObject?

  /// - Parameters:
  ///   - retained: an object that is retained as long as the program may run, such as the owner of
  ///     its directory.
  ///   - input: the standard input of the program.
  ///   - pipesOutput: whether its standard output is a pipe, as in `quran-vi | cat`.
  ///   - hasSignalKeys: whether Ctrl-c, Ctrl-z and Ctrl-\ send signals in cooked mode.
  public init(
    _ program: String, _ arguments: [String], environment: [String: String], directory: String,
    retaining retained: AnyObject? = nil, columns: Int = 80, rows: Int = 24,
    input: ChildProcess.Descriptor = .terminal, pipesOutput: Bool = false,
    hasSignalKeys: Bool = true
  ) throws {
    self.retained = retained
    var path = [CChar](repeating: 0, count: 64)
    var ends: (master: Int32, slave: Int32) = (-1, -1)
    let error = pseudo_terminal_open(
      Int32(rows), Int32(columns), &ends.master, &ends.slave, &path)
    guard error == 0 else { throw Failure("no pseudo-terminal: errno \(error)") }
    (master, slave) = ends
    if !hasSignalKeys { _ = pseudo_terminal_disable_signal_keys(ends.slave) }
    settingsBefore = Self.settings(of: ends.slave)
    var writing: Int32 = -1
    if pipesOutput { (pipe, writing) = try makePipe() }
    defer { if writing >= 0 { close(writing) } }
    let name = String(decoding: path.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    child = try ChildProcess(
      program, arguments, environment: environment, directory: directory, terminal: name,
      input: input, output: pipesOutput ? .open(writing) : .terminal,
      errors: .terminal)
  }

  deinit {
    child.stop()
    for descriptor in [master, slave, pipe] where descriptor >= 0 { close(descriptor) }
  }

  public var pid: Int32 { child.pid }
  public var ending: Ending? { child.poll() }

  /// The terminal's settings now, or when the program ended.
  public var settings: String { settingsAtEnd ?? Self.settings(of: slave) }

  private static func settings(of descriptor: Int32) -> String {
    var text = [CChar](repeating: 0, count: 1024)
    _ = pseudo_terminal_settings(descriptor, &text, text.count)
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Discards the output if it is longer than 1 MiB, except the last 64 KiB for later checks.
  public func forgetOutput() {
    if output.count > 1 << 20 { output.removeFirst(output.count - 1 << 16) }
  }

  public func resize(columns: Int, rows: Int) {
    _ = pseudo_terminal_resize(master, Int32(rows), Int32(columns))
  }

  /// Closes the terminal, as a lost connection does, and waits for the
  /// program's end.
  public func hangUp(deadline: Deadline = Deadline()) throws -> Ending {
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

  public func send(signal: Int32) {
    child.send(signal: signal)
  }

  /// Waits until `text` has been written, after the first `offset` bytes. Spaces are
  /// ignored: the program may move the cursor instead of writing them.
  public func read(until text: String, after offset: Int = 0) throws {
    let wanted = Array(text.utf8).writtenText
    try read(until: "“\(text)”") { $0[min(offset, $0.count)...].writtenText[...].contains(wanted) }
  }

  /// Waits until the output so far satisfies `isEnough`.
  public func read(
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
  public func type(_ bytes: some Collection<UInt8>, deadline: Deadline = Deadline()) throws {
    var rest = Array(bytes)[...]
    while !rest.isEmpty, child.poll() == nil {
      guard !deadline.hasPassed else { throw Failure(waitingFor: "room to type", seen: output) }
      if pump(milliseconds: deadline.milliseconds(atMost: 1000), wantsToWrite: true) {
        let count = rest.withUnsafeBytes { write(master, $0.baseAddress, $0.count) }
        rest.removeFirst(max(count, 0))
      }
    }
  }

  public func type(_ text: String) throws {
    try type(Array(text.utf8))
  }

  /// Waits until the program has read everything typed and waits for more, or
  /// has ended.
  public func readUntilTypedIsTaken(deadline: Deadline = Deadline()) throws {
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
  public func quit(by key: String = "q", deadline: Deadline = Deadline()) throws -> Ending {
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
  public func end(deadline: Deadline = Deadline()) throws -> Ending {
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
  public func contains(_ bytes: [UInt8]) -> Bool {
    withUnsafeBytes { here in
      bytes.withUnsafeBytes {
        bytes_contain(here.baseAddress, here.count, $0.baseAddress, $0.count)
      }
    }
  }
}

extension Collection<UInt8> {
  /// The text without control sequences and without spaces: a program may move
  /// the cursor instead of writing a space.
  public var writtenText: [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(count)
    var state = State.text
    for byte in self {
      switch (state, byte) {
      case (.text, 0x1B): state = .escape
      case (.text, UInt8(ascii: " ")): break
      case (.text, _): text.append(byte)
      case (.escape, UInt8(ascii: "[")): state = .control
      case (.escape, UInt8(ascii: "]")), (.escape, UInt8(ascii: "P")): state = .string
      case (.escape, 0x20...0x2F): break
      case (.escape, _): state = .text
      case (.control, 0x40...0x7E): state = .text
      case (.control, _): break
      case (.string, 0x07), (.string, 0x5C): state = .text
      case (.string, _): break
      }
    }
    return text
  }
}

private enum State {
  case text, escape, control, string
}
