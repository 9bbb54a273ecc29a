import Messages
import Terminal
import Text

// The message line.
extension Model {
  struct Message: Hashable {
    var text: String
    var isError = false
  }

  mutating func say(_ text: String) { message = Message(text: text) }

  /// Says that a key does nothing here.
  mutating func sayUnbound(_ key: Key, help: String) {
    say(messages.unboundKey("\(key)".displayableLine, help: help))
  }

  mutating func complain(_ text: String) { message = Message(text: text, isError: true) }

  /// A message at the bottom; one too long for a row takes up to four.
  func draw(_ message: Message, on canvas: inout Canvas, lastRow: Int) {
    var lines = Array(wrapped(message.text, width: size.columns - 2).prefix(3))
    // The corner keeps its place: where it is in the way, the text stands above it.
    if lastRow == size.rows - 1, let last = lines.last, last.columns > statusWidth - 2 {
      lines.append("")
    }
    for (line, text) in lines.enumerated() {
      let row = lastRow - lines.count + 1 + line
      canvas.fill(row: row, columns: 0..<size.columns, style: theme[.text])
      canvas.put(
        text, row: row, column: 1, style: theme[message.isError ? .error : .message])
    }
  }
}
