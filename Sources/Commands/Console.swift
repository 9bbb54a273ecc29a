import FoundationEssentials
import Glibc
public import Messages
import Text

/// The output of a command: standard output, or a buffer in tests.
///
/// `sanitizedLine` is applied to all text that `line` and `lines` write, so that callers do not
/// have to do this for text from outside the program. It is also applied if the output is a pipe or
/// a file. On a terminal, lines break between words at its edge.
public struct Console {
  /// Whether the output is a terminal.
  public let isTerminal: Bool
  /// The number of columns of the terminal, or 80 if the output is not a terminal.
  public let columns: Int
  /// Returns the control strings around matched words, or nil if they are not highlighted.
  private let bold: () -> (begin: String, end: String)?
  private let sink: (String) throws(CommandFailure) -> Void

  /// Creates a console that writes to `sink`.
  ///
  /// - Parameters:
  ///   - isTerminal: Whether the output is a terminal.
  ///   - columns: The number of columns of the terminal.
  ///   - bold: Returns the control strings that begin and end bold text, or nil if the terminal
  ///     has none. Called when there is text to highlight.
  ///   - sink: Called with each string to write.
  public init(
    isTerminal: Bool, columns: Int = 80,
    bold: @escaping () -> (begin: String, end: String)? = { nil },
    sink: @escaping (String) throws(CommandFailure) -> Void
  ) {
    self.isTerminal = isTerminal
    self.columns = columns
    self.bold = bold
    self.sink = sink
  }

  /// Returns the console of standard output. As usual for a filter, SIGPIPE ends the process if the
  /// reading end of a pipe is closed.
  ///
  /// - Parameters:
  ///   - messages: The language of error messages.
  ///   - bold: Returns the control strings that begin and end bold text, or nil if the terminal
  ///     has none.
  public static func standard(
    messages: Messages, bold: @escaping () -> (begin: String, end: String)?
  ) -> Console {
    let isTerminal = isatty(STDOUT_FILENO) == 1
    var window = winsize()
    let isSized = isTerminal && ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &window) == 0
    return Console(
      isTerminal: isTerminal, columns: isSized && window.ws_col > 0 ? Int(window.ws_col) : 80,
      bold: isTerminal ? bold : { nil }
    ) { text throws(CommandFailure) in
      try write(text, to: STDOUT_FILENO, messages)
    }
  }

  /// Writes a whole string. Waits for space if another process has made the output non-blocking.
  ///
  /// - Throws: Status 3 if writing fails.
  static func write(_ text: String, to output: Int32, _ messages: Messages) throws(CommandFailure) {
    do {
      try FileDescriptors.write(text.utf8, to: output)
    } catch {
      throw CommandFailure(.badData, messages.notWritten(error.code))
    }
  }

  /// Writes text as one line; see `String.sanitizedLine`.
  public func line(_ text: String) throws(CommandFailure) {
    try lines([text])
  }

  /// Writes several lines with a single write.
  func lines(_ texts: [String]) throws(CommandFailure) {
    try sink(texts.map { wrapped($0.sanitizedLine) + "\n" }.joined())
  }

  private func wrapped(_ line: String) -> String {
    guard isTerminal else { return line }
    var rest = line.startIndex
    var lines = ""
    for position in line.lineBreaks(width: columns) {
      lines += line[rest..<position] + "\n"
      rest = line.index(after: position)
    }
    return lines + line[rest...]
  }

  /// Writes trusted text without any conversion.
  public func verbatim(_ text: String) throws(CommandFailure) {
    try sink(text)
  }

  /// Writes one line, with the matches in the text in bold if the terminal supports it.
  func line(
    _ start: String, _ text: String, marking matches: (String) -> [Range<String.Index>]
  ) throws(CommandFailure) {
    let start = start.sanitizedLine
    let text = text.sanitizedLine
    guard let bold = bold() else { return try line(start + text) }
    // The control strings, by the UTF-8 offset in `whole` at which they are inserted.
    let whole = start + text
    var controls: [Int: String] = [:]
    var end = text.startIndex
    for range in matches(text) where range.lowerBound >= end && !range.isEmpty {
      func offset(_ index: String.Index) -> Int {
        start.utf8.count + text.utf8.distance(from: text.startIndex, to: index)
      }
      controls[offset(range.lowerBound), default: ""] += bold.begin
      controls[offset(range.upperBound), default: ""] += bold.end
      end = range.upperBound
    }
    let breaks = Set(isTerminal ? whole.lineBreaks(width: columns) : [])
    var line = ""
    for index in whole.indices {
      line += controls[whole.utf8.distance(from: whole.startIndex, to: index)] ?? ""
      line += breaks.contains(index) ? "\n" : String(whole[index])
    }
    try sink(line + (controls[whole.utf8.count] ?? "") + "\n")
  }

  /// Writes values as a JSON array with sorted keys. Control characters are escaped.
  func json(_ values: [some Encodable]) throws(CommandFailure) {
    try sink(values.isEmpty ? "[]\n" : Self.encode(values) + "\n")
  }

  /// Writes a single value as JSON in the same format.
  func json(object value: some Encodable) throws(CommandFailure) {
    try sink(Self.encode(value) + "\n")
  }

  /// Writes a JSON array in the same format, one element at a time, so that the elements do not
  /// have to fit into memory.
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
      // Encoding fails only for numbers that are not finite, which no output has.
      preconditionFailure("\(error)")
    }
  }
}
