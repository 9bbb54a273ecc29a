import Library
import Messages
import Quran
import Terminal
import Text

extension Model {
  /// A new note of the ayah, or the one that was not finished.
  mutating func startNote(externally isExternal: Bool) -> [Effect] {
    guard let ayah = targetAyah else {
      say(messages.openFirst)
      return []
    }
    guard canChange() else { return [] }
    let unfinished = libraryState.shown.drafts.last { $0.ayah == ayah && $0.basedOn == nil }
    let draft =
      unfinished ?? Draft(id: newID(), ayah: ayah, basedOn: nil, text: "", changedAt: now)
    return write(
      draft, original: "", isResumed: unfinished != nil, externally: isExternal)
  }

  mutating func editNote(externally isExternal: Bool) -> [Effect] {
    if isOfferingDraft, let draft = offeredDraft {
      offeredDraft = nil
      return resume(draft, externally: isExternal)
    }
    if sayTrashed() { return [] }
    guard let ayah = targetAyah else {
      say(messages.openFirst)
      return []
    }
    guard canChange() else { return [] }
    switch libraryState.shown.noteCount(of: ayah) {
    case 0:
      // Also one of a note that is gone.
      if let draft = libraryState.shown.drafts.last(where: { $0.ayah == ayah }) {
        return resume(draft, externally: isExternal)
      }
      if isExternal { return startNote(externally: true) }
      say(messages.writeOne(key(.newNote)))
      return []
    case 1:
      wantedNote = WantedNote(ayah: ayah, isExternal: isExternal)
      return [.library(.notes(ayah))]
    default:
      if let note = selectedNote, pane == .list {
        wantedNote = WantedNote(ayah: ayah, id: note.id, isExternal: isExternal)
        return [.library(.notes(ayah))]
      }
      return stepNote(0)
    }
  }

  mutating func edit(_ note: Note?, externally isExternal: Bool) -> [Effect] {
    guard let note, canChange() else { return [] }
    let unfinished = libraryState.shown.drafts.last { $0.id == note.id }
    let draft =
      unfinished
      ?? Draft(
        id: note.id, ayah: note.ayah, basedOn: note.modifiedAt, text: note.text.text,
        changedAt: now)
    return write(
      draft, original: note.text.text, isResumed: unfinished != nil, externally: isExternal)
  }

  mutating func write(
    _ draft: Draft, original: String, isUnkept: Bool = false, isResumed: Bool = false,
    externally isExternal: Bool = false
  ) -> [Effect] {
    if case .notes = overlay { overlay = nil }
    if offeredDraft?.id == draft.id { offeredDraft = nil }
    libraryState.openDraft(draft.id)
    showInText(draft.ayah)
    editor = NoteEditor(
      draft, original: original, isUnkept: isUnkept, isResumed: isResumed, width: 1)
    typeset()
    return isExternal ? [.edit(draft)] : []
  }

  mutating func write(_ key: Key) -> [Effect] {
    guard var editor else { return [] }
    switch keys.action(for: key, in: .editor) {
    case .save:
      return saveNote()
    case .openExternalEditor:
      return [.edit(editor.draft(at: now))]
    case .cancel:
      guard editor.isChanged else { return closeEditor(droppingDraft: true) }
      overlay = .question(.leaveNote)
    case nil:
      let height = noteRows
      // Let go, so that the text is changed in place and not copied.
      self.editor = nil
      let isHandled = editor.area.handle(key, page: max(height - 1, 1))
      if isHandled { editor.typed(height: height) }
      self.editor = editor
      if !isHandled { sayUnbound(key, help: self.key(.cancel, in: .editor)) }
    }
    return []
  }

  mutating func saveNote() -> [Effect] {
    guard let editor else { return [] }
    guard editor.isChanged else {
      say(messages.noteUnchanged)
      return closeEditor(droppingDraft: true)
    }
    let draft = editor.draft(at: now)
    let text: NoteText
    do {
      text = try NoteText(draft.text)
    } catch {
      let reason = messages.explain(error)
      if case .tooLong = error { complain(messages.draftKept(reason)) } else { complain(reason) }
      return []
    }
    let change =
      draft.basedOn.map { Change.editNote(draft.id, draft.ayah, text, basedOn: $0) }
      ?? .addNote(draft.id, draft.ayah, text)
    let effects = commit([change])
    guard !effects.isEmpty else { return [] }
    say(messages.noteSaved(key(.undo)))
    return effects + closeEditor(droppingDraft: false)
  }

  /// - Parameter droppingDraft: whether what was kept of the text is to go, too; a note
  ///   that is saved takes it away by itself.
  mutating func closeEditor(droppingDraft: Bool) -> [Effect] {
    guard let editor else { return [] }
    self.editor = nil
    endDetour()
    libraryState.dropDraft(editor.draft.id)
    typeset()
    revealSelection()
    guard droppingDraft else { return [] }
    let discarded = editor.discarded(at: now)
    return [.library(discarded.map { .discardDraft($0) } ?? .dropDraft(editor.draft.id))]
  }

  /// What the editor of the reader's choice made of the draft.
  public mutating func edited(
    _ outcome: ReaderSession.Outside.Edited, by name: String
  ) -> [Effect] {
    guard let editor else { return [] }
    switch outcome {
    case .text(var text):
      // Editors end the last line where the note did not.
      if text.hasSuffix("\n"), !editor.area.text.hasSuffix("\n") { text.removeLast() }
      // Unchanged or empty means that nothing was written.
      if text.allSatisfy(\.isWhitespace) || NoteText.normalized(text) == editor.area.text {
        say(messages.noteUnchanged)
        return editor.isChanged ? [] : closeEditor(droppingDraft: true)
      }
      replaceText(text)
      return saveNote()
    case .failed(let status, let written?):
      replaceText(written)
      complain(messages.editorFailedAfterWriting(name, status))
    case .failed(let status, nil):
      complain(messages.editorFailed(name, status))
      if !editor.isChanged { return closeEditor(droppingDraft: true) }
    case .notText(let path):
      complain(messages.editorWroteNoText(name, path.displayableLine))
    case .notStarted(let code):
      complain(messages.editorNotStarted(name, code))
    }
    return []
  }

  private mutating func replaceText(_ text: String) {
    let (width, height) = (noteWidth, noteRows)
    editor?.area = TextArea(text, width: width)
    editor?.typed(height: height)
  }
}
