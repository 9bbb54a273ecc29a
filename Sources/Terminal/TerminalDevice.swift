import CCurses
import FoundationEssentials
import Glibc

/// The terminal this process runs in, with ncurses. One at a time, on one thread.
///
/// From `init` to `close()` the terminal is in raw mode, on its alternate
/// screen. However the process ends, a fault included, it is given back as it
/// was found (CCurses, Guard.c).
public final class TerminalDevice: Screen {
  public enum Failure: Error, Hashable, Sendable {
    /// Standard output is no terminal, or there is none to read keys from.
    case noTerminal
    /// Terminfo does not know `TERM`, or the terminal cannot move its cursor.
    case cannotDraw(term: String)
  }

  private let input: Int32
  private let output: Int32
  private let savedModes: termios
  private let strings: ControlStrings
  private let restoreBytes: UnsafeMutablePointer<CChar>?
  private let wakeUp: WakeUp
  private var window: CursesWindow
  private var keyboard: CursesKeyboard
  /// How long an Esc may be the start of a sequence, in milliseconds.
  private let escapeDelay: Int32

  /// Takes the terminal.
  ///
  /// - Parameters:
  ///   - environment: `TERM`, `NO_COLOR`, `ESCDELAY`, `SSH_CONNECTION` are read.
  ///   - mouse: whether mouse events are asked for.
  ///   - wakeUp: what other threads call to make `events()` return.
  public init(environment: [String: String], mouse: Bool, wakeUp: WakeUp) throws(Failure) {
    output = STDOUT_FILENO
    guard isatty(output) == 1 else { throw .noTerminal }
    // Keys come from the terminal also when standard input is a pipe, as in less.
    input = isatty(STDIN_FILENO) == 1 ? STDIN_FILENO : open("/dev/tty", O_RDWR | O_CLOEXEC)
    var modes = termios()
    guard input >= 0, tcgetattr(input, &modes) == 0 else { throw .noTerminal }
    savedModes = modes
    self.wakeUp = wakeUp
    // 25 ms, 50 where a network may split what belongs together.
    escapeDelay =
      environment["ESCDELAY"].flatMap { Int32($0) }.map { min(max($0, 0), 10_000) }
      ?? (environment["SSH_CONNECTION"] == nil ? 25 : 50)
    // Before ncurses, which leaves signals alone that somebody handles.
    guard_install(wakeUp.writeEnd)
    let failure = Failure.cannotDraw(term: environment["TERM"] ?? "")
    guard curses_use_utf8(), let term = Self.openTerminal(environment, input, output) else {
      throw failure
    }
    strings = ControlStrings(environment: environment, term: term, mouse: mouse)
    curses_keep_palette()
    set_escdelay(escapeDelay)
    guard terminfo_string("cup") != nil,
      let window = CursesWindow(usesColors: TerminalDescription.usesColors(environment)),
      let keyboard = CursesKeyboard()
    else {
      endwin()
      throw failure
    }
    self.window = window
    self.keyboard = keyboard
    restoreBytes = strdup(strings.restore)
    arm()
    write(strings.enter)
    self.window.resize(size)
  }

  /// Has ncurses open the terminal, in raw mode.
  ///
  /// - Returns: the terminfo entry that it took.
  private static func openTerminal(
    _ environment: [String: String], _ input: Int32, _ output: Int32
  ) -> String? {
    guard let reading = fdopen(input, "r"), let writing = fdopen(output, "w") else { return nil }
    guard_hold_keys()
    defer { guard_release_keys() }
    let term = TerminalDescription.names(environment).first { newterm($0, writing, reading) != nil }
    guard let term else { return nil }
    raw()
    noecho()
    nonl()
    return term
  }

  /// Gives the terminal back.
  public func close() { leave() }

  private func arm() {
    guard let restoreBytes else { return }
    var saved = savedModes
    guard_arm(input, output, &saved, restoreBytes, strlen(restoreBytes))
  }

  private func leave() {
    write(strings.leave)
    guard_leave()
  }

  private func resume() {
    arm()
    // It may have another size by now.
    window.resize(size)
    doupdate()
    write(strings.enter)
  }

  public var size: Size {
    var known = winsize()
    guard ioctl(output, UInt(TIOCGWINSZ), &known) == 0, known.ws_row > 0, known.ws_col > 0 else {
      return Size(
        rows: max(Int(terminfo_number("lines")), 24), columns: max(Int(terminfo_number("cols")), 80)
      )
    }
    return Size(rows: Int(known.ws_row), columns: Int(known.ws_col))
  }

  public func show(_ frame: Canvas) {
    write(strings.frame.begin)
    window.show(frame)
    write(strings.frame.end)
  }

  public func suspend() {
    leave()
    guard_stop()
    resume()
  }

  public func lend(_ body: () -> Void) {
    leave()
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
    resume()
  }

  public func copy(_ text: String) -> Bool {
    guard let string = strings.copy(base64: Data(text.utf8).base64EncodedString()) else {
      return false
    }
    write(string)
    return true
  }

  /// Writes all of it; where the terminal is gone, nothing.
  private func write(_ string: String) {
    var rest = Array(string.utf8)[...]
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
      var events = keyboard.events()
      if !events.isEmpty { return events }
      var sources = [
        pollfd(fd: input, events: Int16(POLLIN), revents: 0),
        pollfd(fd: wakeUp.readEnd, events: Int16(POLLIN), revents: 0),
      ]
      let patience = keyboard.patience(escapeDelay)
      let count = poll(&sources, 2, patience ?? limit.map { Int32(clamping: $0) } ?? -1)
      if count == 0 {
        events = keyboard.flush()
        if !events.isEmpty || patience == nil { return events }
        continue
      }
      guard count > 0 else { continue }
      if sources[1].revents != 0 { events += signals() }
      if sources[0].revents != 0 {
        let isGone = sources[0].revents & Int16(POLLIN) == 0 || unreadCount == 0
        let typed = keyboard.events()
        events += typed
        if isGone, typed.isEmpty { return events + [.terminate(SIGHUP)] }
      }
      if !events.isEmpty { return events }
    }
  }

  /// How many bytes were typed that ncurses did not take yet; 0 where the terminal is gone.
  private var unreadCount: Int {
    var count: Int32 = 0
    return ioctl(input, UInt(FIONREAD), &count) == 0 ? Int(count) : 0
  }

  /// What the bytes in the wake-up pipe stand for: signal numbers, or zero.
  private func signals() -> [Event] {
    var events: [Event] = []
    for byte in Set(wakeUp.drain()) {
      switch Int32(byte) {
      case 0: events.append(.woken)
      case SIGWINCH:
        // A terminal that came back to its size has forgotten what it showed.
        window.resize(size)
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
