import Editions
import Messages
import Quran
import Terminal
import Text

extension Model {
  mutating func handleGoTo(_ key: Key, _ field: TextField) {
    var field = field
    let action = KeyContext.goToPrompt.action(for: key)
    switch action {
    case .submit:
      overlay = nil
      remember(field.text, in: .goTo)
      goTo(field.text, reopen: .goTo(field))
    case .closeIfEmpty where field.isEmpty:
      overlay = nil
    case .up, .down:
      if let line = recall(action, in: .goTo, field) { overlay = .goTo(line) }
    default:
      if field.handle(key) { overlay = .goTo(field) }
    }
  }

  /// Opens the ayah that a string names, such as `2:255`, or reports an error and opens the prompt
  /// again.
  mutating func goTo(_ text: String, reopen prompt: Overlay) {
    // `gg` goes to the start, as in vi.
    if text.allSatisfy(\.isWhitespace) || text == "g" {
      _ = perform(.first)
      return
    }
    do {
      let reference = try QuranReference(parsing: withSurah(text))
      search.highlighted = nil
      open(reference.ayahs.lowerBound)
    } catch {
      overlay = prompt
      showError(messages.explain(error))
    }
  }

  /// Adds the surah under the cursor to a typed text that is the number of an ayah: a number after
  /// a colon, or one that no surah has. Returns any other text unchanged.
  private func withSurah(_ text: String) -> String {
    let words = text.split(separator: " ")
    guard hasOpenedAyah, words.count == 1, let word = words.first else { return text }
    let number = word.hasPrefix(":") ? word.dropFirst() : word
    guard !number.isEmpty, number.allSatisfy(\.isNumber),
      word.hasPrefix(":") || (Int(number).map { $0 > SurahNumber.count } ?? false)
    else { return text }
    return "\(position.cursor.surah):\(number)"
  }

  /// Draws the prompt on the last row, with the ayah that it would open at the right.
  func drawGoTo(_ field: TextField, on canvas: inout Canvas, _ geometry: Geometry) {
    let row = geometry.status
    // An error is shown above the prompt until the next key.
    if let message { draw(message, on: &canvas, lastRow: row - 1) }
    canvas.fill(row: row, columns: 0..<size.columns, style: theme[.text])
    var right = messages.goToHint
    if !field.isEmpty {
      right = field.text == "g" ? "→ \(messages.actFirst)" : ""
      if let ayah = (try? QuranReference(parsing: withSurah(field.text)))?.ayahs.lowerBound {
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
