import CCurses
import FoundationEssentials
import Glibc

/// The terminal of this process, driven by ncurses. A process can have one at a time and must use
/// it on one thread.
///
/// From `init` to `close()`, except during `suspend` and `lend`, the terminal is in raw mode and
/// shows its alternate screen. If the process ends in between, even because of a fault, the
/// previous state of the terminal is restored (see Guard.c in CCurses).
public final class TerminalDevice: Screen {
  /// The reason why the terminal cannot be used.
  public enum Failure: Error, Hashable, Sendable {
    /// Standard output is not a terminal, or there is no terminal to read keys from.
    case noTerminal
    /// Terminfo does not know `TERM`, or the terminal cannot position its cursor.
    case cannotDraw(term: String)
    /// No UTF-8 locale is installed.
    case noUTF8Locale
  }

  private let input: Int32
  private let output: Int32
  private let savedModes: termios
  private let strings: ControlStrings
  /// What the signal handlers write while the terminal's reordering of text is on, and off.
  private let restoreBytes: (on: UnsafeMutablePointer<CChar>, off: UnsafeMutablePointer<CChar>)
  /// Whether the terminal was told not to reorder text.
  private var isReorderingOff = false
  /// The two ends of a pipe. Writing a byte to it ends the wait in `poll`: signal handlers write
  /// the signal number, and `wake` writes 0.
  private let wakeUps: (read: Int32, write: Int32)
  private var window: CursesWindow
  private var keyboard: CursesKeyboard
  /// The time in milliseconds during which an Esc can be the start of a sequence.
  private let escapeDelay: Int32

  /// Opens the terminal and switches it to raw mode and the alternate screen.
  ///
  /// - Parameters:
  ///   - environment: `TERM`, `NO_COLOR`, `ESCDELAY`, `SSH_CONNECTION` and the variables of
  ///     terminal emulators and multiplexers are read.
  ///   - mouse: Whether to request mouse events.
  /// - Throws: `Failure` if there is no terminal, if it cannot be drawn on, or if no UTF-8 locale
  ///   is installed.
  public init(environment: [String: String], mouse: Bool) throws(Failure) {
    output = STDOUT_FILENO
    guard isatty(output) == 1 else { throw .noTerminal }
    // Like less, read keys from the terminal even if standard input is a pipe.
    input = isatty(STDIN_FILENO) == 1 ? STDIN_FILENO : open("/dev/tty", O_RDWR | O_CLOEXEC)
    var modes = termios()
    guard input >= 0, tcgetattr(input, &modes) == 0 else { throw .noTerminal }
    savedModes = modes
    var ends: [Int32] = [-1, -1]
    // Opening fails only if the process has no free file descriptors. Waits then cannot be
    // interrupted.
    if !guard_pipe(&ends) { ends = [-1, -1] }
    wakeUps = (ends[0], ends[1])
    // The default is 25 ms, or 50 ms over SSH, where a sequence can be split between packets.
    escapeDelay =
      environment["ESCDELAY"].flatMap { Int32($0) }.map { min(max($0, 0), 10_000) }
      ?? (environment["SSH_CONNECTION"] == nil ? 25 : 50)
    // Before ncurses is initialized, because ncurses does not replace existing signal handlers.
    guard_install(wakeUps.write)
    let failure = Failure.cannotDraw(term: environment["TERM"] ?? "")
    guard curses_use_utf8() else {
      guard_uninstall()
      throw .noUTF8Locale
    }
    // From now on, a crash restores the modes of the terminal. Another thread can crash while
    // ncurses is changing them.
    guard_arm(input, output, &modes, nil)
    guard let term = Self.openTerminal(environment, input, output) else {
      guard_uninstall()
      throw failure
    }
    strings = ControlStrings(environment: environment, term: term, mouse: mouse)
    curses_keep_palette()
    set_escdelay(escapeDelay)
    guard terminfo_string("cup") != nil,
      let window = CursesWindow(usesColors: TerminalDescription.usesColors(environment)),
      let restore = strdup(strings.restore),
      let restoreReordering = strdup(strings.restore + strings.reordering.on)
    else {
      endwin()
      guard_uninstall()
      throw failure
    }
    restoreBytes = (on: restore, off: restoreReordering)
    // From now on, a crash also restores the screen. ncurses sends its first output in `keypad`,
    // which `CursesKeyboard` calls.
    guard_set_bytes(restore)
    guard let keyboard = CursesKeyboard() else {
      endwin()
      guard_uninstall()
      throw failure
    }
    self.window = window
    self.keyboard = keyboard
    write(strings.enter)
    self.window.resize(size)
  }

