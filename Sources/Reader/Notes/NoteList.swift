import FoundationEssentials
import Library
import Messages
import Quran
import Terminal
import Text

// The list of all notes: first the unfinished ones, which are drafts, then the others.
extension Model {
  /// The drafts in the list; empty until the library has sent the notes.
  var listedDrafts: [Draft] { lists.notes == nil ? [] : libraryState.shown.drafts }

  /// Whether keys go to the list of all notes.
  var isNoteListFocused: Bool { tab == .notes && pane == .list }

  /// The draft selected in the list of all notes.
  var selectedDraft: Draft? {
    guard tab == .notes else { return nil }
    let (drafts, row) = (listedDrafts, lists[.notes].selection)
    return drafts.indices.contains(row) ? drafts[row] : nil
  }

  /// The note selected in the list of all notes.
  var selectedNote: NoteSummary? {
    guard tab == .notes, let notes = lists.notes else { return nil }
    let row = lists[.notes].selection - listedDrafts.count
    return notes.indices.contains(row) ? notes[row] : nil
  }

  /// Selects a note in the list, if it is there.
  mutating func select(note id: UUID?) {
    guard let id, let row = lists.notes?.firstIndex(where: { $0.id == id }) else { return }
    lists[.notes].selection = listedDrafts.count + row
  }

  /// Selects the draft of a note in the list.
  ///
  /// - Returns: false if there is none.
  @discardableResult mutating func select(draftOf note: UUID) -> Bool {
    guard let row = listedDrafts.firstIndex(where: { $0.noteID == note }) else { return false }
    lists[.notes].selection = row
    return true
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
    if isNoteListFocused {
      if let draft = selectedDraft { return discard(draft) }
      if selectedNote == nil { showMessage(messages.noNotesYet(key(.newNote))) }
      if showTrashHint() { return [] }
      return delete(selectedNote)
    }
    guard let ayah = targetAyah else {
      showMessage(messages.openAyahFirst)
      return []
    }
    // In the list of favourites, the selected favourite is what `d` removes.
    if tab == .favorites, pane == .list { return toggleFavorite() }
    guard hasNotes(ayah) else {
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
    let drafts = listedDrafts
    if drafts.indices.contains(index) {
      let draft = drafts[index]
      let line = draft.text.drop(while: \.isWhitespace).prefix { $0 != "\n" }.prefix(width)
      let text = "(\(messages.unfinished)) \(line)".sanitizedLine
      return drawEntry(draft.ayah, text, draft.changedAt, on: &canvas, row, width)
    }
    let index = index - drafts.count
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
    if selectedNote?.deletedAt != nil, libraryState.refusal == nil {
      return ["\(openKey) \(messages.hintRestore)", helpHint]
    }
    guard list.count > 0, libraryState.refusal == nil else { return readHints + [helpHint] }
    let (edit, delete) = hintsForNote(isUnfinished: selectedDraft != nil)
    return readHints + [helpHint, edit, delete]
  }

  /// The hints of the keys that change a note, finished or not.
  func hintsForNote(isUnfinished: Bool) -> (edit: String, delete: String) {
    let (edit, delete) =
      isUnfinished
      ? (messages.hintContinue, messages.hintDiscard) : (messages.hintEdit, messages.hintDelete)
    return ("\(key(.editNote)) \(edit)", "\(key(.deleteNote)) \(delete)")
  }
}
