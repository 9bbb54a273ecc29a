import FoundationEssentials
import Library
import Messages
import Quran
import Terminal
import Text

/// The notes of an ayah, shown below the text one at a time.
struct NotesPanel: Hashable {
  let ayah: AyahID
  /// Nil until the library answered.
  var notes: [Note]?
  var index = 0
  /// The note shown, laid out.
  var area = TextArea("", width: 1)
  /// The first row shown.
  var top = 0

  var note: Note? {
    guard let notes, notes.indices.contains(index) else { return nil }
    return notes[index]
  }

  /// Shows another of the notes.
  mutating func show(_ index: Int, width: Int) {
    let count = notes?.count ?? 0
    self.index = count == 0 ? 0 : (index % count + count) % count
    area = TextArea(note?.text.text ?? "", width: max(width, 1))
    top = 0
  }
}

/// A note being written.
struct NoteEditor {
  private(set) var draft: Draft
  var area: TextArea
  /// The first row shown.
  var top = 0
  /// The text before anything was typed.
  let original: String
  /// The stored draft that this editor resumed; nil if it resumed none.
  private let begun: Draft?
  /// Whether something was typed that the library does not keep as the draft.
  private(set) var hasUnkeptDraft: Bool
  /// Whether it goes on with what was begun before.
  let isResumed: Bool

  init(_ draft: Draft, original: String, isUnkept: Bool, isResumed: Bool, width: Int) {
    self.draft = draft
    self.original = original
    begun = isResumed ? draft : nil
    hasUnkeptDraft = isUnkept
    self.isResumed = isResumed
    area = TextArea(draft.text, width: max(width, 1))
  }

  var isChanged: Bool { area.byteCount != original.utf8.count || area.text != original }

  /// The draft as it is now.
  func draft(at now: Int64) -> Draft {
    Draft(
      id: draft.id, ayah: draft.ayah, basedOn: draft.basedOn, text: area.text, changedAt: now)
  }

  /// The draft to offer for undo when editing is cancelled; nil if there is nothing to lose.
  func discarded(at now: Int64) -> Draft? {
    if isChanged { return draft(at: now) }
    return begun.flatMap { $0.text == original ? nil : $0 }
  }

  mutating func takeUnkeptDraft(at now: Int64) -> Draft? {
    guard hasUnkeptDraft else { return nil }
    hasUnkeptDraft = false
    return draft(at: now)
  }

  /// The library did not take it: it is tried again.
  mutating func draftWasRefused() { hasUnkeptDraft = true }

  /// Something was typed.
  mutating func typed(height: Int) {
    hasUnkeptDraft = true
    reveal(height: height)
  }

  /// Keeps the cursor among the rows shown.
  mutating func reveal(height: Int) {
    let row = area.cursor.row
    top = min(max(top, row - max(height, 1) + 1), row)
    top = max(min(top, area.rowCount - height), 0)
  }
}

extension Model {
  // MARK: The notes of an ayah

  mutating func stepNote(_ count: Int) -> [Effect] {
    if case .notes(var panel) = overlay {
      panel.show(panel.index + count, width: noteWidth)
      overlay = .notes(panel)
      return []
    }
    guard let ayah = targetAyah else {
      say(messages.openFirst)
      return []
    }
    guard libraryState.shown.noteCount(of: ayah) > 0 else {
      say(messages.writeOne(key(.newNote)))
      return []
    }
    showInText(ayah)
    overlay = .notes(NotesPanel(ayah: ayah))
    typeset()
    return [.library(.notes(ayah))]
  }

  /// Brings an ayah before the eyes to write or read about it.
  private mutating func showInText(_ ayah: AyahID) {
    guard pane != .text || reading.cursor != ayah else { return }
    // A look from a list of notes or favourites leads back to where reading was.
    if pane == .list, tab == .notes || tab == .favorites {
      detour = Detour(reading: reading, place: place, browsing: browsing, hasBegun: hasBegun)
    }
    open(ayah)
  }

  /// Back to the list that the note was looked at from.
  private mutating func endDetour() {
    guard let detour else { return }
    self.detour = nil
    (reading, browsing, hasBegun) = (detour.reading, detour.browsing, detour.hasBegun)
    place = detour.place
    pane = .list
  }

  mutating func panel(_ key: Key, _ panel: NotesPanel) -> [Effect] {
    var panel = panel
    let page = max((geometry.note?.height ?? 2) - 1, 1)
    let action = keys.actions(for: key).first { $0 != .nextHit && $0 != .previousHit }
    switch action {
    case .down: panel.top += 1
    case .up: panel.top -= 1
    case .pageDown: panel.top += page
    case .pageUp: panel.top -= page
    case .halfDown: panel.top += max(page / 2, 1)
    case .halfUp: panel.top -= max(page / 2, 1)
    case .first: panel.top = 0
    case .last: panel.top = .max / 2
    case .nextNote: return stepNote(1)
    case .previousNote: return stepNote(-1)
    case .editNote, .open: return edit(panel.note, externally: false)
    case .externalEditor: return edit(panel.note, externally: true)
    case .deleteNote: return delete(panel.note.map(NoteSummary.init))
    case .newNote: return startNote(externally: false)
    case .undo, .redo, .favorite, .markRead, .theme:
      return action.map { perform($0) } ?? []
    case .copy:
      guard let note = panel.note else { return [] }
      say(messages.copied("✎ \(panel.ayah)"))
      return [.copy(note.text.text)]
    case .quit, .back:
      closePanel()
      return []
    case nil:
      say(messages.unboundKey("\(key)".sanitizedLine, help: "Esc"))
      return []
    case let other?:
      closePanel()
      return perform(other)
    }
    panel.top = max(min(panel.top, panel.area.rowCount - page), 0)
    overlay = .notes(panel)
    return []
  }

