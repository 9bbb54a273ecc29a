import Messages
import Quran
import Sync
import Terminal
import Text

/// A page that fills the screen.
enum OverlayPage: Hashable {
  case help
  /// The report of an import, or of an installation that failed.
  ///
  /// - Parameter isUndoable: whether it is an import that changed the library.
  case report(title: String, [String], isUndoable: Bool)
  case sync
  /// The facts about the text with this ID.
  case aboutText(String)
}

extension Model {
  mutating func handlePage(_ key: Key, _ page: OverlayPage, _ top: Int) -> [Effect] {
    if page == .sync, let effects = handleSyncPage(key) { return effects }
    guard let action = keys.action(for: key) else { return [] }
    let height = PageRows(page, model: self).height
    if let top = action.scrolledTop(from: top, page: height) { overlay = .page(page, top) }
    switch action {
    case .quit, .help, .back, .open: overlay = nil
    // To search the help, the user searches the command palette, which lists the same actions.
    case .search where page == .help: return perform(.palette)
    // The import that the page reports can be undone from the page.
    case .undo:
      guard case .report(title: _, _, isUndoable: true) = page else { break }
      overlay = nil
      return perform(.undo)
    default: break
    }
    revealOverlay()
    return []
  }

  func draw(_ page: OverlayPage, _ top: Int, on canvas: inout Canvas) {
    let text = PageRows(page, model: self)
    for row in 0..<size.rows {
      canvas.fill(row: row, columns: 0..<size.columns, style: theme[.text])
    }
    canvas.cursor = nil
    canvas.put(
      title(of: page), row: 0, column: 1,
      style: theme[.title])
    for (index, rows) in text.columns.enumerated() {
      let column = 2 + index * (text.width + PageRows.gap)
      for (line, row) in rows.dropFirst(top).prefix(text.height).enumerated() {
        switch row {
        case .heading(let text):
          canvas.put(text, row: line + 2, column: column, style: theme[.title])
        case .binding(let keys, let name):
          canvas.put(keys, row: line + 2, column: column + 2, style: theme[.number])
          canvas.put(
            name, row: line + 2, column: column + 2 + text.keyColumns, style: theme[.text])
        case .text(let text):
          canvas.put(
            text, row: line + 2, column: column, style: theme[page == .help ? .faint : .text])
        }
      }
    }
    var hints = text.rowCount > top + text.height ? ["↓ \(key(.down))"] : []
    if page == .help { hints.append("\(key(.search)) \(messages.hintSearch)") }
    if page == .sync { hints += syncPageHints }
    var footer: String {
      (hints + [messages.helpClose(key(.quit), key(.close, in: .overlay))]).joined(separator: "   ")
    }
    // The key that closes the page is always shown.
    while !hints.isEmpty, footer.columns > statusWidth - 2 { hints.removeLast() }
    canvas.put(
      footer.fitted(to: statusWidth - 2), row: size.rows - 1, column: 1, style: theme[.faint])
  }

  func title(of page: OverlayPage) -> String {
    switch page {
    case .help: messages.helpTitle
    case .report(let title, _, _): title
    case .sync: messages.syncTitle
    case .aboutText: messages.aboutTextTitle
    }
  }
}

/// The rows of a page, wrapped at the width of the screen.
struct PageRows {
  enum Row: Hashable {
    case heading(String)
    /// The keys of an action and its name, or the name of a fact and its text. If the text takes
    /// several rows, the left part is empty on all but the first.
    case binding(keys: String, name: String)
    case text(String)
  }

  /// The rows, in one column or in two.
  let columns: [[Row]]
  /// The width of each column.
  let width: Int
  /// The number of columns of the keys, including the gap after them.
  let keyColumns: Int
  /// The number of rows that are shown at a time.
  let height: Int

  /// The number of blank columns between two columns of rows.
  static let gap = 4

  /// The number of rows of the longest column.
  var rowCount: Int { columns.map(\.count).max() ?? 0 }

  init(_ page: OverlayPage, model: Model) {
    let isInColumns = page == .help && model.size.columns >= Geometry.twoPaneColumns
    let wholeWidth = model.size.columns - 4
    let width = isInColumns ? (wholeWidth - Self.gap) / 2 : wholeWidth
    self.width = width
    height = max(model.size.rows - 4, 1)
    let rows: [Row]
    switch page {
    case .help:
      (rows, keyColumns) = Self.help(model, width: width)
    case .aboutText(let id):
      (rows, keyColumns) = Self.facts(model.aboutText(id), model, width: width)
    case .report, .sync:
      keyColumns = 0
      let lines = if case .report(_, let lines, _) = page { lines } else { model.syncPage }
      rows = lines.flatMap { line in
        // Continuation rows are indented like the first row.
        let indent = String(line.prefix { $0 == " " })
        return model.wrapped(String(line.dropFirst(indent.count)), width: width - indent.columns)
          .map { Row.text(indent + $0) }
      }
    }
    columns = isInColumns ? Self.halves(of: rows) : [rows]
  }

  /// Divides rows into two columns, at the blank row that is nearest to the middle.
  private static func halves(of rows: [Row]) -> [[Row]] {
    let ends = rows.indices.filter { rows[$0] == .text("") }
    guard let end = ends.min(by: { abs($0 - rows.count / 2) < abs($1 - rows.count / 2) }) else {
      return [rows]
    }
    return [Array(rows[..<end]), Array(rows[(end + 1)...])]
  }

  /// Returns facts with their names at the left.
  private static func facts(
    _ facts: [(name: String, text: String)], _ model: Model, width: Int
  ) -> (rows: [Row], keyColumns: Int) {
    let keyColumns = min((facts.map(\.name.columns).max() ?? 0) + 2, max(width / 2, 1))
    let rows = facts.flatMap { name, text in
      text.split(separator: "\n").flatMap {
        model.wrapped($0.description, width: width - keyColumns - 2)
      }.enumerated().map { line, text in
        Row.binding(keys: line == 0 ? name.fitted(to: keyColumns - 1) : "", name: text)
      }
    }
    return (rows, keyColumns)
  }

  private static func help(_ model: Model, width: Int) -> (rows: [Row], keyColumns: Int) {
    let messages = model.messages
    // A narrow screen shows the first two keys of an action.
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
        let lines = model.wrapped(binding.name(messages), width: width - keyColumns - 2)
        for (line, name) in lines.enumerated() {
          rows.append(.binding(keys: line == 0 ? keys : "", name: name))
        }
      }
      rows.append(.text(""))
    }
    for text in [
      messages.helpPrompts(
        deleteAll: model.key(.deleteAll, in: .line), deleteWord: model.key(.deleteWord, in: .line)),
      messages.helpMouse, messages.helpSigns, messages.helpStatusLine(browse: model.key(.browse)),
    ] {
      rows += model.wrapped(text, width: width).map { .text($0) }
    }
    return (rows, keyColumns)
  }
}
