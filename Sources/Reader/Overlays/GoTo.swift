import Editions
import Messages
import Quran
import Terminal
import Text

extension Model {
  mutating func goTo(_ key: Key, _ field: TextField) {
    var field = field
    switch keys.action(for: key, in: .prompt) {
    case .submit:
      overlay = nil
      goTo(field.text, reopen: .goTo(field))
    case .closeIfEmpty where field.isEmpty:
      overlay = nil
    default:
      if field.handle(key) { overlay = .goTo(field) }
    }
  }

  /// Goes where the text says, or says why not and leaves the prompt open.
  mutating func goTo(_ text: String, reopen prompt: Overlay) {
    if text.allSatisfy(\.isWhitespace) {
      _ = perform(.first)
      return
    }
    do {
      let reference = try Reference(parsing: text)
      marked = nil
      open(reference.ayahs.lowerBound)
    } catch {
      overlay = prompt
      complain(messages.explain(error))
    }
  }

  /// The prompt on the last row, and at its right where it would lead.
  func drawGoTo(_ field: TextField, on canvas: inout Canvas, _ geometry: Geometry) {
    let row = geometry.status
    // An error stays in the row above until the next key.
    if let message { draw(message, on: &canvas, lastRow: row - 1) }
    canvas.fill(row: row, columns: 0..<size.columns, style: theme[.text])
    var right = messages.goToHint
    if !field.isEmpty {
      right = ""
      if let ayah = (try? Reference(parsing: field.text))?.ayahs.lowerBound {
        right = "→ \(ayah) \(ayah.surah.surah.names)"
      }
    }
    let typed = messages.goToPrompt.columns + (field.head + field.tail).columns
    right = right.fitted(to: max(statusWidth - typed - 6, 0))
    if right.columns > 4 {
      canvas.put(
        right, row: row, column: statusWidth - right.columns - 1, style: theme[.faint])
    }
    drawField(
      field, prompt: messages.goToPrompt, on: &canvas, row: row, column: 1,
      width: statusWidth - 2 - (right.columns > 4 ? right.columns + 1 : 0), showsCursor: true)
  }
}
