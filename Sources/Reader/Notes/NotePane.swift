import Library
import Quran
import Terminal
import Text

// The pane below the text that shows a note or its editor.
extension Model {
  /// Shows an ayah whose notes are read or written.
  mutating func showInText(_ ayah: AyahID) {
    guard pane != .text || reading.cursor != ayah else { return }
    // The place does not move to an ayah whose note is opened from a list.
    if pane == .list, [.notes, .favorites, .search].contains(tab) {
      drafts.returnPoint = ReturnPoint(
        reading: reading, place: place, browsing: progress.browsing, hasBegun: hasBegun)
    }
    open(ayah)
  }

  /// Returns to the list from which the note was opened, if it was.
  mutating func returnToList() {
    guard let point = drafts.returnPoint else { return }
    drafts.returnPoint = nil
    // A key that a message names would be typed in the list of hits.
    guard tab != .search || message == nil else { return }
    reading = point.reading
    place = point.place
    progress.browsing = point.browsing
    hasBegun = point.hasBegun
    pane = .list
  }

  /// Fits the note that is read or written to its area.
  mutating func fitNote() {
    if var editor {
      editor.area.resize(width: noteWidth)
      editor.reveal(height: noteRows)
      self.editor = editor
    }
    if case .notes(var panel) = overlay {
      panel.area.resize(width: noteWidth)
      panel.top = max(min(panel.top, panel.area.rowCount - noteRows), 0)
      overlay = .notes(panel)
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

  /// - Parameter display: How Arabic is drawn; a text that is being edited is drawn in the order in
  ///   which the cursor moves through it.
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

  /// The columns and rows of a note.
  var noteWidth: Int { max((geometry.note?.width ?? 3) - 3, 1) }

  var noteRows: Int { max((geometry.note?.height ?? 2) - 1, 1) }
}