  mutating func closePanel() {
    if case .notes = overlay { endDetour() }
    overlay = nil
    typeset()
    revealSelection()
  }

  /// The texts of an ayah's notes came.
  mutating func take(_ notes: [Note], of ayah: AyahID) -> [Effect] {
    if let wanted = wantedNote, wanted.ayah == ayah {
      wantedNote = nil
      let note = wanted.id == nil ? notes.first : notes.first { $0.id == wanted.id }
      var effects: [Effect] = []
      if let note {
        effects = edit(note, externally: wanted.isExternal)
      } else if let draft = wanted.draft {
        // The note is gone; what was written of it is not.
        effects = write(draft, original: "", isResumed: true, externally: wanted.isExternal)
      } else {
        say(messages.noNotes)
      }
      return effects + takeTypedAhead()
    }
    guard case .notes(var panel) = overlay, panel.ayah == ayah else { return [] }
    let shown = panel.note?.id ?? selectedNote?.id
    panel.notes = notes
    guard !notes.isEmpty else {
      closePanel()
      return []
    }
    let top = panel.top
    let index = notes.firstIndex { $0.id == shown } ?? min(panel.index, notes.count - 1)
    let isSame = panel.note?.id == shown && index == panel.index
    panel.show(index, width: noteWidth)
    if isSame { panel.top = max(min(top, panel.area.rowCount - 1), 0) }
    overlay = .notes(panel)
    return []
  }

  /// Says what can be done with a note in the trash, where one is selected.
  private mutating func sayTrashed() -> Bool {
    guard pane == .list, selectedNote?.deletedAt != nil else { return false }
    say(messages.noteIsInTrash("\(Key(.enter))"))
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

  private mutating func delete(_ note: NoteSummary?) -> [Effect] {
    guard let note else { return [] }
    let effects = commit([.deleteNote(note.id, note.ayah)])
    guard !effects.isEmpty else { return [] }
    say(messages.noteDeleted(key(.undo)))
    // Not to be deleted twice by a quick finger.
    noteList?.removeAll { $0.id == note.id }
    if case .notes(var panel) = overlay {
      panel.notes?.removeAll { $0.id == note.id }
      panel.show(min(panel.index, max((panel.notes?.count ?? 1) - 1, 0)), width: noteWidth)
      overlay = .notes(panel)
      if panel.notes?.isEmpty == true { closePanel() }
    }
    revealSelection()
    return effects
  }

  // MARK: Writing

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

  private mutating func edit(_ note: Note?, externally isExternal: Bool) -> [Effect] {
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

  private mutating func resume(_ draft: Draft, externally isExternal: Bool) -> [Effect] {
    guard draft.basedOn != nil else {
      return write(draft, original: "", isResumed: true, externally: isExternal)
    }
    wantedNote = WantedNote(
      ayah: draft.ayah, id: draft.id, isExternal: isExternal, draft: draft)
    return [.library(.notes(draft.ayah))]
  }

  private mutating func write(
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

  /// A note that was not finished is offered in the message line, once that is free.
  mutating func offerDraft() {
    guard message == nil, overlay == nil, editor == nil, let draft = offeredDraft else { return }
    isOfferingDraft = true
    say(messages.draftOffer("\(draft.ayah)", key(.editNote)))
  }

  /// Whether the message line offers a draft now.
  var isOffering: Bool { isOfferingDraft && offeredDraft != nil && message != nil }

  mutating func write(_ key: Key) -> [Effect] {
    guard var editor else { return [] }
    switch (key.code, key.modifiers) {
    case (.character("s"), .control):
      return saveNote()
    case (.character("o"), .control):
      return [.edit(editor.draft(at: now))]
    case (.escape, _):
      guard editor.isChanged else { return closeEditor(droppingDraft: true) }
      overlay = .question(.leaveNote)
    default:
      let height = noteRows
      // Let go, so that the text is changed in place and not copied.
      self.editor = nil
      let isHandled = editor.area.handle(key, page: max(height - 1, 1))
      if isHandled { editor.typed(height: height) }
      self.editor = editor
      if !isHandled { say(messages.unboundKey("\(key)".sanitizedLine, help: "Esc")) }
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

  /// A note that could not be saved is on the screen again.
  ///
  /// - Returns: whether the changes were those of a note.
  mutating func reopen(_ changes: [Change]) -> Bool {
    let draft: Draft
    switch changes.first {
    case .addNote(let id, let ayah, let text):
      draft = Draft(id: id, ayah: ayah, basedOn: nil, text: text.text, changedAt: now)
    case .editNote(let id, let ayah, let text, let basis):
      draft = Draft(id: id, ayah: ayah, basedOn: basis, text: text.text, changedAt: now)
    default:
      return false
    }
    reopen(draft)
    return true
  }

  mutating func reopen(_ draft: Draft) {
    libraryState.openDraft(draft.id)
    // Another note is being written meanwhile: this one goes to the drafts.
    guard editor == nil else {
      rescued.append(draft)
      return
    }
    _ = write(draft, original: "", isUnkept: true)
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
      complain(messages.editorWroteNoText(name, path.sanitizedLine))
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

  /// Columns and rows that a note has.
  var noteWidth: Int { max((geometry.note?.width ?? 3) - 3, 1) }
  var noteRows: Int { max((geometry.note?.height ?? 2) - 1, 1) }
}
