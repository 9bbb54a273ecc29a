import Glibc
import RecordServer

/// Questions to the user at the terminal.
enum Prompt {
  private static var isTerminal: Bool { isatty(STDIN_FILENO) == 1 }

  /// Asks for confirmation before a change that cannot be undone.
  ///
  /// - Parameter isGiven: whether `--yes` has confirmed the change, so that nothing is asked.
  /// - Throws: a `ServiceCommandFailure` if the user does not confirm.
  static func confirm(_ question: String, isGiven: Bool) throws(ServiceCommandFailure) {
    guard !isGiven else { return }
    guard isTerminal else {
      throw ServiceCommandFailure(.refused, CommandMessages.noTerminal(for: question))
    }
    Output.ask(CommandMessages.confirmation(question))
    guard let answer = readLine(), ["y", "yes"].contains(answer.lowercased()) else {
      throw ServiceCommandFailure(.refused, CommandMessages.nothingChanged)
    }
  }

  /// Returns a new password: typed twice at the terminal, or the first line of standard input if
  /// that is not a terminal.
  static func newPassword(for name: String) throws(ServiceCommandFailure) -> String {
    guard isTerminal else {
      guard let line = readLine() else {
        throw ServiceCommandFailure(.usage, CommandMessages.noPassword)
      }
      return line
    }
    let password = try hidden(CommandMessages.newPassword(for: name))
    guard try hidden(CommandMessages.repeatPassword) == password else {
      throw ServiceCommandFailure(.refused, CommandMessages.passwordsDiffer)
    }
    return password
  }

  /// Reads a line without showing it. Ctrl-C ends the line and then the command, so that the
  /// terminal's settings are always restored.
  private static func hidden(_ question: String) throws(ServiceCommandFailure) -> String {
    let interruption: UInt8 = 3
    var settings = termios()
    guard tcgetattr(STDIN_FILENO, &settings) == 0 else {
      throw ServiceCommandFailure(.refused, CommandMessages.passwordNotHidden)
    }
    let former = settings
    settings.c_lflag &= ~tcflag_t(ECHO | ISIG)
    // Ctrl-C ends the line like a line feed, so that `read` returns it.
    withUnsafeMutableBytes(of: &settings.c_cc) { $0[Int(VEOL)] = interruption }
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
    defer {
      var former = former
      tcsetattr(STDIN_FILENO, TCSAFLUSH, &former)
      Output.note("")
    }
    Output.ask(question)
    // Read single bytes: characters after the line feed belong to the next question.
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while read(STDIN_FILENO, &byte, 1) == 1, byte != UInt8(ascii: "\n"), byte != interruption {
      line.append(byte)
    }
    guard byte == UInt8(ascii: "\n") else {
      throw ServiceCommandFailure(.refused, CommandMessages.nothingChanged)
    }
    return String(decoding: line, as: UTF8.self)
  }
}
