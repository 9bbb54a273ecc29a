import FoundationEssentials
import Library
import Messages
import Quran
import Terminal
import Text

extension Model {
  /// Opens the panel with the notes of the target ayah.
  mutating func openNotes() -> [Effect] {
    guard let ayah = targetAyah else { return [] }
    guard hasNotes(ayah) else {
      if hasContents() { showMessage(messages.writeOne(key(.newNote))) }
      return []
    }
    return openNote(nil, of: ayah)
  }

  /// Whether an ayah has notes, finished or not.
  func hasNotes(_ ayah: AyahID) -> Bool {
    libraryState.shown.noteCount(of: ayah) > 0
      || libraryState.shown.drafts.contains { $0.ayah == ayah }
  }

  /// Opens the panel with the notes of an ayah.
  ///
  /// - Parameter id: The note or draft to show first; see `NotesPanel.wantedID`.
  mutating func openNote(_ id: UUID?, of ayah: AyahID) -> [Effect] {
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
      panel.show(panel.index + (action == .nextNote ? 1 : -1))
      overlay = .notes(panel)
      return []
    case .editNote, .open, .externalEditor:
      let isExternal = action == .externalEditor
      if let draft = panel.draft { return resumeDraft(draft, externally: isExternal) }
      return edit(panel.note, externally: isExternal)
    case .deleteNote:
      if let draft = panel.draft { return discard(draft) }
      return delete(panel.note.map(NoteSummary.init))
    case .newNote: return startNote(externally: false)
    case .undo, .redo, .favorite, .markRead, .theme:
      return action.map { perform($0) } ?? []
    case .copy:
      guard let text = panel.note?.text.text ?? panel.draft?.text else { return [] }
      showMessage(messages.copied("✎ \(panel.ayah)"))
      return [.copy(text)]
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
    let shown = panel.shownID
    let top = panel.top
    panel.notes = notes
    update(panel, showing: shown ?? panel.wantedID ?? selectedNote?.id ?? selectedDraft?.id)
    if case .notes(var panel) = overlay, panel.shownID == shown {
      panel.top = top
      scroll(panel)
    }
    return []
  }

  /// Shows the panel after notes or drafts were added or removed, or closes it if none is left.
  ///
  /// - Parameter id: The note or draft to show.
  private mutating func update(_ panel: NotesPanel, showing id: UUID?) {
    var panel = panel
    panel.drafts = libraryState.shown.drafts.filter { $0.ayah == panel.ayah }
    panel.show(id: id)
    overlay = .notes(panel)
    if panel.count == 0 { closeOverlay() }
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
      update(panel, showing: panel.shownID)
    }
    revealSelection()
    return effects
  }

  mutating func discard(_ draft: Draft) -> [Effect] {
    guard canChange() else { return [] }
    libraryState.deleteDraft(draft)
    if drafts.offered?.id == draft.id { withdrawDraftOffer() }
    showMessage(messages.noteDiscarded(key(.undo)))
    if case .notes(let panel) = overlay { update(panel, showing: nil) }
    typeset()
    revealSelection()
    return [.library(.discardDraft(draft))]
  }
}
