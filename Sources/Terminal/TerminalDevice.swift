import CNcurses
import FoundationEssentials
import Glibc

/// The terminal this process runs in.
///
/// From `init` to `close()` the terminal is in raw mode, on its alternate
/// screen. However the process ends, a fault included, it is given back as it
/// was found (CNcurses, Guard.c).
public final class TerminalDevice: Screen {
  public enum Failure: Error, Hashable, Sendable {
    /// Standard output is no terminal, or there is none to read keys from.
    case noTerminal
    /// Terminfo does not know `TERM`, or the terminal cannot move its cursor.
    case cannotDraw(term: String)
  }

  private let input: Int32
  private let output: Int32
  private let capabilities: Capabilities
  private let savedModes: termios
  private let leaveBytes: UnsafeMutablePointer<CChar>
  private let wakeUp: WakeUp
  private var decoder: InputDecoder
  private var encoder: FrameEncoder
  private var shown: Canvas?
  /// How long an Esc may be the start of a sequence, in milliseconds.
  private let escapeDelay: Int32
  private var readBuffer = [UInt8](repeating: 0, count: 1 << 16)

  /// Takes the terminal.
  ///
  /// - Parameters:
  ///   - environment: `TERM`, `NO_COLOR`, `COLORTERM`, `ESCDELAY`, `SSH_CONNECTION` are read.
  ///   - mouse: whether mouse events are asked for.
  ///   - wakeUp: what other threads call to make `events()` return.
  public init(environment: [String: String], mouse: Bool, wakeUp: WakeUp) throws(Failure) {
    output = STDOUT_FILENO
    guard isatty(output) == 1 else { throw .noTerminal }
    // Keys come from the terminal also when standard input is a pipe, as in less.
    input = isatty(STDIN_FILENO) == 1 ? STDIN_FILENO : open("/dev/tty", O_RDWR | O_CLOEXEC)
    var modes = termios()
    guard input >= 0, tcgetattr(input, &modes) == 0 else { throw .noTerminal }
    guard
      let capabilities = Capabilities(environment: environment, output: output, mouse: mouse)
    else { throw .cannotDraw(term: environment["TERM"] ?? "") }
    self.capabilities = capabilities
    self.wakeUp = wakeUp
    savedModes = modes
    decoder = InputDecoder(sequences: capabilities.keys)
    encoder = FrameEncoder(capabilities)
    leaveBytes = strdup(capabilities.leave)
    // 25 ms, 50 where a network may split what belongs together.
    escapeDelay =
      environment["ESCDELAY"].flatMap { Int32($0) }.map { min(max($0, 0), 10_000) }
      ?? (environment["SSH_CONNECTION"] == nil ? 25 : 50)
    guard_install(wakeUp.writeEnd)
    enter()
  }

  /// Gives the terminal back.
  public func close() { guard_restore() }

