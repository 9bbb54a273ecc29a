import Library
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
  mutating func showMessage(_ text: String) { show(Message(text: text)) }

  /// Reports that a key does nothing here. Also names the key of the help, unless a note is being
  /// written. The key that saves a note is reported only if a note is unfinished: otherwise all is
  /// saved.
  mutating func showUnboundKey(_ key: Key) {
    guard KeyContext.editor.action(for: key) != .save || !libraryState.shown.drafts.isEmpty
    else { return }
    let help = editor == nil ? self.key(.help) : nil
    showMessage(messages.unboundKey("\(key)".sanitizedLine, help: help))
  }

  mutating func showError(_ text: String) { show(Message(text: text, isError: true)) }

  /// Shows a message, which can replace the offer of a draft.
  private mutating func show(_ message: Message) {
    self.message = message
    drafts.isOffered = false
  }

  /// Draws a message above and in the given last row. A message takes at most three rows, and an
  /// error at most half of the screen. A longer text is cut and ends with `…`.
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
    let width = size.columns - 2
    // Rows do not end at no-break spaces, which are drawn as spaces.
    let whole = wrapped(message.text, width: width).map { $0.replacing("\u{A0}", with: " ") }
    var lines = Array(whole.prefix(message.isError ? max(3, size.rows / 2) : 3))
    if lines.count < whole.count, let last = lines.popLast() {
      lines.append("\(last) …".fitted(to: width))
    }
    // A message that would cover the corner of the last row is shown one row higher.
    if lastRow == size.rows - 1, let last = lines.last, last.columns > statusWidth - 2 {
      lines.append("")
    }
    return lines
  }

  /// Returns the row of the screen in which a message ends.
  ///
  /// A message is shown at the bottom of the screen. It is shown at the top of the page instead if
  /// it would otherwise cover the words of the hit that was opened last or, if these words are not
  /// on the page, the beginning of the ayah under the cursor.
  func lastRow(of message: Message, _ geometry: Geometry) -> Int {
    guard pane == .text, overlay == nil, editor == nil, let area = geometry.text else {
      return geometry.status
    }
    let heightBelow = lines(of: message, lastRow: geometry.status).count
    guard heightBelow > 1 else { return geometry.status }
    // At the top, no row is left free for the corner.
    let heightAbove = lines(of: message, lastRow: area.row).count
    let page = pager.page(from: position.top)
    let block = typesetter.block(of: position.cursor)
    let matches = rowsOfOpenedMatches.map { rows in
      page.indices.filter { page[$0].anchor.block == block && rows.contains(page[$0].anchor.row) }
    }
    let beginning = page.firstIndex { _, row in
      row.contains { $0.isOfAyah && $0.ayah == position.cursor.index }
    }
    // The words may have been scrolled off the page.
    guard let first = matches?.first ?? beginning, let last = matches?.last ?? beginning else {
      return geometry.status
    }
    let isCovered = area.row + last > geometry.status - heightBelow
    return isCovered && first >= heightAbove ? area.row + heightAbove - 1 : geometry.status
  }
}
