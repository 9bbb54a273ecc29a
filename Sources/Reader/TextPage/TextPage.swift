import Messages
import Terminal
import Text

/// A text that fills the screen, in rows: help, made from the key table, or a report.
struct TextPage {
  enum Row: Hashable {
    case heading(String)
    /// The keys stand on the first row only where the name takes several.
    case binding(keys: String, name: String)
    case text(String)
  }

  let rows: [Row]
  /// Columns that the keys take, with the gap behind them.
  let keyColumns: Int
  /// Rows on the screen at a time.
  let height: Int

  init(_ page: Model.Page, model: Model) {
    let width = model.size.columns - 4
    height = max(model.size.rows - 4, 1)
    switch page {
    case .help:
      (rows, keyColumns) = Self.help(model, width: width)
    case .report, .sync:
      keyColumns = 0
      let lines = if case .report(let lines, _) = page { lines } else { model.syncPage }
      rows = lines.flatMap { line in
        // What belongs to the line above stays set off from it.
        let indent = String(line.prefix { $0 == " " })
        return model.wrapped(String(line.dropFirst(indent.count)), width: width - indent.columns)
          .map { Row.text(indent + $0) }
      }
    }
  }

  private static func help(_ model: Model, width: Int) -> (rows: [Row], keyColumns: Int) {
    let messages = model.messages
    // A narrow screen has room for the first two keys of an action.
    let shown = width < 60 ? 2 : .max
    func names(_ binding: KeyTable.Binding) -> String {
      binding.keys.prefix(shown).map(\.description).joined(separator: " ")
    }
    let all = model.keys.groups.flatMap(\.bindings)
    let keyColumns = min((all.map { names($0).columns }.max() ?? 0) + 2, max(width / 2, 1))
    var rows: [Row] = []
    for group in model.keys.groups {
      rows.append(.heading(group.name(messages)))
      for binding in group.bindings {
        let keys = names(binding).fitted(to: keyColumns - 1)
        let lines = model.wrapped(binding.action.name(messages), width: width - keyColumns - 2)
        for (line, name) in lines.enumerated() {
          rows.append(.binding(keys: line == 0 ? keys : "", name: name))
        }
      }
      rows.append(.text(""))
    }
    for text in [messages.helpPrompts, messages.helpMouse] {
      rows += model.wrapped(text, width: width).map { .text($0) }
    }
    return (rows, keyColumns)
  }
}
