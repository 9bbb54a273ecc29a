import Library
import Messages
import Quran
import Terminal
import Text

extension Model {
  /// The note that is selected in the list of all.
  var selectedNote: NoteSummary? {
    guard tab == .notes, let noteList else { return nil }
    let row = lists[.notes]?.selection ?? 0
    return noteList.indices.contains(row) ? noteList[row] : nil
  }

  /// Says what can be done with a note in the trash, where one is selected.
  mutating func sayTrashed() -> Bool {
    guard pane == .list, selectedNote?.deletedAt != nil else { return false }
    say(messages.noteIsInTrash(openKey))
    return true
  }

  mutating func deleteNote() -> [Effect] {
    if tab == .notes, pane == .list {
      if selectedNote == nil { say(messages.noNotesYet) }
      if sayTrashed() { return [] }
      return delete(selectedNote)
    }
    guard let ayah = targetAyah, libraryState.shown.noteCount(of: ayah) > 0 else {
      say(targetAyah == nil ? messages.openFirst : messages.noNotes)
      return []
    }
    // Nothing is deleted unseen: the key is pressed again with the note on the screen.
    return stepNote(0)
  }

  /// What of the notes is on the screen is asked for anew.
  func refreshNotes() -> [Effect] {
    var effects: [Effect] = []
    if noteList != nil { effects.append(.library(.noteList)) }
    if case .notes(let panel) = overlay { effects.append(.library(.notes(panel.ayah))) }
    return effects
  }

  func drawNote(_ index: Int, on canvas: inout Canvas, row: Int, width: Int) {
    guard let noteList, noteList.indices.contains(index) else { return }
    let note = noteList[index]
    let text = note.start.displayableLine
    guard let time = note.deletedAt else {
      return drawEntry(note.ayah, text, note.modifiedAt, on: &canvas, row, width)
    }
    drawEntry(note.ayah, "⌫ " + text, time, on: &canvas, row, width)
    canvas.restyle(row: row, columns: 0..<width) { $0 = theme[.faint] }
  }

  var noteListHints: [String] {
    if selectedNote?.deletedAt != nil { return ["\(openKey) \(messages.hintRestore)", helpHint] }
    return [
      readHint, helpHint, "\(key(.editNote)) \(messages.hintEdit)",
      "\(key(.deleteNote)) \(messages.hintDelete)",
    ]
  }
}
