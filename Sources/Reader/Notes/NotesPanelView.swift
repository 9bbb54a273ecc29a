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

  func hints(of panel: NotesPanel) -> [String] {
    let next = panel.notes?.count ?? 0 > 1 ? ["\(key(.nextNote)) \(messages.hintNextNote)"] : []
    guard libraryState.refusal == nil else { return [closeHint] + next }
    return ["\(key(.editNote)) \(messages.hintEdit)", closeHint] + next + [
      "\(key(.deleteNote)) \(messages.hintDelete)"
    ]
  }
}
