import Messages
import Quran
import Terminal
import Text

struct Message: Hashable {
  var text: String
  var isError = false
}

// The message line.
extension Model {
  mutating func showMessage(_ text: String) { message = Message(text: text) }

  /// Reports that a key does nothing here, and names the key of the help, unless a note is written.
  mutating func showUnboundKey(_ key: Key) {
    let help = editor == nil ? self.key(.help) : nil
    showMessage(messages.unboundKey("\(key)".sanitizedLine, help: help))
  }

  mutating func showError(_ text: String) { message = Message(text: text, isError: true) }

  /// Draws a message that ends at a row of the screen. A long message takes up to three rows; the
  /// rest is cut.
  func draw(_ message: Message, on canvas: inout Canvas, lastRow: Int) {
    let lines = lines(of: message, lastRow: lastRow)
    for (line, text) in lines.enumerated() {
      let row = lastRow - lines.count + 1 + line
      canvas.fill(row: row, columns: 0..<size.columns, style: theme[.text])
      canvas.put(
        text, row: row, column: 1, style: theme[message.isError ? .error : .message])
    }
  }

  private func lines(of message: Message, lastRow: Int) -> [String] {
    var lines = Array(wrapped(message.text, width: size.columns - 2).prefix(3))
    // A message that would cover the corner of the last row is shown one row higher.
    if lastRow == size.rows - 1, let last = lines.last, last.columns > statusWidth - 2 {
      lines.append("")
    }
    return lines
  }

  /// The last row of the current message: that of the screen or, if the message would cover the
  /// beginning of the ayah under the cursor there, the one with which it begins at the top of the
  /// text.
  func lastRow(of message: Message, _ geometry: Geometry) -> Int {
    guard pane == .text, overlay == nil, editor == nil, let area = geometry.text else {
      return geometry.status
    }
    let height = lines(of: message, lastRow: geometry.status).count
    guard height > 1 else { return geometry.status }
    let cursor = pager.page(from: position.top).firstIndex { _, row in
      row.segments.contains { $0.isOfAyah && $0.ayah == position.cursor.index }
    }
    let isCovered = cursor.map { area.row + $0 > geometry.status - height } ?? false
    return isCovered && cursor ?? 0 >= height ? area.row + height - 1 : geometry.status
  }
}
