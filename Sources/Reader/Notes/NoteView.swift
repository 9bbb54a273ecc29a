import Editions
import Library
import Messages
import Quran
import Terminal
import Text

// A note below the text: one that is read, or the one being written.
extension Model {
  func drawNote(on canvas: inout Canvas, _ area: Geometry.Area) {
    if let editor {
      let title =
        editor.draft.basedOn != nil
        ? messages.editNoteTitle("\(editor.draft.ayah)")
        : editor.isResumed
          ? messages.unfinishedNoteTitle("\(editor.draft.ayah)")
          : messages.newNoteTitle("\(editor.draft.ayah)")
      // How much there is room for is of interest near the end of it.
      let isNearLimit = editor.area.byteCount > NoteText.limit * 9 / 10
      let right = isNearLimit ? messages.noteBytes(editor.area.byteCount, of: NoteText.limit) : ""
      drawNoteTitle(title, right, on: &canvas, area)
      draw(editor.area, from: editor.top, on: &canvas, area)
      guard overlay == nil else { return }
      let cursor = editor.area.cursor
      let row = area.row + 1 + cursor.row - editor.top
      if (area.row + 1..<area.row + area.height).contains(row) {
        canvas.cursor = Canvas.Position(
          row: row, column: min(area.column + 2 + cursor.column, size.columns - 1))
      }
    } else if case .notes(let panel) = overlay {
      guard let notes = panel.notes else {
        drawNoteTitle(messages.loading, "", on: &canvas, area)
        return
      }
      let title = messages.noteTitle("\(panel.ayah)", panel.index + 1, of: notes.count)
      let day = panel.note.map { Day(containing: $0.modifiedAt).description } ?? ""
      drawNoteTitle(title, day, on: &canvas, area)
      draw(panel.area, from: panel.top, on: &canvas, area)
    }
  }

  private func drawNoteTitle(
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

  private func draw(
    _ text: TextArea, from top: Int, on canvas: inout Canvas, _ area: Geometry.Area
  ) {
    let last = min(top + area.height - 1, text.rowCount)
    guard top < last else { return }
    for (line, row) in text.rows(top..<last).enumerated() {
      canvas.put(row, row: area.row + 1 + line, column: area.column + 2, style: theme[.text])
    }
    let more = last < text.rowCount ? "↓" : ""
    canvas.put(
      more, row: area.row + area.height - 1, column: area.column + area.width - 1,
      style: theme[.faint])
  }

  // MARK: Lists

  func drawNote(_ index: Int, on canvas: inout Canvas, row: Int, width: Int) {
    guard let noteList, noteList.indices.contains(index) else { return }
    let note = noteList[index]
    let text = note.start.sanitizedLine
    guard let time = note.deletedAt else {
      return drawEntry(note.ayah, text, note.modifiedAt, on: &canvas, row, width)
    }
    drawEntry(note.ayah, "⌫ " + text, time, on: &canvas, row, width)
    canvas.restyle(row: row, columns: 0..<width) { $0 = theme[.faint] }
  }

  func drawFavorite(_ index: Int, on canvas: inout Canvas, row: Int, width: Int) {
    guard libraryState.favorites.indices.contains(index) else { return }
    let favorite = libraryState.favorites[index]
    let text = edition.text(of: favorite.ayah).sanitizedLine
    drawEntry(favorite.ayah, text, favorite.favoritedAt, on: &canvas, row, width)
  }

  /// An ayah, the day of the entry where there is room, and a text.
  private func drawEntry(
    _ ayah: AyahID, _ text: String, _ time: Int64, on canvas: inout Canvas, _ row: Int,
    _ width: Int
  ) {
    canvas.put("\(ayah)", row: row, column: 2, style: theme[.number])
    var column = 10
    if width >= 50 {
      canvas.put(
        ayah.surah.surah.transliteration.fitted(to: 15), row: row, column: column,
        style: theme[.faint])
      column += 16
    }
    var end = width - 1
    if width >= 70 {
      end -= 12
      canvas.put(
        Day(containing: time).description, row: row, column: end + 2, style: theme[.faint])
    }
    // A long text need not be measured beyond what is shown.
    let start = String(text.prefix(max(end - column, 0) + 1))
    canvas.put(start.fitted(to: end - column), row: row, column: column, style: theme[.text])
  }
}
