import FoundationEssentials
import Library
import Messages
import Quran
import Terminal
import Text

extension Model {
  /// Opens the panel with the notes of the target ayah.
  mutating func openNotes() -> [Effect] {
    guard let ayah = targetAyah else {
      showMessage(messages.openFirst)
      return []
    }
    guard libraryState.shown.noteCount(of: ayah) > 0 else {
      if hasContents() { showMessage(messages.writeOne(key(.newNote))) }
      return []
    }
    showInText(ayah)
    overlay = .notes(NotesPanel(ayah: ayah))
    typeset()
    return [.library(.notes(ayah))]
  }

  /// Opens the panel with a note.
  mutating func openNote(_ id: UUID, of ayah: AyahID) -> [Effect] {
    showInText(ayah)
    overlay = .notes(NotesPanel(ayah: ayah, wantedID: id))
    typeset()
    return [.library(.notes(ayah))]
  }

  mutating func handleNotesPanel(_ key: Key, _ panel: NotesPanel) -> [Effect] {
    let action = keys.actions(for: key).first { $0.place == nil }
    if let top = action?.scrolledTop(from: panel.top, page: noteRows) {
      var panel = panel
      panel.top = top
      scroll(panel)
      return []
    }
    switch action {
    case .nextNote, .previousNote:
      var panel = panel
      panel.show(panel.index + (action == .nextNote ? 1 : -1), width: noteWidth)
      overlay = .notes(panel)
      return []
    case .editNote, .open: return edit(panel.note, externally: false)
    case .externalEditor: return edit(panel.note, externally: true)
    case .deleteNote: return delete(panel.note.map(NoteSummary.init))
    case .newNote: return startNote(externally: false)
    case .undo, .redo, .favorite, .markRead, .theme:
      return action.map { perform($0) } ?? []
    case .copy:
      guard let note = panel.note else { return [] }
      showMessage(messages.copied("✎ \(panel.ayah)"))
      return [.copy(note.text.text)]
    case .quit, .back:
      closeOverlay()
      return []
    case nil:
      showUnboundKey(key)
      return []
    case let other?:
      closeOverlay()
      return perform(other)
    }
  }

  /// Shows the panel, and limits `top` so that the panel does not scroll beyond its last row.
  mutating func scroll(_ panel: NotesPanel) {
    var panel = panel
    panel.top = max(min(panel.top, panel.area.rowCount - noteRows), 0)
    overlay = .notes(panel)
  }

  /// Handles the notes of an ayah that the library has sent.
  mutating func receivedNotes(_ notes: [Note], of ayah: AyahID) -> [Effect] {
    if let wanted = drafts.requested, wanted.ayah == ayah {
      drafts.requested = nil
      return openEditor(for: wanted, notes) + performTypedAhead()
    }
    guard case .notes(var panel) = overlay, panel.ayah == ayah else { return [] }
    let shown = panel.note?.id
    let wanted = shown ?? panel.wantedID ?? selectedNote?.id
    panel.notes = notes
    guard !notes.isEmpty else {
      closeOverlay()
      return []
    }
    let top = panel.top
    let index = notes.firstIndex { $0.id == wanted } ?? min(panel.index, notes.count - 1)
    panel.show(index, width: noteWidth)
    if panel.note?.id == shown { panel.top = top }
    scroll(panel)
    return []
  }

  /// Opens the requested editor after the notes of its ayah have arrived.
  private mutating func openEditor(for wanted: NoteRequest, _ notes: [Note]) -> [Effect] {
    var draft = wanted.draft
    if wanted.id == nil {
      draft = libraryState.shown.drafts.last { draft in
        draft.ayah == wanted.ayah && draft.base != nil && !notes.contains { $0.id == draft.noteID }
      }
      if draft == nil, notes.count > 1 { return openNotes() }
    }
    if let draft {
      guard canChange() else { return [] }
      // The note of a draft may have been deleted.
      let note = notes.first { $0.id == draft.noteID }
      return openEditor(
        draft, original: note?.text.text ?? "", isResumed: true, externally: wanted.isExternal)
    }
    let note = wanted.id == nil ? notes.first : notes.first { $0.id == wanted.id }
    if note == nil { showMessage(messages.noNotes) }
    return edit(note, externally: wanted.isExternal)
  }

  mutating func delete(_ note: NoteSummary?) -> [Effect] {
    guard let note else { return [] }
    let effects = commit([.deleteNote(note.id, note.ayah)])
    guard !effects.isEmpty else { return [] }
    showMessage(messages.noteDeleted(key(.undo)))
    // The note is removed immediately, so that pressing the key again does not delete it twice.
    lists.notes?.removeAll { $0.id == note.id }
    if case .notes(var panel) = overlay {
      panel.notes?.removeAll { $0.id == note.id }
      panel.show(min(panel.index, max((panel.notes?.count ?? 1) - 1, 0)), width: noteWidth)
      overlay = .notes(panel)
      if panel.notes?.isEmpty == true { closeOverlay() }
    }
    revealSelection()
    return effects
  }
}
