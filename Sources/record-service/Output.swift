import FoundationEssentials
import Glibc
import RecordServer
import Text

/// The output of the commands. Control characters in stored data are removed or escaped, so that
/// the terminal does not interpret them.
enum Output {
  /// Writes a line to standard output.
  static func line(_ text: String) throws(ServiceCommandFailure) {
    try verbatim(text.sanitizedLine + "\n")
  }

  /// Writes rows on standard output: as JSON, or as a table with a heading. The last column is not
  /// padded.
  ///
  /// - Parameters:
  ///   - sentence: the note that is written in place of a table without rows.
  ///   - heading: the names of the columns.
  ///   - cells: the cells of a row in the table.
  static func list<Row: Encodable>(
    _ rows: [Row], asJSON: Bool, ifEmpty sentence: String, _ heading: [String],
    _ cells: (Row) -> [String]
  ) throws(ServiceCommandFailure) {
    if asJSON { return try json(rows) }
    if rows.isEmpty { return note(sentence) }
    let rows = ([heading] + rows.map(cells)).map { $0.map(\.sanitizedLine) }
    let widths = heading.indices.map { column in rows.map { $0[column].columns }.max() ?? 0 }
    let lines = rows.map { row in
      let line = row.indices.dropLast().map { column in
        row[column] + String(repeating: " ", count: widths[column] - row[column].columns + 2)
      }.joined()
      return line + (row.last ?? "") + "\n"
    }
    try verbatim(lines.joined())
  }

  /// Writes values as a JSON array with sorted keys on standard output. Control characters are
  /// escaped.
  static func json(_ values: [some Encodable]) throws(ServiceCommandFailure) {
    guard !values.isEmpty else { return try verbatim("[]\n") }
    try encode(values, .prettyPrinted)
  }

  /// Writes a value as one line of JSON with sorted keys on standard output. Control characters are
  /// escaped.
  static func jsonLine(_ value: some Encodable) throws(ServiceCommandFailure) {
    try encode(value, [])
  }

  private static func encode(
    _ value: some Encodable, _ formatting: JSONEncoder.OutputFormatting
  ) throws(ServiceCommandFailure) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [formatting, .sortedKeys, .withoutEscapingSlashes]
    let text: String
    do {
      text = String(decoding: try encoder.encode(value), as: UTF8.self)
    } catch {
      throw ServiceCommandFailure(error)
    }
    try verbatim(text.escapingControls + "\n")
  }

  /// Writes a string to standard output without changes.
  static func verbatim(_ text: String) throws(ServiceCommandFailure) {
    guard write(text, to: STDOUT_FILENO) else {
      throw ServiceCommandFailure(.badData, CommandMessages.cannotWriteOutput(code: errno))
    }
  }

  /// Writes a message for the user to standard error, so that it is not part of piped output.
  static func note(_ sentence: String) {
    _ = write(sentence.sanitizedLine + "\n", to: STDERR_FILENO)
  }

  /// Writes a failure to standard error.
  ///
  /// - Parameter sentences: one or more lines.
  static func warn(_ sentences: String) {
    _ = write("record-service: \(sentences)".sanitizedForTerminal + "\n", to: STDERR_FILENO)
  }

  /// Writes a question to standard error, without a line feed.
  static func ask(_ question: String) {
    _ = write(question.sanitizedLine + " ", to: STDERR_FILENO)
  }

  /// Writes a line to standard error, without a line feed, in the place of another one.
  ///
  /// - Parameters:
  ///   - line: empty to erase the other one.
  ///   - former: the line that is shown now.
  static func replace(_ former: String, by line: String) {
    let line = line.sanitizedLine
    let rest = String(repeating: " ", count: max(former.sanitizedLine.columns - line.columns, 0))
    _ = write("\r\(line)\(rest)\(line.isEmpty ? "\r" : "")", to: STDERR_FILENO)
  }

  private static func write(_ text: String, to descriptor: Int32) -> Bool {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 {
        bytes = bytes.dropFirst(count)
      } else if errno == EAGAIN {
        var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&room, 1, -1)
      } else if errno != EINTR {
        return false
      }
    }
    return true
  }
}
