import CCurses
import CPseudoTerminal
import Glibc
import Synchronization
import Testing

@testable import Terminal

/// A keyboard on a pseudo-terminal, read through ncurses. ncurses has global state, so only one
/// test at a time uses it.
final class TypedKeyboard {
  private static let lock = Mutex(())

  private let screen: OpaquePointer
  private let master: Int32
  private var keyboard: CursesKeyboard

  /// Runs the body with a keyboard of a terminal.
  static func with<Value>(
    _ term: String = "xterm-256color", _ body: (TypedKeyboard) throws -> Value
  ) throws -> Value {
    try lock.withLock { _ in
      let keyboard = try TypedKeyboard(term)
      defer { keyboard.close() }
      return try body(keyboard)
    }
  }

  /// Runs the body while no other test uses ncurses.
  static func exclusively<Value>(_ body: () -> Value) -> Value { lock.withLock { _ in body() } }

  private init(_ term: String) throws {
    var ends: (master: Int32, slave: Int32) = (-1, -1)
    var path = [CChar](repeating: 0, count: 64)
    try #require(pseudo_terminal_open(24, 80, &ends.master, &ends.slave, &path) == 0)
    master = ends.master
    let (input, output) = (fdopen(ends.slave, "r"), fdopen(dup(ends.slave), "w"))
    screen = try #require(newterm(term, output, input), "\(term) is in terminfo")
    raw()
    noecho()
    nonl()
    // The delay is as short as possible: bytes that a test types at once arrive at once.
    set_escdelay(1)
    keyboard = try #require(CursesKeyboard())
  }

  private func close() {
    endwin()
    delscreen(screen)
    Glibc.close(master)
  }

  /// The events of bytes that are typed at once.
  ///
  /// - Parameter flush: Whether no more input follows.
  func events(_ bytes: [UInt8], flush: Bool = true) throws -> [Event] {
    var events: [Event] = []
    var rest = bytes[...]
    repeat {
      // A part is smaller than the buffer of the terminal driver.
      let part = rest.prefix(1024)
      rest = rest.dropFirst(part.count)
      let count = part.withUnsafeBytes { write(master, $0.baseAddress, $0.count) }
      try #require(count == part.count)
      // The output of ncurses must not fill a buffer of the driver either.
      var sent = [UInt8](repeating: 0, count: 4096)
      while read(master, &sent, sent.count) > 0 {}
      events += keyboard.events()
    } while !rest.isEmpty
    return flush ? events + keyboard.flush() : events
  }
}

/// The events of bytes typed at once, and nothing after them.
func events(_ bytes: some Sequence<UInt8>, term: String = "xterm-256color") throws -> [Event] {
  try TypedKeyboard.with(term) { try $0.events(Array(bytes)) }
}

/// Expects the bytes to be these events, with nothing left that waits for more.
func expect(
  _ bytes: [UInt8], are expected: [Event], term: String = "xterm-256color",
  _ location: SourceLocation = #_sourceLocation
) throws {
  try TypedKeyboard.with(term) { keyboard in
    let found = try keyboard.events(bytes, flush: false)
    let waiting = try keyboard.events([])
    #expect(found == expected, sourceLocation: location)
    #expect(waiting == [], "something waits", sourceLocation: location)
  }
}

func expect(
  _ text: String, are expected: [Event], term: String = "xterm-256color",
  _ location: SourceLocation = #_sourceLocation
) throws {
  try expect(Array(text.utf8), are: expected, term: term, location)
}

/// Expects the text to be one key.
func expect(
  _ text: String, is key: Key, term: String = "xterm-256color",
  _ location: SourceLocation = #_sourceLocation
) throws {
  try expect(text, are: [.key(key)], term: term, location)
}

/// Expects that the bytes are skipped, and that a key after them is decoded.
func expectSkipped(_ text: String, _ location: SourceLocation = #_sourceLocation) throws {
  try expect(text, are: [], location)
  try expect(text + "j", is: "j", location)
  try expect(text + "\u{1B}[A", is: Key(.up), location)
}
