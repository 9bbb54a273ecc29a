import Library
import Messages
import Quran
import Terminal
import Text

extension Model {
  /// Opens the editor for a new note of the target ayah, or for its unfinished new note, if there
  /// is one. While ayahs are selected, only an unfinished note about them is continued.
  mutating func startNote(externally isExternal: Bool) -> [Effect] {
    guard let ayah = targetAyahs?.lowerBound, canChange() else { return [] }
    var text = ""
    if let selection {
      // A note about several ayahs belongs to the first of them, and begins with their reference.
      text = "\(selection.reference) "
      setPosition(pager.show(TextPosition(cursor: ayah, top: position.top)))
      selectionStart = nil
    }
    let unfinished = libraryState.shown.drafts.last {
      $0.ayah == ayah && $0.base == nil && $0.text.hasPrefix(text)
    }
    let draft =
      unfinished
      ?? Draft(id: newID(), noteID: newID(), ayah: ayah, base: nil, text: text, changedAt: now)
    return openEditor(
      draft, original: text, isResumed: unfinished != nil, externally: isExternal)
  }

  mutating func editNote(externally isExternal: Bool) -> [Effect] {
    if isNoteListFocused, let draft = selectedDraft {
      return resumeDraft(draft, externally: isExternal)
    }
    if drafts.isOffered, let draft = drafts.offered {
      withdrawDraftOffer()
      return resumeDraft(draft, externally: isExternal)
    }
    if showTrashHint() { return [] }
    guard let ayah = targetAyah else {
      showMessage(messages.openAyahFirst)
      return []
    }
    guard canChange() else { return [] }
    let unfinished = libraryState.shown.drafts.filter { $0.ayah == ayah }
    switch libraryState.shown.noteCount(of: ayah) {
    case 0:
      // The draft may belong to a note that was deleted.
      if let draft = unfinished.last {
        return resumeDraft(draft, externally: isExternal)
      }
      if isExternal { return startNote(externally: true) }
      showMessage(messages.writeOne(key(.newNote)))
      return []
    case 1:
      drafts.requested = NoteRequest(ayah: ayah, isExternal: isExternal)
      return [.library(.notes(ayah))]
    default:
      if let note = selectedNote, pane == .list {
        drafts.requested = NoteRequest(ayah: ayah, id: note.id, isExternal: isExternal)
        return [.library(.notes(ayah))]
      }
      guard unfinished.contains(where: { $0.base != nil }) else { return openNotes() }
      // One of the drafts may belong to a note that was deleted.
      drafts.requested = NoteRequest(ayah: ayah, isExternal: isExternal)
      return [.library(.notes(ayah))]
    }
  }

  mutating func edit(_ note: Note?, externally isExternal: Bool) -> [Effect] {
    guard let note, canChange() else { return [] }
    let unfinished = libraryState.shown.drafts.last { $0.noteID == note.id }
    let draft =
      unfinished
      ?? Draft(
        id: newID(), noteID: note.id, ayah: note.ayah, base: note.text, text: note.text.text,
        changedAt: now)
    return openEditor(
      draft, original: note.text.text, isResumed: unfinished != nil, externally: isExternal)
  }

  mutating func openEditor(
    _ stored: Draft, original: String, isUnsaved: Bool = false, isResumed: Bool = false,
    externally isExternal: Bool = false
  ) -> [Effect] {
    overlay = nil
    // In the editor, the key that an offer names types a character.
    if isShowingDraftOffer { message = nil }
    if drafts.offered?.id == stored.id { withdrawDraftOffer() }
    let draft = isResumed ? Draft(resuming: stored, id: newID()) : stored
    libraryState.reopenDraft(draft.id)
    showInText(draft.ayah)
    editor = NoteEditor(draft, original: original, isUnsaved: isUnsaved, isResumed: isResumed)
    typeset()
    return isExternal ? [.edit(draft)] : []
  }

