import Glibc

/// What is asked of whoever sits at the terminal.
enum Prompt {
  private static var isTerminal: Bool { isatty(STDIN_FILENO) == 1 }

  /// Asks before something is done that cannot be taken back.
  ///
  /// - Parameter isGiven: by `--yes`; nobody is asked then.
  /// - Throws: unless the answer is yes.
  static func confirm(_ question: String, isGiven: Bool) throws(CommandFailure) {
    guard !isGiven else { return }
    guard isTerminal else {
      throw CommandFailure(
        .refused, "\(question) Nobody can be asked here, so nothing was changed; say --yes.")
    }
    Output.ask("\(question) [y/N]")
    guard let answer = readLine(), ["y", "yes"].contains(answer.lowercased()) else {
      throw CommandFailure(.refused, "Nothing was changed.")
    }
  }

  /// A password: typed twice where there is a terminal, else the first line of the input.
  static func newPassword(for name: String) throws(CommandFailure) -> String {
    guard isTerminal else {
      guard let line = readLine() else {
        throw CommandFailure(.usage, "There is no password; type one, or pipe a line in.")
      }
      return line
    }
    let password = try hidden("New password for \(name):")
    guard try hidden("Once more:") == password else {
      throw CommandFailure(.refused, "The two passwords differ; nothing was changed. Try again.")
    }
    return password
  }

  /// Reads a line that is not shown. Ctrl-c ends the line and the command, rather than
  /// leaving the terminal as it is meanwhile.
  private static func hidden(_ question: String) throws(CommandFailure) -> String {
    let interruption: UInt8 = 3
    var settings = termios()
    guard tcgetattr(STDIN_FILENO, &settings) == 0 else {
      throw CommandFailure(.refused, "The terminal cannot hide a password; pipe a line in.")
    }
    let former = settings
    settings.c_lflag &= ~tcflag_t(ECHO | ISIG)
    withUnsafeMutableBytes(of: &settings.c_cc) { $0[Int(VEOL)] = interruption }
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
    defer {
      var former = former
      tcsetattr(STDIN_FILENO, TCSAFLUSH, &former)
      Output.note("")
    }
    Output.ask(question)
    // What comes after such a line belongs to the next question, so nothing is read ahead.
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while read(STDIN_FILENO, &byte, 1) == 1, byte != UInt8(ascii: "\n"), byte != interruption {
      line.append(byte)
    }
    guard byte == UInt8(ascii: "\n") else {
      throw CommandFailure(.refused, "Nothing was changed.")
    }
    return String(decoding: line, as: UTF8.self)
  }
}
