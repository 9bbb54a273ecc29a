import Library
import Messages
import Quran
import Terminal
import Text

extension Model {
  func draw(_ editor: NoteEditor, on canvas: inout Canvas, _ area: Geometry.Area) {
    let title =
      editor.draft.base != nil
      ? messages.editNoteTitle("\(editor.draft.ayah)")
      : editor.isResumed
        ? messages.unfinishedNoteTitle("\(editor.draft.ayah)")
        : messages.newNoteTitle("\(editor.draft.ayah)")
    // The size is shown only near the limit.
    let isNearLimit = editor.area.byteCount > NoteText.limit * 9 / 10
    let right = isNearLimit ? messages.noteBytes(editor.area.byteCount, of: NoteText.limit) : ""
    drawNoteTitle(title, right, on: &canvas, area)
    draw(editor.area, from: editor.top, on: &canvas, area, display: .terminal)
    guard overlay == nil else { return }
    let cursor = editor.area.cursor
    let row = area.row + 1 + cursor.row - editor.top
    if (area.row + 1..<area.row + area.height).contains(row) {
      canvas.cursor = Canvas.Position(
        row: row, column: min(area.column + 2 + cursor.column, size.columns - 1))
    }
  }

  var editorHints: [String] {
    [
      "\(key(.save, in: .editor)) \(messages.hintSave)",
      "\(key(.cancel, in: .editor)) \(messages.hintLeave)",
      "\(key(.openExternalEditor, in: .editor)) \(messages.hintExternalEditor)",
    ]
      + (editor?.area.history.canUndo == true
        ? ["\(key(.undo, in: .text)) \(messages.hintUndo)"] : [])
  }
}
