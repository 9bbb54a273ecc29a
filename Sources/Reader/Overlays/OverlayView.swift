import Editions
import Library
import Messages
import Quran
import Terminal
import Text

extension Model {
  func drawOverlay(on canvas: inout Canvas, _ geometry: Geometry) {
    switch overlay {
    case nil, .filter, .notes: break
    case .cues(let isSetting): drawCues(isSetting: isSetting, on: &canvas)
    case .question(let question):
      switch question {
      case .acceptDeletions, .answerRestored: draw(.sync, 0, on: &canvas)
      default: break
      }
      draw(question, on: &canvas, geometry)
    case .goTo(let field): drawGoTo(field, on: &canvas, geometry)
    case .command(let field, let completion):
      drawCommand(field, completion, on: &canvas, geometry)
    case .palette(let field, _): drawOffered(messages.paletteTitle, field: field, on: &canvas)
    case .menu: drawOffered("\(messages.menuTitle) · \(reading.cursor)", field: nil, on: &canvas)
    case .page(let page, let top): draw(page, top, on: &canvas)
    }
  }

  /// The prompt on the last row, and at its right where it would lead.
  private func drawGoTo(_ field: TextField, on canvas: inout Canvas, _ geometry: Geometry) {
    let row = geometry.status
    // An error stays in the row above until the next key.
    if let message { draw(message, on: &canvas, lastRow: row - 1) }
    canvas.fill(row: row, columns: 0..<size.columns, style: theme[.text])
    var right = messages.goToHint
    if !field.isEmpty {
      right = ""
      if let ayah = (try? QuranReference(parsing: field.text))?.ayahs.lowerBound {
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

  private func drawCommand(
    _ field: TextField, _ completion: Completion?, on canvas: inout Canvas, _ geometry: Geometry
  ) {
    let row = geometry.status
    if let message {
      draw(message, on: &canvas, lastRow: row - 1)
    } else if let completion {
      // Of many those around the chosen one: more there is no room for.
      let first = max((completion.chosen ?? 0) - 3, 0)
      let choices = completion.choices.enumerated().dropFirst(first).prefix(60).map {
        index, choice in
        index == completion.chosen
          ? "[\(choice.last == " " ? String(choice.dropLast()) : choice)]" : choice
      }
      draw(Message(text: choices.joined(separator: "  ")), on: &canvas, lastRow: row - 1)
    }
    canvas.fill(row: row, columns: 0..<size.columns, style: theme[.text])
    drawField(
      field, prompt: ":", on: &canvas, row: row, column: 0, width: statusWidth - 1,
      showsCursor: true)
  }

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

  private func draw(_ question: Question, on canvas: inout Canvas, _ geometry: Geometry) {
    let text =
      switch question {
      case .restart(let surah): messages.askRestart(surah.surah.transliteration)
      case .leaveNote: messages.askLeaveNote
      case .dropPlan: messages.askDropPlan
      case .acceptDeletions: messages.askAcceptDeletions
      case .answerRestored(let restoration):
        restoration == .keepService ? messages.askKeepService : messages.askKeepRestored
      case .restoreNote(_, let ayah): messages.askRestoreNote("\(ayah)")
      }
    draw(Message(text: text, isError: true), on: &canvas, lastRow: geometry.status)
    canvas.cursor = nil
  }

  // MARK: Boxes

  /// The nine cues with the ayahs they stand at.
  private func drawCues(isSetting: Bool, on canvas: inout Canvas) {
    let height = min(9, max(size.rows - 3, 1))
    let width = min(size.columns - 4, 44)
    let box = Geometry.Area(
      row: max((size.rows - height - 2) / 2, 0) + 1, column: max((size.columns - width) / 2, 0),
      height: height, width: width)
    drawFrame(
      isSetting ? "\(messages.setCueTitle) 1–9" : "\(messages.cuesTitle) 1–9",
      rows: box.row..<(box.row + height), box, on: &canvas)
    for number in 1...height {
      let row = box.row + number - 1
      canvas.put("\(number)", row: row, column: box.column + 1, style: theme[.number])
      let ayah = libraryState.shown.cue(number)
      let text = ayah.map { "\($0) \($0.surah.surah.names)" } ?? "·"
      canvas.put(
        text.fitted(to: width - 5), row: row, column: box.column + 4,
        style: theme[ayah == nil ? .faint : .text])
    }
  }

  /// The actions offered, each with its key, in a box in the middle of the screen.
  private func drawOffered(_ title: String, field: TextField?, on canvas: inout Canvas) {
    guard let (actions, state) = offered, let box = offeredBox else { return }
    let top = box.row - (field == nil ? 0 : 1)
    drawFrame(title, rows: top..<(box.row + box.height), box, on: &canvas)
    if let field {
      drawField(
        field, prompt: "› ", on: &canvas, row: top, column: box.column, width: box.width,
        showsCursor: true)
    }
    if actions.isEmpty {
      canvas.put(
        messages.noMatch, row: box.row, column: box.column, style: theme[.faint], width: box.width)
    }
    for line in 0..<min(box.height, actions.count - state.top) {
      let action = actions[state.top + line]
      let row = box.row + line
      let keys = self.keys.keys(for: action).prefix(box.width < 40 ? 1 : 2).map(\.description)
        .joined(separator: " ")
      canvas.put(
        action.name(messages).fitted(to: box.width - keys.columns - 3), row: row,
        column: box.column + 2, style: theme[.text])
      canvas.put(
        keys, row: row, column: box.column + box.width - keys.columns, style: theme[.faint])
      guard state.top + line == state.selection else { continue }
      canvas.put("▸", row: row, column: box.column, style: theme[.bar])
      canvas.restyle(row: row, columns: box.column..<(box.column + box.width)) {
        $0 = theme[.selection]
      }
    }
  }

  /// An empty frame around rows of a box.
  private func drawFrame(
    _ title: String, rows: Range<Int>, _ box: Geometry.Area, on canvas: inout Canvas
  ) {
    let left = box.column - 2
    let right = box.column + box.width + 1
    let style = theme[.rule]
    let line = String(repeating: "─", count: right - left - 1)
    canvas.put("┌\(line)┐", row: rows.lowerBound - 1, column: left, style: style)
    canvas.put(
      " \(title.fitted(to: box.width - 2)) ", row: rows.lowerBound - 1, column: left + 2,
      style: theme[.title])
    for row in rows {
      canvas.fill(row: row, columns: left..<(right + 1), style: theme[.text])
      canvas.put("│", row: row, column: left, style: style)
      canvas.put("│", row: row, column: right, style: style)
    }
    canvas.put("└\(line)┘", row: rows.upperBound, column: left, style: style)
    canvas.cursor = nil
  }

  private func draw(_ page: Page, _ top: Int, on canvas: inout Canvas) {
    let text = TextPage(page, model: self)
    for row in 0..<size.rows {
      canvas.fill(row: row, columns: 0..<size.columns, style: theme[.text])
    }
    canvas.cursor = nil
    canvas.put(
      title(of: page), row: 0, column: 1,
      style: theme[.title])
    for (line, row) in text.rows.dropFirst(top).prefix(text.height).enumerated() {
      switch row {
      case .heading(let text):
        canvas.put(text, row: line + 2, column: 2, style: theme[.title])
      case .binding(let keys, let name):
        canvas.put(keys, row: line + 2, column: 4, style: theme[.number])
        canvas.put(name, row: line + 2, column: 4 + text.keyColumns, style: theme[.text])
      case .text(let text):
        canvas.put(text, row: line + 2, column: 2, style: theme[page == .help ? .faint : .text])
      }
    }
    var hints = text.rows.count > top + text.height ? ["↓ \(key(.down))"] : []
    if page == .sync { hints += syncPageHints }
    var footer: String { (hints + [messages.helpClose]).joined(separator: "   ") }
    // How to leave is never left out.
    while !hints.isEmpty, footer.columns > statusWidth - 2 { hints.removeLast() }
    canvas.put(
      footer.fitted(to: statusWidth - 2), row: size.rows - 1, column: 1, style: theme[.faint])
  }

  private func title(of page: Page) -> String {
    switch page {
    case .help: messages.helpTitle
    case .report: messages.importReportTitle
    case .sync: messages.syncTitle
    }
  }
}
