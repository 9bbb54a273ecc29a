import Glibc
import TestSupport

/// A program in an xterm window, on an X server of the test's own.
///
/// Keys arrive as key events of X. The screen is read by asking xterm to print it, which it does
/// when the control sequence for that is written to its terminal.
final class XTerm {
  private let server: ChildProcess
  private let xterm: ChildProcess
  private let environment: [String: String]
  private let terminal: String
  private let window: String
  private let shell: pid_t
  private let home: Home

  /// - Parameters:
  ///   - command: for `sh -c`, with the environment of `home`.
  ///   - letters: the letters to type that are not on a US keyboard; at most twelve.
  init(_ command: String, in home: Home, size: Size = .standard, letters: Set<Character> = [])
    throws
  {
    self.home = home
    let path = home.path
    let display = try makePipe()
    defer { Glibc.close(display.reading) }
    // Without `-noreset`, the server would forget the keyboard when its first client, xkbcomp,
    // ends.
    server = try ChildProcess(
      Program.installed("Xvfb"),
      ["-displayfd", "1", "-screen", "0", "1280x1024x24", "-nolisten", "tcp", "-noreset"],
      environment: home.environment, directory: path, input: .null,
      output: .open(display.writing), errors: .null)
    Glibc.close(display.writing)
    let number = try Self.line(from: display.reading)
    // xdotool and xterm use the encoding of their locale; this locale always exists.
    environment = home.environment(with: ["DISPLAY": ":\(number)", "LC_ALL": "C.UTF-8"])
    try home.write(Self.keymap(with: letters), to: "keymap")
    let keymap = try Outcome.of(
      Program.installed("xkbcomp"), ["-w", "0", "keymap", ":\(number)"], environment: environment,
      directory: path)
    guard keymap.ending == .exited(0) else { throw Failure("xkbcomp: \(keymap)") }

    let printer = "cat >'\(path)/printing' && mv '\(path)/printing' '\(path)/printed'"
    let about =
      "echo $(tty) $WINDOWID $$ >'\(path)/starting' && mv '\(path)/starting' '\(path)/started'"
    xterm = try ChildProcess(
      Program.installed("xterm"),
      [
        "-tn", "xterm-256color", "-u8", "-fn", "fixed",
        "-geometry", "\(size.columns)x\(size.rows)+0+0",
        "-xrm", "*VT100.printerCommand: \(printer)",
        "-xrm", "*VT100.printerAutoClose: true",
        "-xrm", "*VT100.printAttributes: 0",
        "-xrm", "*VT100.allowWindowOps: true",
        "-e", "sh", "-c", "\(about); \(command)",
      ], environment: environment, directory: path, input: .null, output: .null, errors: .null)
    let words = try Self.contents(of: "started", in: home).split(whereSeparator: \.isWhitespace)
    guard words.count == 3, let shell = pid_t(words[2]) else { throw Failure("xterm: \(words)") }
    (terminal, window, self.shell) = (String(words[0]), String(words[1]), shell)
    // Without a window manager, the window does not get the keyboard focus by itself.
    try xdotool("windowfocus", "--sync", window)
  }

  deinit {
    xterm.stop()
    server.stop()
  }

  /// A US keyboard with further letters on keys that it does not use.
  ///
  /// Without them, xdotool would map a spare key to each missing letter while it types. If xterm
  /// read the map late, the key would already have the next letter, or none.
  private static func keymap(with letters: Set<Character>) -> String {
    let keys = letters.flatMap(\.unicodeScalars).enumerated().map { number, letter in
      "key <FK\(13 + number)> { [ U\(String(letter.value, radix: 16, uppercase: true)) ] };"
    }
    return """
      xkb_keymap {
        xkb_keycodes { include "evdev+aliases(qwerty)" };
        xkb_types { include "complete" };
        xkb_compatibility { include "complete" };
        xkb_symbols { include "pc+us" \(keys.joined(separator: " ")) };
      };

      """
  }

