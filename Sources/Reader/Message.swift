import Messages
import Terminal
import Text

struct Message: Hashable {
  var text: String
  var isError = false
}

// The message line.
extension Model {
  mutating func showMessage(_ text: String) { message = Message(text: text) }

  /// Reports that a key does nothing here.
  mutating func showUnboundKey(_ key: Key, help: String) {
    showMessage(messages.unboundKey("\(key)".sanitizedLine, help: help))
  }

  mutating func showError(_ text: String) { message = Message(text: text, isError: true) }

  /// Draws a message that ends at a row of the screen. A long message takes up to three rows; the
  /// rest is cut.
  func draw(_ message: Message, on canvas: inout Canvas, lastRow: Int) {
    var lines = Array(wrapped(message.text, width: size.columns - 2).prefix(3))
    // A message that would cover the corner of the last row is shown one row higher.
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
