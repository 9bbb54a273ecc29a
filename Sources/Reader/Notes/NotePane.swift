import Library
import Quran
import Terminal
import Text

// The pane below the text that shows notes, the note editor or footnotes.
extension Model {
  /// Opens an ayah in the text pane to show or edit its notes. If it is opened from a list, stores
  /// the current position in `drafts.returnPoint`.
  mutating func showInText(_ ayah: AyahID) {
    guard pane != .text || position.cursor != ayah else { return }
    // `open` moves the place. `returnToList` restores it when the note is closed.
    if pane == .list, [.notes, .favorites, .search].contains(tab) {
      drafts.returnPoint = ReturnPoint(
        position: position, place: place, jumps: jumps, browsing: progress.browsing,
        hasOpenedAyah: hasOpenedAyah)
    }
    open(ayah)
  }

  /// Returns to the list from which the note was opened. Does nothing if it was not opened from a
  /// list.
  mutating func returnToList() {
    guard let point = drafts.returnPoint else { return }
    drafts.returnPoint = nil
    // Stay in the text while a message is shown: if it names a key, the search list would insert
    // that key into the query.
    guard tab != .search || message == nil else { return }
    position = point.position
    place = point.place
    jumps = point.jumps
    progress.browsing = point.browsing
    hasOpenedAyah = point.hasOpenedAyah
    pane = .list
  }

  /// Lays out the notes panel, the note editor or the footnotes for the current size of their pane.
  mutating func layOutNotePane() {
    if var editor {
      editor.area.resize(width: noteWidth)
      editor.reveal(height: noteRows)
      self.editor = editor
    }
    if case .notes(var panel) = overlay {
      panel.area.resize(width: noteWidth)
      scroll(panel)
    }
    if case .footnotes(var panel) = overlay {
      panel.area.resize(width: noteWidth)
      scroll(panel)
    }
  }

  func drawNoteTitle(
    _ title: String, _ right: String, on canvas: inout Canvas, _ area: Geometry.Area
  ) {
    let line = String(repeating: "─", count: area.width)
    canvas.put(line, row: area.row, column: area.column, style: theme[.rule])
    canvas.put(
      " \(title.fitted(to: area.width - 6)) ", row: area.row, column: area.column + 1,
      style: theme[.title])
    guard !right.isEmpty, title.columns + right.columns + 8 <= area.width else { return }
    canvas.put(
      " \(right) ", row: area.row, column: area.column + area.width - right.columns - 3,
      style: theme[.faint])
  }

  /// Draws the rows of a text area from row `top` on, below the title, with an arrow if more rows
  /// follow.
  ///
  /// - Parameter display: How Arabic is drawn; nil for the canvas's setting. The editor uses
  ///   `.terminal`, so that the text is drawn in the order in which the cursor moves.
  func draw(
    _ text: TextArea, from top: Int, on canvas: inout Canvas, _ area: Geometry.Area,
    display: ArabicDisplay? = nil
  ) {
    let last = min(top + area.height - 1, text.rowCount)
    guard top < last else { return }
    for (line, row) in text.rows(top..<last).enumerated() {
      canvas.put(
        row, row: area.row + 1 + line, column: area.column + 2, style: theme[.text],
        display: display)
    }
    let more = last < text.rowCount ? "↓" : ""
    canvas.put(
      more, row: area.row + area.height - 1, column: area.column + area.width - 1,
      style: theme[.faint])
  }

  /// The number of columns for the text of a note.
  var noteWidth: Int { max((geometry.note?.width ?? 3) - 3, 1) }

  /// The number of rows for the text of a note.
  var noteRows: Int { max((geometry.note?.height ?? 2) - 1, 1) }
}
