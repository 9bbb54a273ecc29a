import FoundationEssentials
import Glibc
public import Messages
import Text

/// Where a command's output goes: standard output, or a test's buffer.
///
/// Text from outside the program reaches it only through `displayableLine`, on a
/// terminal and in a pipe alike; what a line is given needs no such care.
public struct Console {
  /// Whether people look at the output.
  public let isTerminal: Bool
  /// Columns of the terminal; 80 where there is none.
  public let columns: Int
  /// Whether words found may be marked.
  public let hasStyles: Bool
  private let sink: (String) throws(CommandFailure) -> Void

  public init(
    isTerminal: Bool, columns: Int = 80, hasStyles: Bool = false,
    sink: @escaping (String) throws(CommandFailure) -> Void
  ) {
    self.isTerminal = isTerminal
    self.columns = columns
    self.hasStyles = hasStyles
    self.sink = sink
  }

  /// Standard output. A reader that goes away ends the writing, as in any filter.
  public static func standard(environment: [String: String], messages: Messages) -> Console {
    let isTerminal = isatty(STDOUT_FILENO) == 1
    var window = winsize()
    let isSized = isTerminal && ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &window) == 0
    let term = environment["TERM"] ?? ""
    return Console(
      isTerminal: isTerminal, columns: isSized && window.ws_col > 0 ? Int(window.ws_col) : 80,
      hasStyles: isTerminal && !["", "dumb"].contains(term)
        && environment["NO_COLOR"]?.isEmpty != false
    ) { text throws(CommandFailure) in
      try write(text, to: STDOUT_FILENO, messages)
    }
  }

  /// Writes all of a text, and waits where another process made the output non-blocking.
  ///
  /// - Throws: status 3 where it cannot be written.
  static func write(_ text: String, to output: Int32, _ messages: Messages) throws(CommandFailure) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(output, $0.baseAddress, $0.count) }
      if count >= 0 {
        bytes = bytes.dropFirst(count)
      } else if errno == EAGAIN {
        var room = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
        poll(&room, 1, -1)
      } else if errno != EINTR {
        throw CommandFailure(.badData, messages.notWritten(errno))
      }
    }
  }

  /// Writes text as one line.
  public func line(_ text: String) throws(CommandFailure) {
    try lines([text])
  }

  /// Writes texts, a line each, at once.
  func lines(_ texts: [String]) throws(CommandFailure) {
    try sink(texts.map { $0.displayableLine + "\n" }.joined())
  }

  /// Writes text of the program's own as it stands.
  public func verbatim(_ text: String) throws(CommandFailure) {
    try sink(text)
  }

  /// Writes one line, what matches in the text in bold where the terminal shows that.
  func line(
    _ start: String, _ text: String, marking matches: (String) -> [Range<String.Index>]
  ) throws(CommandFailure) {
    let text = text.displayableLine
    var line = start.displayableLine
    var position = text.startIndex
    for range in hasStyles ? matches(text) : [] where range.lowerBound >= position {
      line += text[position..<range.lowerBound] + "\u{1B}[1m" + text[range] + "\u{1B}[22m"
      position = range.upperBound
    }
    try sink(line + text[position...] + "\n")
  }

  /// Writes values as a JSON list, their keys in order, with escapes for what a
  /// terminal would act on.
  func json(_ values: [some Encodable]) throws(CommandFailure) {
    try sink(values.isEmpty ? "[]\n" : Self.encode(values) + "\n")
  }

  /// Writes one value as JSON, likewise.
  func json(object value: some Encodable) throws(CommandFailure) {
    try sink(Self.encode(value) + "\n")
  }

  /// Writes values as `json` does, but each as it comes: there may be more than fit into
  /// memory.
  func jsonList<Value: Encodable>(
    _ body: (_ write: (Value) throws(CommandFailure) -> Void) throws(CommandFailure) -> Void
  ) throws(CommandFailure) {
    var isEmpty = true
    try body { value throws(CommandFailure) in
      let text = Self.encode(value).replacing("\n", with: "\n  ")
      try sink((isEmpty ? "[\n  " : ",\n  ") + text)
      isEmpty = false
    }
    try sink(isEmpty ? "[]\n" : "\n]\n")
  }

  private static func encode(_ value: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    do {
      return String(decoding: try encoder.encode(value), as: UTF8.self).escapingControls
    } catch {
      // Only a number that is not finite cannot be encoded.
      preconditionFailure("\(error)")
    }
  }
}
