import CPseudoTerminal
import Glibc
import TestSupport
import Testing

/// A terminal of a given size, drawn by a tmux server of the test's own.
///
///     let tmux = try Tmux(reader: ["2:255"], in: home, size: Size(40, 12))
///     try tmux.wait(for: "ayah 255") { $0.contains("255") }
///     try tmux.type("q")
///
/// Commands use tmux's control mode, in which tmux also reports output of the
/// program. The methods that wait use these reports.
final class Tmux {
  private let control: ChildProcess
  private let commands: Int32
  private let replies: Int32
  private var unread: [UInt8] = []
  private var server: Watched?
  private var pane: Watched?
  private var paneTerminal: Int32 = -1
  /// Retained: the directory has to exist as long as a program runs in it.
  private let home: Home

  /// A process that is not our child.
  private struct Watched {
    let pid: pid_t
    let descriptor: Int32
  }

  /// - Parameter command: for `sh -c`, with the environment of `home`.
  init(
    _ command: String, in home: Home, with changes: [String: String?] = [:], size: Size = .standard
  ) throws {
    self.home = home
    let program = try Program.installed("tmux")
    let socket = "\(home.path)/tmux-\(UInt32.random(in: 0 ... .max))"
    let configuration = "\(socket).conf"
    let options = """
      set -g default-terminal tmux-256color
      set -g default-shell /bin/sh
      set -g status off
      set -s escape-time 0
      set -g remain-on-exit on
      set -s exit-empty off

      """
    guard let file = fopen(configuration, "w") else {
      throw Failure("cannot write \(configuration)")
    }
    fputs(options, file)
    fclose(file)

    let environment = home.environment(with: changes)
    let base = ["-u", "-S", socket, "-f", configuration]
    let started = try Outcome.of(
      program,
      base + [
        "new-session", "-d", "-x", "\(size.columns)", "-y", "\(size.rows)", "-c", home.path,
        command,
      ], environment: environment, directory: home.path)
    guard started.ending == .exited(0) else { throw Failure("tmux: \(started)") }

    let input = try makePipe()
    let output = try makePipe()
    defer {
      Glibc.close(input.reading)
      Glibc.close(output.writing)
    }
    _ = fcntl(input.reading, F_SETFL, 0)
    commands = input.writing
    replies = output.reading
    control = try ChildProcess(
      program, base + ["-C", "attach-session", "-f", "ignore-size"], environment: environment,
      directory: home.path, input: .open(input.reading), output: .open(output.writing),
      errors: .open(output.writing))
    // tmux 3.3 crashes if this is in its configuration file.
    try self.command("set-option -g window-size manual")
    server = try watched("#{pid}")
    pane = try watched("#{pane_pid}")
    paneTerminal = open(try value(of: "#{pane_tty}"), O_RDONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
  }

  /// The reader as the terminal's only program.
  convenience init(
    reader arguments: [String] = [], in home: Home, with changes: [String: String?] = [:],
    size: Size = .standard
  ) throws {
    let words = try [Program.reader()] + arguments
    try self.init(
      "exec " + words.map(\.quoted).joined(separator: " "), in: home, with: changes, size: size)
  }

  /// Ends the server and what runs in it, and waits until they are gone.
  deinit {
    _ = "kill-server\n".withCString { write(commands, $0, strlen($0)) }
    for process in [server, pane].compactMap({ $0 }) {
      for signal in [SIGTERM, SIGKILL] {
        let events = waitForEvents([(process.descriptor, POLLIN)], milliseconds: 10_000)
        if events[0] != 0 { break }
        kill(process.pid, signal)
      }
      Glibc.close(process.descriptor)
    }
    for descriptor in [commands, replies, paneTerminal] where descriptor >= 0 {
      Glibc.close(descriptor)
    }
    control.stop()
  }

  private func watched(_ format: String) throws -> Watched {
    guard let pid = pid_t(try value(of: format)) else { throw Failure("tmux knows no \(format)") }
    return Watched(pid: pid, descriptor: pseudo_terminal_watch(pid))
  }

  // MARK: Keyboard

  /// Types text without normalising it.
  func type(_ text: String) throws {
    try command("send-keys -l -- \(text.quoted)")
  }

  /// Presses keys by tmux's names: `Enter`, `Escape`, `C-z`, `Up`. Waits after `Escape`: with a key
  /// that follows at once, it would be one key with Alt.
  func press(_ keys: String...) throws {
    try command("send-keys -- \(keys.map(\.quoted).joined(separator: " "))")
    if keys.last == "Escape" { _ = try settled() }
  }

  /// Pastes text as a terminal does, in brackets where the program asked for them.
  func paste(_ text: String) throws {
    // A command to tmux is one line; the pasted text may have several.
    try home.write(text, to: "pasted")
    try command("load-buffer \("\(home.path)/pasted".quoted)")
    try command("paste-buffer -p")
  }

  /// Resizes the window and waits until the program's terminal has the new size: tmux delays a
  /// resize that directly follows another.
  func resize(to size: Size, deadline: Deadline = Deadline()) throws {
    try command("resize-window -x \(size.columns) -y \(size.rows)")
    var told = winsize()
    while ioctl(paneTerminal, UInt(TIOCGWINSZ), &told) == 0,
      (Int(told.ws_col), Int(told.ws_row)) != (size.columns, size.rows)
    {
      guard !deadline.hasPassed else { throw Failure("tmux does not resize the terminal") }
      waitForEvents([], milliseconds: 10)
    }
  }

  // MARK: Screen

  func screen() throws -> Screen {
    Screen(rows: try command("capture-pane -p"))
  }

  /// The value of one of tmux's formats, as `#{alternate_on}`.
  func value(of format: String) throws -> String {
    try command("display-message -p \(format.quoted)").joined(separator: "\n")
  }

  var showsAlternateScreen: Bool { get throws { try value(of: "#{alternate_on}") == "1" } }
  var showsCursor: Bool { get throws { try value(of: "#{cursor_flag}") == "1" } }

  /// The exit status of the program, or nil while it runs. After a death by
  /// signal it is 128 plus the number of the signal, as in a shell.
  var exitStatus: Int? {
    get throws {
      guard try value(of: "#{pane_dead}") == "1" else { return nil }
      if let signal = Int(try value(of: "#{pane_dead_signal}")) { return 128 + signal }
      return Int(try value(of: "#{pane_dead_status}"))
    }
  }

  /// Waits for the program's end and expects the status 0.
  func expectEnd() throws {
    try wait(for: "the program's end") { _ in try exitStatus != nil }
    let status = try exitStatus
    let screen = try screen()
    #expect(status == 0, "the screen:\n\(screen)")
  }

  /// Waits until the screen satisfies `isThere`.
  @discardableResult
  func wait(
    for what: String, deadline: Deadline = Deadline(), _ isThere: (Screen) throws -> Bool
  ) throws -> Screen {
    while true {
      let now = try screen()
      if try isThere(now) { return now }
      guard !deadline.hasPassed else {
        throw Failure("waited in vain for \(what); the screen:\n\(now)")
      }
      waitForOutput(milliseconds: deadline.milliseconds(atMost: 100))
    }
  }

  /// Waits until the screen shows a text.
  @discardableResult
  func wait(for text: String) throws -> Screen {
    try wait(for: "“\(text)”") { $0.contains(text) }
  }

  /// Waits until the program has read every key and waits for the next, and tmux has drawn what
  /// the program wrote: until several captures of the screen in a row are the same.
  ///
  /// - Returns: The screen.
  func settled(deadline: Deadline = Deadline()) throws -> Screen {
    var last: [String] = []
    var count = 0
    while true {
      let waits = pseudo_terminal_unread(paneTerminal) <= 0 && programWaits
      // The captures include colours: a change of the theme changes nothing else.
      let now = try command("capture-pane -p -e")
      count = waits && now == last ? count + 1 : 0
      if count == Self.looks { return try screen() }
      guard !deadline.hasPassed else {
        throw Failure("the screen does not settle:\n\(try screen())")
      }
      last = now
      waitForOutput(milliseconds: deadline.milliseconds(atMost: 20))
    }
  }

  /// How many captures in a row must equal the one before. More than one: a key may still be on its
  /// way to the program, which may also wait while another of its threads works.
  private static let looks = 4

  /// Quits the reader, wherever it is, and waits until it has given the terminal back.
  func quitReader() throws {
    // One key: a second one could reach the shell, or make the reader quit without saving.
    if try showsAlternateScreen { try press("C-c") }
    try wait(for: "the main screen") { _ in try !showsAlternateScreen }
  }

  /// Quits the reader, and expects the status 0.
  func close() throws {
    try quitReader()
    try expectEnd()
  }

  /// The program in the foreground: the pane's own, or one that its shell has started.
  func foregroundProcess() throws -> pid_t {
    guard let pane, let state = ProcessState(pid: pane.pid) else { throw Failure("no program") }
    return state.foregroundGroup
  }

  /// Whether the program in the foreground waits for keys, a timeout or another program.
  private var programWaits: Bool {
    guard let pid = try? foregroundProcess(), let state = ProcessState(pid: pid) else {
      return true
    }
    return !state.isWorking && !state.waitsForThread
  }

  // MARK: Control mode

  /// Runs a tmux command.
  ///
  /// - Returns: the lines it printed.
  @discardableResult
  func command(_ text: String) throws -> [String] {
    let line = Array("\(text)\n".utf8)
    guard write(commands, line, line.count) == line.count else { throw Failure("tmux is gone") }
    let deadline = Deadline()
    var reply: [String]?
    while true {
      let line = try nextLine(deadline)
      if reply == nil {
        // The last field is 1 for replies to commands of this client.
        if line.hasPrefix("%begin "), line.hasSuffix(" 1") { reply = [] }
      } else if line.hasPrefix("%end ") {
        return reply!
      } else if line.hasPrefix("%error ") {
        throw Failure("tmux \(text): \(reply!.joined(separator: " "))")
      } else {
        reply!.append(line)
      }
    }
  }

  private func nextLine(_ deadline: Deadline) throws -> String {
    while true {
      if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
        defer { unread.removeFirst(end + 1) }
        return String(decoding: unread[..<end], as: UTF8.self)
      }
      guard !deadline.hasPassed else { throw Failure(waitingFor: "tmux to answer", seen: unread) }
      waitForEvents([(replies, POLLIN)], milliseconds: deadline.milliseconds(atMost: 1000))
      guard readAvailable(replies, into: &unread) else { throw Failure("tmux has ended") }
    }
  }

  /// Waits until tmux reports output of the program, or the time is over.
  private func waitForOutput(milliseconds: Int32) {
    waitForEvents([(replies, POLLIN)], milliseconds: milliseconds)
    _ = readAvailable(replies, into: &unread)
    // The reports are discarded: the next capture shows the output. An incomplete line is kept.
    if let end = unread.lastIndex(of: UInt8(ascii: "\n")) { unread.removeFirst(end + 1) }
  }
}

extension StringProtocol {
  /// Whether it holds exactly these code points: for a String's `contains`,
  /// composed and decomposed text are the same.
  func shows(_ text: String) -> Bool { Array(utf8)[...].contains(Array(text.utf8)) }
}

extension String {
  /// Quoted as one word, both for a shell and for tmux.
  var quoted: String { "'" + replacing("'", with: "'\\''") + "'" }
}
