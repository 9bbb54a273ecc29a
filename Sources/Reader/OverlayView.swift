import Editions
import Quran
import Terminal
import Text
import Words

extension Model {
  func drawOverlay(on canvas: inout Canvas, _ geometry: Geometry) {
    switch overlay {
    case nil, .filter: break
    case .goTo(let field): drawGoTo(field, on: &canvas, geometry)
    case .command(let field, let choices): drawCommand(field, choices, on: &canvas, geometry)
    case .palette(let field, let state):
      let actions = paletteActions(field.text)
      drawActions(
        actions, state, title: words.paletteTitle, field: field, on: &canvas)
    case .menu(let state):
      drawActions(
        Self.menuActions, state, title: "\(words.menuTitle) · \(reading.cursor)", field: nil,
        on: &canvas)
    case .help(let top): drawHelp(top, on: &canvas)
    }
  }

  /// The prompt on the last row, and at its right where it would lead.
  private func drawGoTo(_ field: TextField, on canvas: inout Canvas, _ geometry: Geometry) {
    let row = geometry.status
    // An error stays in the row above until the next key.
    if let message { draw(message, on: &canvas, lastRow: row - 1) }
    canvas.fill(row: row, columns: 0..<size.columns, style: theme[.text])
    var right = words.goToHint
    if !field.isEmpty {
      right = ""
      if let ayah = (try? Reference(parsing: field.text))?.ayahs.lowerBound {
        let surah = ayah.surah.surah
        right = "→ \(ayah) \(surah.transliteration) · \(surah.vietnameseName)"
      }
    }
    let typed = words.goToPrompt.columns + (field.head + field.tail).columns
    right = right.fitted(to: max(size.columns - typed - 6, 0))
    if right.columns > 4 {
      canvas.put(
        right, row: row, column: size.columns - right.columns - 1, style: theme[.faint])
    }
    drawField(
      field, prompt: words.goToPrompt, on: &canvas, row: row, column: 1,
      width: size.columns - 2 - (right.columns > 4 ? right.columns + 1 : 0), showsCursor: true)
  }

  private func drawCommand(
    _ field: TextField, _ choices: [String], on canvas: inout Canvas, _ geometry: Geometry
  ) {
    let row = geometry.status
    if let message {
      draw(message, on: &canvas, lastRow: row - 1)
    } else if !choices.isEmpty {
      canvas.fill(row: row - 1, columns: 0..<size.columns, style: theme[.text])
      let list = choices.map { $0.last == " " ? String($0.dropLast()) : $0 }
        .joined(separator: "   ")
      canvas.put(
        list.fitted(to: size.columns - 2), row: row - 1, column: 1, style: theme[.faint])
    }
    canvas.fill(row: row, columns: 0..<size.columns, style: theme[.text])
    drawField(
      field, prompt: ":", on: &canvas, row: row, column: 0, width: size.columns - 1,
      showsCursor: true)
  }

  /// A message at the bottom; one too long for a row takes up to three.
  func draw(_ message: Message, on canvas: inout Canvas, lastRow: Int) {
    let lines = wrapped(message.text, width: size.columns - 2).prefix(3)
    for (line, text) in lines.enumerated() {
      let row = lastRow - lines.count + 1 + line
      canvas.fill(row: row, columns: 0..<size.columns, style: theme[.text])
      canvas.put(
        text, row: row, column: 1, style: theme[message.isError ? .error : .message])
    }
  }

  // MARK: Boxes

  /// Actions to choose from, each with its key, in a box.
  private func drawActions(
    _ actions: [Action], _ state: ListState, title: String, field: TextField?,
    on canvas: inout Canvas
  ) {
    let fieldRows = field == nil ? 0 : 1
    let rows = min(max(actions.count, 1), max(size.rows - 6, 1))
    let box = drawBox(
      title, rows: rows + fieldRows, columns: min(size.columns - 4, 56), on: &canvas)
    if let field {
      drawField(
        field, prompt: "› ", on: &canvas, row: box.row, column: box.column, width: box.width,
        showsCursor: true)
    }
    if actions.isEmpty {
      canvas.put(
        words.noMatch, row: box.row + fieldRows, column: box.column, style: theme[.faint],
        width: box.width)
    }
    for line in 0..<min(rows, actions.count - state.top) {
      let index = state.top + line
      let row = box.row + fieldRows + line
      let action = actions[index]
      let keys = self.keys.keys(for: action).prefix(2).map(\.description).joined(separator: " ")
      canvas.put(
        action.name(words).fitted(to: box.width - keys.columns - 3), row: row,
        column: box.column + 2, style: theme[.text])
      canvas.put(
        keys, row: row, column: box.column + box.width - keys.columns, style: theme[.faint])
      if index == state.selection {
        canvas.put("▸", row: row, column: box.column, style: theme[.bar])
        canvas.restyle(row: row, columns: box.column..<(box.column + box.width)) {
          $0 = theme[.selection]
        }
      }
    }
  }