  mutating func handleEditor(_ key: Key) -> [Effect] {
    guard var editor else { return [] }
    switch KeyContext.editor.action(for: key) {
    case .save:
      return saveNote()
    case .openExternalEditor:
      return [.edit(editor.draft(at: now))]
    case .cancel:
      guard editor.isChanged else { return closeEditor(droppingDraft: true) }
      if editor.isAsResumed { return leaveUnfinished() }
      overlay = .question(.unsavedNote)
    case nil:
      let height = noteRows
      // The model gives up its reference, so that the text is changed in place and not copied.
      self.editor = nil
      let isHandled = editor.area.handle(key, page: max(height - 1, 1))
      if isHandled { editor.textDidChange(height: height) }
      self.editor = editor
      if !isHandled { showUnboundKey(key) }
    }
    return []
  }

  mutating func saveNote() -> [Effect] {
    guard let editor else { return [] }
    guard editor.isChanged else {
      showMessage(messages.noteUnchanged)
      return closeEditor(droppingDraft: true)
    }
    let draft = editor.draft(at: now)
    let text: NoteText
    do {
      text = try NoteText(draft.text)
    } catch {
      let reason = messages.explain(error)
      if case .tooLong = error { showError(messages.draftKept(reason)) } else { showError(reason) }
      return []
    }
    let change =
      draft.base.map { Change.editNote(draft.noteID, draft.ayah, text, basedOn: $0) }
      ?? .addNote(draft.noteID, draft.ayah, text)
    // Undo takes the note of a resumed draft back to what it was: unfinished.
    let end = draft.resumedFrom == nil ? Change.deleteDraft(draft.id) : .discardDraft(draft)
    let effects = commit([change, end])
    guard !effects.isEmpty else { return [] }
    showMessage(messages.noteSaved(key(.undo)))
    return effects + closeEditor(droppingDraft: false)
  }

  /// - Parameter droppingDraft: whether to delete the stored draft; false if the note is saved,
  ///   which deletes it.
  mutating func closeEditor(droppingDraft: Bool) -> [Effect] {
    guard let editor else { return [] }
    self.editor = nil
    returnToList()
    preservingSelection { $0.libraryState.deleteDraft(editor.draft) }
    if !droppingDraft { lists.wantedNote = editor.draft.noteID }
    typeset()
    revealSelection()
    guard droppingDraft else { return [] }
    let discarded = editor.discarded(at: now)
    if let discarded { return [.library(.discardDraft(discarded))] }
    return [editor.draft.id, editor.draft.resumedFrom].compactMap { id in
      id.map { .library(.deleteDraft($0)) }
    }
  }

  /// Closes the editor of a resumed draft, and leaves the draft as it was.
  private mutating func leaveUnfinished() -> [Effect] {
    let unsaved = editor?.draftToSave(at: now)
    editor = nil
    returnToList()
    // An intermediate text may be stored.
    if let unsaved { libraryState.sent(.save(unsaved), at: now) }
    typeset()
    revealSelection()
    return unsaved.map { [.library(.save($0))] } ?? []
  }

  /// Applies the outcome of an external editor.
  public mutating func applyEditorResult(
    _ outcome: ReaderSession.EditorResult, by name: String
  ) -> [Effect] {
    guard let editor else { return [] }
    switch outcome {
    case .text(let written):
      guard let text = NoteText.edited(written, from: editor.area.text) else {
        showMessage(messages.noteUnchanged)
        return editor.isChanged ? [] : closeEditor(droppingDraft: true)
      }
      replaceText(text)
      return saveNote()
    case .failed(let status, let written?):
      replaceText(written)
      showError(messages.editorFailedAfterWriting(name, status))
    case .failed(let status, nil):
      showError(messages.editorFailed(name, status))
      if !editor.isChanged { return closeEditor(droppingDraft: true) }
    case .notText(let path):
      showError(messages.editorWroteNoText(name, path.sanitizedLine))
    case .notStarted(let code):
      showError(messages.editorNotStarted(name, code))
    }
    return []
  }

  private mutating func replaceText(_ text: String) {
    let (width, height) = (noteWidth, noteRows)
    editor?.area = TextArea(text, width: width)
    editor?.textDidChange(height: height)
  }
}