  /// Waits for the first line that is written to a pipe.
  private static func line(from descriptor: Int32, deadline: Deadline = Deadline()) throws -> String
  {
    var bytes: [UInt8] = []
    while !bytes.contains(UInt8(ascii: "\n")) {
      guard !deadline.hasPassed else { throw Failure(waitingFor: "the X server", seen: bytes) }
      waitForEvents([(descriptor, POLLIN)], milliseconds: deadline.milliseconds(atMost: 1000))
      guard readAvailable(descriptor, into: &bytes) else { throw Failure("Xvfb has ended") }
    }
    return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
  }

  /// Waits for a file, which appears with its whole contents, and deletes it.
  private static func contents(
    of name: String, in home: Home, deadline: Deadline = Deadline()
  ) throws -> String {
    while access("\(home.path)/\(name)", R_OK) != 0 {
      guard !deadline.hasPassed else { throw Failure("waited in vain for \(name)") }
      waitForEvents([], milliseconds: 10)
    }
    defer { unlink("\(home.path)/\(name)") }
    return try home.contents(of: name)
  }

  private func xdotool(_ arguments: String...) throws {
    let outcome = try Outcome.of(
      Program.installed("xdotool"), arguments, environment: environment, directory: home.path)
    guard outcome.ending == .exited(0) else { throw Failure("xdotool \(arguments): \(outcome)") }
  }

  // MARK: Keyboard

  func type(_ text: String) throws {
    // One call for each key: on a busy machine, some of the keys that follow each other quickly
    // do not arrive.
    for character in text {
      try xdotool("type", "--delay", "40", "--", String(character))
    }
  }

  /// Presses a key by its X name: `Return`, `ctrl+s`, `Next`.
  func press(_ key: String) throws {
    try xdotool("key", "--", key)
  }

  /// Clicks on a cell; buttons 4 and 5 are the wheel.
  ///
  /// - Parameters:
  ///   - row: counted from 0.
  ///   - column: counted from 0.
  func click(row: Int, column: Int, button: Int = 1, times: Int = 1) throws {
    // A cell of the font `fixed` has 6×13 pixels; the border of the window has two.
    let (x, y) = (2 + column * 6 + 3, 2 + row * 13 + 6)
    // The X server handles both in this order. With `--sync`, xdotool would wait for the pointer to
    // move, even if it is already there.
    try xdotool("mousemove", "--window", window, "\(x)", "\(y)")
    try xdotool("click", "--repeat", "\(times)", "--delay", "20", "\(button)")
  }

  // MARK: Window

  /// Writes text in the top left corner, as another program on the terminal would.
  func writeAtTopLeft(_ text: String) throws {
    try write("\u{1B}7\u{1B}[H\(text)\u{1B}8")
  }

  func resize(to size: Size) throws {
    try write("\u{1B}[8;\(size.rows);\(size.columns)t")
  }

  // MARK: Screen

  func screen() throws -> Screen {
    try write("\u{1B}[0i")
    let lines = try Self.contents(of: "printed", in: home).split(
      omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    return Screen(
      rows: lines.dropLast().map { line in
        String(line.reversed().drop { $0 == " " }.reversed())
      })
  }

  /// Waits until the screen satisfies `isThere`.
  func wait(
    for what: String, deadline: Deadline = Deadline(), _ isThere: (Screen) -> Bool
  ) throws {
    while true {
      let now = try screen()
      if isThere(now) { return }
      guard !deadline.hasPassed else {
        throw Failure("xterm: waited in vain for \(what); the screen:\n\(now)")
      }
      waitForEvents([], milliseconds: deadline.milliseconds(atMost: 50))
    }
  }

  /// Writes to the terminal while the program waits for keys: the sequence must not come between
  /// two parts of the program's output.
  private func write(_ sequence: String, deadline: Deadline = Deadline()) throws {
    while let state = ProcessState(pid: shell),
      let program = ProcessState(pid: state.foregroundGroup),
      program.isWorking || program.waitsForThread
    {
      guard !deadline.hasPassed else { throw Failure("the program in xterm does not wait") }
      waitForEvents([], milliseconds: 10)
    }
    guard let file = fopen(terminal, "w") else { throw Failure("cannot write to \(terminal)") }
    fputs(sequence, file)
    fclose(file)
  }
}