  /// Initializes ncurses and sets raw mode.
  ///
  /// - Returns: The name of the terminfo entry in use, or nil if none could be used.
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
    // Otherwise doupdate stops in the middle of a frame if a key has been typed; see typeahead in
    // curs_inopts(3).
    typeahead(-1)
    return term
  }

  /// Restores the terminal.
  public func close() {
    write(strings.leave + (isReorderingOff ? strings.reordering.on : ""))
    guard_leave()
    write(strings.clearing)
  }

  private func resume() {
    var saved = savedModes
    guard_arm(input, output, &saved, isReorderingOff ? restoreBytes.off : restoreBytes.on)
    // The size can have changed in the meantime.
    window.resize(size)
    doupdate()
    write(strings.enter + (isReorderingOff ? strings.reordering.off : ""))
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

  public var hasColors: Bool { window.colors > 0 }

  public func show(_ frame: Canvas) {
    guard !window.isShowing(frame) else { return }
    write(strings.frame.begin)
    setReordering(isOff: frame.arabic == .shaped)
    window.show(frame)
    write(strings.frame.end)
  }

  /// Turns the terminal's own reordering of text off or on. After a change the next frame is drawn
  /// completely, because the mode applies to text that is written while it is set.
  private func setReordering(isOff: Bool) {
    guard isOff != isReorderingOff, !strings.reordering.off.isEmpty else { return }
    isReorderingOff = isOff
    // A crash between the two statements turns the reordering on once more, which does no harm.
    if isOff {
      guard_set_bytes(restoreBytes.off)
      write(strings.reordering.off)
    } else {
      write(strings.reordering.on)
      guard_set_bytes(restoreBytes.on)
    }
    window.invalidate()
  }

  public func suspend() {
    close()
    guard_stop()
    resume()
  }

  public func lend(_ body: () -> Void) {
    close()
    // As in system(3), ignore keys that interrupt the other program.
    var ignore = sigaction()
    ignore.__sigaction_handler.sa_handler = SIG_IGN
    let signals = [SIGINT, SIGQUIT, SIGTSTP]
    let handlers = signals.map { signal in
      var handler = sigaction()
      sigaction(signal, &ignore, &handler)
      return handler
    }
    guard_lend(true)
    body()
    guard_lend(false)
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

  /// Writes the whole string. Does nothing if the terminal is closed.
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

  /// Makes `events(within:)` return `.woken` among its events. Can be called on any thread.
  public var wake: @Sendable () -> Void {
    { [end = wakeUps.write] in
      var byte: UInt8 = 0
      // The write fails if the pipe is full. That is harmless: the bytes in the pipe end the wait.
      _ = Glibc.write(end, &byte, 1)
    }
  }

  public func events(within limit: Int?) -> [Event] {
    while true {
      var events = keyboard.events()
      if !events.isEmpty { return events }
      var sources = [
        pollfd(fd: input, events: Int16(POLLIN), revents: 0),
        pollfd(fd: wakeUps.read, events: Int16(POLLIN), revents: 0),
      ]
      let inputTimeout = keyboard.inputTimeout(escapeDelay)
      let count = poll(&sources, 2, inputTimeout ?? limit.map { Int32(clamping: $0) } ?? -1)
      if count == 0 {
        events = keyboard.flush()
        if !events.isEmpty || inputTimeout == nil { return events }
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

  /// The number of input bytes that ncurses has not read yet; 0 if the terminal is closed.
  private var unreadCount: Int {
    var count: Int32 = 0
    return ioctl(input, UInt(FIONREAD), &count) == 0 ? Int(count) : 0
  }

  /// Returns the events of the bytes in the wake-up pipe.
  private func signals() -> [Event] {
    var events: [Event] = []
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = read(wakeUps.read, &bytes, bytes.count)
    for byte in Set(bytes.prefix(max(count, 0))) {
      switch Int32(byte) {
      case 0: events.append(.woken)
      case SIGWINCH:
        // Redraw even if the size is the same as before: the terminal may have lost its content.
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