  private func enter() {
    var modes = savedModes
    modes.c_iflag &= ~tcflag_t(IXON | ICRNL | INLCR | IGNCR | BRKINT | INPCK | ISTRIP)
    modes.c_oflag &= ~tcflag_t(OPOST)
    modes.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG | IEXTEN)
    withUnsafeMutableBytes(of: &modes.c_cc) {
      $0[Int(VMIN)] = 1
      $0[Int(VTIME)] = 0
    }
    var saved = savedModes
    guard_arm(input, output, &saved, leaveBytes, strlen(leaveBytes))
    tcsetattr(input, TCSADRAIN, &modes)
    write(Array(capabilities.enter.utf8))
    shown = nil
  }

  public var size: Size {
    var window = winsize()
    guard ioctl(output, UInt(TIOCGWINSZ), &window) == 0, window.ws_row > 0, window.ws_col > 0
    else { return capabilities.size }
    return Size(rows: Int(window.ws_row), columns: Int(window.ws_col))
  }

  public func show(_ frame: Canvas) {
    let bytes = encoder.encode(frame, over: shown)
    shown = frame
    write(bytes)
  }

  public func suspend() {
    guard_restore()
    guard_stop()
    enter()
  }

  public func lend(_ body: () -> Void) {
    guard_restore()
    // A key that interrupts the other program is none of ours, as in system(3).
    var ignore = sigaction()
    ignore.__sigaction_handler.sa_handler = SIG_IGN
    let signals = [SIGINT, SIGQUIT, SIGTSTP]
    let handlers = signals.map { signal in
      var handler = sigaction()
      sigaction(signal, &ignore, &handler)
      return handler
    }
    body()
    for (signal, var handler) in zip(signals, handlers) { sigaction(signal, &handler, nil) }
    enter()
  }

  public func copy(_ text: String) -> Bool {
    guard capabilities.isXtermLike else { return false }
    write(Array("\u{1B}]52;c;\(Data(text.utf8).base64EncodedString())\u{07}".utf8))
    return true
  }

  /// Writes all of it; where the terminal is gone, nothing.
  private func write(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(output, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        var ready = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
        poll(&ready, 1, -1)
      } else if errno != EINTR {
        return
      }
    }
  }

  // MARK: Events

  public func events(within limit: Int?) -> [Event] {
    while true {
      var events = decoded(flush: false)
      if !events.isEmpty { return events }
      var sources = [
        pollfd(fd: input, events: Int16(POLLIN), revents: 0),
        pollfd(fd: wakeUp.readEnd, events: Int16(POLLIN), revents: 0),
      ]
      // A paste whose end is lost must not swallow keys for ever.
      let patience = decoder.isPasting ? 1000 : decoder.isWaiting ? escapeDelay : nil
      let count = poll(&sources, 2, patience ?? limit.map { Int32(clamping: $0) } ?? -1)
      if count == 0 {
        events = decoded(flush: true)
        if !events.isEmpty || patience == nil { return events }
        continue
      }
      guard count > 0 else { continue }
      if sources[1].revents != 0 { events += signals() }
      if sources[0].revents != 0 {
        let count = read(input, &readBuffer, readBuffer.count)
        if count > 0 {
          decoder.feed(readBuffer[..<count])
        } else if count == 0 || (errno != EINTR && errno != EAGAIN) {
          return events + [.terminate(SIGHUP)]
        }
      }
      events += decoded(flush: false)
      if !events.isEmpty { return events }
    }
  }

  private func decoded(flush: Bool) -> [Event] {
    var events: [Event] = []
    while let event = decoder.next(flush: flush) { events.append(event) }
    return events
  }

  /// What the bytes in the wake-up pipe stand for: signal numbers, or zero.
  private func signals() -> [Event] {
    var events: [Event] = []
    for byte in Set(wakeUp.drain()) {
      switch Int32(byte) {
      case 0: events.append(.woken)
      case SIGWINCH:
        // A terminal that came back to its size has forgotten what it showed.
        shown = nil
        events.append(.resized(size))
      case SIGTSTP: events.append(.suspend)
      default:
        guard_acknowledge()
        events.append(.terminate(Int32(byte)))
      }
    }
    return events
  }
}

/// A pipe that ends a wait in `poll`: from a signal handler, or another thread.
public final class WakeUp: Sendable {
  let readEnd: Int32
  let writeEnd: Int32

  public init() {
    var ends: [Int32] = [-1, -1]
    // Fails only where the process may open no file at all; then nothing wakes.
    if !guard_pipe(&ends) { ends = [-1, -1] }
    readEnd = ends[0]
    writeEnd = ends[1]
  }

  /// Makes `Screen.events()` return, with `.woken` among its events. From any thread.
  public func wake() {
    var byte: UInt8 = 0
    // A full pipe wakes as well.
    _ = Glibc.write(writeEnd, &byte, 1)
  }

  func drain() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = read(readEnd, &bytes, bytes.count)
    return Array(bytes.prefix(max(count, 0)))
  }
}
