import Library
import Messages
import Quran
import Terminal
import Text

extension Model {
  /// The note selected in the list of all notes.
  var selectedNote: NoteSummary? {
    guard tab == .notes, let notes = lists.notes else { return nil }
    let row = lists[.notes].selection
    return notes.indices.contains(row) ? notes[row] : nil
  }

  /// Shows what can be done with a note in the trash, if one is selected.
  ///
  /// - Returns: false if no such note is selected.
  mutating func showTrashHint() -> Bool {
    guard pane == .list, selectedNote?.deletedAt != nil else { return false }
    showMessage(messages.noteIsInTrash(openKey))
    return true
  }

  mutating func deleteNote() -> [Effect] {
    if tab == .notes, pane == .list {
      if selectedNote == nil { showMessage(messages.noNotesYet(key(.newNote))) }
      if showTrashHint() { return [] }
      return delete(selectedNote)
    }
    // In the list of favourites, the selected favourite is what `d` removes.
    if tab == .favorites, pane == .list { return toggleFavorite() }
    guard let ayah = targetAyah else {
      showMessage(messages.openFirst)
      return []
    }
    guard libraryState.shown.noteCount(of: ayah) > 0 else {
      if hasContents() { showMessage(messages.noNotes) }
      return []
    }
    // A note is deleted only while it is on the screen: its panel is opened first.
    return openNotes()
  }

  /// Requests the notes on the screen again, after notes were changed.
  mutating func refreshNotes() -> [Effect] {
    search.isNotesStale = true
    var effects: [Effect] = []
    if lists.notes != nil { effects.append(.library(.noteList)) }
    if case .notes(let panel) = overlay { effects.append(.library(.notes(panel.ayah))) }
    return effects
  }

  func drawNote(_ index: Int, on canvas: inout Canvas, row: Int, width: Int) {
    guard let notes = lists.notes, notes.indices.contains(index) else { return }
    let note = notes[index]
    let text = note.firstLine.sanitizedLine
    guard let time = note.deletedAt else {
      return drawEntry(note.ayah, text, note.modifiedAt, on: &canvas, row, width)
    }
    drawEntry(note.ayah, "⌫ " + text, time, on: &canvas, row, width)
    canvas.restyle(row: row, columns: 0..<width) { $0 = theme[.faint] }
  }

  var noteListHints: [String] {
    if selectedNote?.deletedAt != nil { return ["\(openKey) \(messages.hintRestore)", helpHint] }
    guard list.count > 0 else { return [helpHint] }
    return readHints + [
      helpHint, "\(key(.editNote)) \(messages.hintEdit)",
      "\(key(.deleteNote)) \(messages.hintDelete)",
    ]
  }
}