  /// An empty box in the middle of the screen; the area inside it.
  private func drawBox(
    _ title: String, rows: Int, columns: Int, on canvas: inout Canvas
  ) -> Geometry.Area {
    let width = columns + 4
    let top = max((size.rows - rows - 2) / 2, 0)
    let left = max((size.columns - width) / 2, 0)
    let style = theme[.rule]
    let line = String(repeating: "─", count: max(width - 2, 0))
    canvas.put("┌\(line)┐", row: top, column: left, style: style)
    canvas.put(
      " \(title.fitted(to: width - 6)) ", row: top, column: left + 2, style: theme[.title])
    for row in (top + 1)..<(top + 1 + rows) {
      canvas.fill(row: row, columns: left..<(left + width), style: theme[.text])
      canvas.put("│", row: row, column: left, style: style)
      canvas.put("│", row: row, column: left + width - 1, style: style)
    }
    canvas.put("└\(line)┘", row: top + rows + 1, column: left, style: style)
    canvas.cursor = nil
    return Geometry.Area(row: top + 1, column: left + 2, height: rows, width: columns)
  }

  private func drawHelp(_ top: Int, on canvas: inout Canvas) {
    let page = HelpPage(keys: keys, words: words, width: size.columns - 4)
    for row in 0..<size.rows {
      canvas.fill(row: row, columns: 0..<size.columns, style: theme[.text])
    }
    canvas.cursor = nil
    canvas.put(words.helpTitle, row: 0, column: 1, style: theme[.title])
    let height = max(size.rows - 4, 1)
    for (line, row) in page.rows.dropFirst(top).prefix(height).enumerated() {
      switch row {
      case .heading(let text):
        canvas.put(text, row: line + 2, column: 2, style: theme[.title])
      case .binding(let keys, let name):
        canvas.put(keys, row: line + 2, column: 4, style: theme[.number])
        canvas.put(name, row: line + 2, column: 4 + page.keyColumns, style: theme[.text])
      case .text(let text):
        canvas.put(text, row: line + 2, column: 2, style: theme[.faint])
      }
    }
    let more = page.rows.count > top + height ? "↓ \(key(.down))   " : ""
    canvas.put(
      (more + words.helpClose).fitted(to: size.columns - 2), row: size.rows - 1, column: 1,
      style: theme[.faint])
  }
}

/// The rows of help, made from the key table.
struct HelpPage {
  enum Row: Hashable {
    case heading(String)
    case binding(keys: String, name: String)
    case text(String)
  }

  let rows: [Row]
  /// Columns that the keys take, with the gap behind them.
  let keyColumns: Int

  init(keys: KeyTable, words: Words, width: Int) {
    var rows: [Row] = []
    let keyColumns = width < 60 ? 11 : 20
    for group in keys.groups {
      rows.append(.heading(group.name(words)))
      for binding in group.bindings {
        let all = binding.keys.map(\.description).joined(separator: " ")
        rows.append(
          .binding(
            keys: all.fitted(to: keyColumns - 1),
            name: binding.action.name(words).fitted(to: width - keyColumns - 2)))
      }
      rows.append(.text(""))
    }
    for text in [words.helpPrompts, words.helpMouse] {
      var builder = RowBuilder(margin: 0, measure: max(width, 1))
      builder.put(text, ayah: 0)
      rows += builder.finish().map { .text($0.segments.map(\.text).joined(separator: " ")) }
    }
    self.rows = rows
    self.keyColumns = keyColumns
  }
}
