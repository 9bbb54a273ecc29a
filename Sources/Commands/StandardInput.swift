import Glibc
public import Messages

/// The standard input of the process.
public enum StandardInput {
  /// Whether standard input is a terminal.
  public static var isTerminal: Bool { isatty(STDIN_FILENO) == 1 }

  /// Whether standard input is a pipe, a socket or a file, and not a terminal or a device such as
  /// `/dev/null`.
  public static var isPipeOrFile: Bool {
    var status = stat()
    guard fstat(STDIN_FILENO, &status) == 0 else { return false }
    return [S_IFIFO, S_IFSOCK, S_IFREG].contains(status.st_mode & S_IFMT)
  }

  /// Reads to the end of the input, but at most `limit` bytes. A closed standard input counts as
  /// empty.
  ///
  /// - Throws: Status 3 if reading fails, or if the terminal has cut off the end of a line.
  public static func read(limit: Int, messages: Messages) throws(CommandFailure) -> [UInt8] {
    let bytes: [UInt8]
    do {
      bytes = try FileDescriptors.bytes(upTo: limit) { buffer throws(SystemError) in
        try FileDescriptors.read(STDIN_FILENO, into: buffer)
      }
    } catch {
      if error.code == EBADF { return [] }
      throw CommandFailure(.badData, messages.fileNotRead("-", error.code))
    }
    if isTerminal, bytes.split(separator: 0x0A).contains(where: { isTruncated($0) }) {
      throw CommandFailure(.badData, messages.lineWasCut)
    }
    return bytes
  }

  /// Whether a line from a terminal may have lost its end. Linux passes on at most 4095 bytes of a
  /// line and discards the rest; see "Canonical and noncanonical mode" in termios(3).
  fileprivate static func isTruncated(_ line: some Collection<UInt8>) -> Bool { line.count >= 4095 }
}

// MARK: Lines

/// A line of standard input.
public enum InputLine: Hashable, Sendable {
  /// A complete line, without the line feed.
  case text(String)
  /// A line that is not valid UTF-8.
  case notUTF8
  /// A line that is too long for the terminal. Its end is missing.
  case truncated
}

/// Reads standard input line by line. Unlike `readLine()`, it reports invalid UTF-8 and truncated
/// lines.
public struct LineReader {
  private var bytes: [UInt8] = []
  private var hasEnded = false

  /// Creates a reader of the rest of standard input.
  public init() {}

  /// Returns the next line, or nil at the end of the input or if it cannot be read.
  public mutating func next() -> InputLine? {
    while true {
      if let end = bytes.firstIndex(of: 0x0A) {
        defer { bytes.removeFirst(end + 1) }
        return Self.line(bytes[..<end])
      }
      guard !hasEnded else {
        guard !bytes.isEmpty else { return nil }
        defer { bytes = [] }
        return Self.line(bytes[...])
      }
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 1)
      defer { buffer.deallocate() }
      let count = (try? FileDescriptors.read(STDIN_FILENO, into: buffer)) ?? 0
      hasEnded = count == 0
      bytes += buffer[..<count]
    }
  }

  private static func line(_ bytes: ArraySlice<UInt8>) -> InputLine {
    if StandardInput.isTerminal, StandardInput.isTruncated(bytes) { return .truncated }
    return String(validating: bytes, as: UTF8.self).map(InputLine.text) ?? .notUTF8
  }
}

// MARK: Secrets

extension StandardInput {
  /// Reads a line from the terminal without echoing it. The echo is also restored if a signal ends
  /// or stops the process in the meantime.
  ///
  /// - Parameter prompt: Asks for the line; called when the echo is off.
  /// - Returns: The line, or nil at the end of the input.
  public static func readLineWithoutEcho(_ prompt: () -> Void) -> String? {
    tcgetattr(STDIN_FILENO, &modesWithEcho)
    var previousActions: [(signal: Int32, action: sigaction)] = []
    for signal in [SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGTSTP] {
      var action = sigaction()
      sigaction(signal, nil, &action)
      // Do not end a process for which a signal is ignored, as with nohup.
      let handler = action.__sigaction_handler.sa_handler
      let isIgnored = unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
      guard !isIgnored else { continue }
      previousActions.append((signal, action))
      Glibc.signal(signal, restoreEcho)
    }
    setEcho(false)
    defer {
      setEcho(true)
      for (signal, var action) in previousActions { sigaction(signal, &action, nil) }
    }
    prompt()
    return readLine()
  }
}

/// The modes of the terminal before the echo was turned off, for the signal handler.
///
/// Safe, because it is written before the handler is installed.
nonisolated(unsafe) private var modesWithEcho = termios()

private func setEcho(_ isOn: Bool) {
  var modes = modesWithEcho
  if !isOn { modes.c_lflag &= ~tcflag_t(ECHO) }
  tcsetattr(STDIN_FILENO, TCSAFLUSH, &modes)
}

/// Handles a signal: restores the echo, then performs the default action of the signal. Calls
/// async-signal-safe functions only.
private func restoreEcho(_ number: Int32) {
  setEcho(true)
  signal(number, SIG_DFL)
  var signals = sigset_t()
  sigemptyset(&signals)
  sigaddset(&signals, number)
  raise(number)
  pthread_sigmask(SIG_UNBLOCK, &signals, nil)
  // Only a stopped process continues here.
  setEcho(false)
  signal(number, restoreEcho)
}
