import Library
import Messages
import Quran
import Terminal
import Text

extension Model {
  func drawNote(on canvas: inout Canvas, _ area: Geometry.Area) {
    if let editor {
      draw(editor, on: &canvas, area)
    } else if case .footnotes(let panel) = overlay {
      draw(panel, on: &canvas, area)
    } else if case .notes(let panel) = overlay {
      guard panel.notes != nil else {
        drawNoteTitle(messages.loading, "", on: &canvas, area)
        return
      }
      let title = messages.noteTitle(
        "\(panel.ayah)", panel.index + 1, of: panel.count, isUnfinished: panel.draft != nil)
      let time = panel.note?.modifiedAt ?? panel.draft?.changedAt
      let day = time.map { Day(containing: $0).description } ?? ""
      drawNoteTitle(title, day, on: &canvas, area)
      draw(panel.area, from: panel.top, on: &canvas, area)
    }
  }

  func hints(of panel: NotesPanel) -> [String] {
    let next = panel.count > 1 ? ["\(key(.nextNote)) \(messages.hintNextNote)"] : []
    guard libraryState.refusal == nil else { return next + [closeHint] }
    let (edit, delete) = hintsForNote(isUnfinished: panel.draft != nil)
    return next.isEmpty ? [edit, closeHint, delete] : next + [closeHint, edit, delete]
  }
}
