public import Library
import Messages
import Quran

// Requests to the library, and its replies.
extension Model {
  /// Shows changes immediately and requests their commit. Returns no effect if the library does not
  /// accept changes; see `canChange`.
  mutating func commit(_ changes: [Change]) -> [Effect] {
    guard canChange() else { return [] }
    let request = LibraryRequest.commit(changes)
    libraryState.sent(request, at: now)
    return [.library(request)]
  }

  /// Whether the library accepts changes. Reports the reason if it refuses them. If it is still
  /// being opened, the event that is being handled is performed again when it is open.
  mutating func canChange() -> Bool {
    if let refusal = libraryState.refusal, !isOpening {
      showError(messages.explain(refusal))
      return false
    }
    input.awaited = isOpening ? .library : nil
    return libraryState.isOpen
  }

  /// Whether the contents of the library are known. Otherwise does the same as `canChange`.
  mutating func hasContents() -> Bool { libraryState.isOpen || canChange() }

  /// Whether the library is still being opened.
  var isOpening: Bool { !libraryState.isOpen && libraryState.refusal?.isTransient ?? true }

  /// Handles a reply of the library.
  ///
  /// - Parameter time: the time of the reply, in milliseconds since 1970, UTC.
  public mutating func received(_ reply: LibraryReply, at time: Int64) -> [Effect] {
    now = time
    switch reply {
    case .opened(let snapshot, let notices):
      libraryState.refusal = nil
      preservingSelection { $0.libraryState.open(snapshot) }
      for notice in notices { showNotice(notice) }
      applySettings()
      beginLessons()
      loadHistories()
      restorePlace()
      drafts.offered = libraryState.shown.drafts.last
      showDraftOffer()
      let isNew =
        libraryState.refusal == nil && libraryState.shown.device[DeviceKey.importOffered] == nil
      // The import from the older app is offered before the recognised translations are.
      if !isNew { offerTexts() }
      search.isNotesStale = true
      refreshSearch()
      return restoreShownTexts() + (tab == .notes ? [.library(.noteList)] : [])
        + (isSearchShown ? requestIndexes() : [])
        + (isNew ? [.findDump] : [])
        + resume(after: .library)
    case .unavailable(let failure):
      libraryState.refusal = failure
      place.load(nil, cursor: hasOpenedAyah ? position.cursor : nil)
      showError(messages.explain(failure))
      // The library is opened as soon as another process releases it.
      if !failure.isTransient { discardTypedAhead() }
      refreshSearch()
      revealSelection()
    case .noticed(let notice):
      showNotice(notice)
    case .refreshed(let snapshot):
      replaceContents { $0.open(snapshot) }
      return refreshNotes()
    case .changed(let commit):
      replaceContents { $0.changed(commit) }
      return commit.changesNotes ? refreshNotes() : []
    case .done(let request, let commit):
      preservingSelection { $0.libraryState.answered(request, commit) }
      refreshFavoriteHits()
      reportDone(request, commit)
      typeset()
      return commit.changesNotes ? refreshNotes() : []
    case .refused(let request, let failure):
      libraryState.answered(request, nil)
      refused(request, failure)
      // A deleted note left the list before the library refused the deletion.
      if case .commit(let changes) = request, lists.notes != nil,
        changes.contains(where: { if case .deleteNote = $0 { true } else { false } })
      {
        return [.library(.noteList)]
      }
    case .notes(let ayah, let notes):
      return receivedNotes(notes, of: ayah)
    case .noteList(let list):
      preservingSelection { $0.lists.notes = list }
      select(note: lists.wantedNote)
      lists.wantedNote = nil
      revealSelection()
    case .notesWithIDs(let notes):
      search.shownNotes = Dictionary(notes.map { ($0.id, $0) }) { $1 }
    case .allNotes:
      break
    }
    return []
  }

  /// Shows other contents of the library, with their settings if they differ.
  mutating func replaceContents(_ change: (inout LibraryState) -> Void) {
    let settings = libraryState.shown.settings
    preservingSelection { change(&$0.libraryState) }
    refreshFavoriteHits()
    if libraryState.shown.settings != settings { applySettings() }
    typeset()
  }

  /// Changes the lists, and keeps the selected note or favourite selected; the next one is selected
  /// if it is deleted.
  mutating func preservingSelection(_ change: (inout Model) -> Void) {
    let draft = selectedDraft?.noteID
    let note = draft ?? selectedNote?.id
    let favorite = tab == .favorites ? selectedAyah : nil
    change(&self)
    if draft.map({ select(draftOf: $0) }) != true { select(note: note) }
    if let row = libraryState.favorites.firstIndex(where: { $0.ayah == favorite }) {
      lists[.favorites].selection = row
    }
    revealSelection()
  }

  private mutating func showNotice(_ notice: Notice) {
    if case .unchangeable(let failure) = notice { libraryState.refusal = failure }
    showError(messages.explain(notice))
  }

  private mutating func reportDone(_ request: LibraryRequest, _ commit: Commit) {
    switch request {
    case .restoreNote:
      if commit.isEmpty {
        showMessage(messages.noteIsThereAlready)
      } else {
        showMessage(messages.restored(describe(commit)))
      }
    case .undo, .redo:
      let isUndo = request == .undo
      // The user has just changed what counts as read.
      if commit.edits.contains(where: { $0.thing.kind == .progress }) {
        updateBrowsing(at: position.cursor)
      }
      guard !commit.isEmpty else {
        showMessage(isUndo ? messages.nothingToUndo : messages.nothingToRedo)
        return
      }
      showMessage(isUndo ? messages.undone(describe(commit)) : messages.redone(describe(commit)))
      selectWhatIsBack(commit)
      if let edit = commit.draft {
        drafts.offered = edit.isStored && !isNoteListFocused ? edit.draft : nil
        // The message names the key that resumes the draft.
        drafts.isOffered = drafts.offered != nil && overlay == nil && editor == nil
      }
    case .saveReading, .save:
      saveSucceeded()
    case .commit(let changes):
      guard case .editNote(let id, let ayah, let text, _) = changes.first,
        case .note(let note) = commit.edits.first?.after
      else { return }
      if note.id != id {
        showMessage(messages.noteKeptBeside("\(ayah)"))
      } else if note.text != text {
        showMessage(messages.noteMerged("\(ayah)"))
      }
    default:
      break
    }
  }

  /// Selects in its list the note, draft or favourite that undo or redo brought back, so that the
  /// next key does not act on another one.
  private mutating func selectWhatIsBack(_ commit: Commit) {
    guard pane == .list else { return }
    if let edit = commit.draft, edit.isStored { select(draftOf: edit.draft.noteID) }
    switch commit.edits.first(where: { $0.before == nil })?.after {
    case .note(let note): lists.wantedNote = note.id
    case .favorite(let favorite) where tab == .favorites:
      let row = libraryState.favorites.firstIndex { $0.ayah == favorite.ayah }
      if let row { lists[.favorites].selection = row }
    default: break
    }
    revealSelection()
  }

  private func describe(_ commit: Commit) -> String {
    if let edit = commit.draft {
      if edit.isStored {
        // In an overlay and in the editor the key has another meaning, or none.
        let key = overlay == nil && editor == nil ? self.key(.editNote) : nil
        return messages.draftIsThere("\(edit.draft.ayah)", key)
      }
      if commit.edits.isEmpty { return messages.draftIsGone("\(edit.draft.ayah)") }
    }
    guard commit.edits.count == 1, commit.days.isEmpty, let edit = commit.edits.first else {
      return messages.things(commit.count)
    }
    switch (edit.before, edit.after) {
    case (nil, .favorite(let favorite)): return messages.favoriteIsThere("\(favorite.ayah)")
    case (.favorite(let favorite), nil): return messages.favoriteIsGone("\(favorite.ayah)")
    case (nil, .note(let note)): return messages.noteIsThere("\(note.ayah)")
    case (.note(let note), nil): return messages.noteIsGone("\(note.ayah)")
    case (.note(let note), _): return messages.noteIsChanged("\(note.ayah)")
    case (_, .progress(let progress)):
      let percent = progress.lastReadAyah * 100 / progress.totalAyahs
      return messages.progressIs(progress.surah.surah.transliteration, percent)
    default: return messages.name(of: edit.thing)
    }
  }

  mutating func refused(_ request: LibraryRequest, _ failure: LibraryFailure) {
    let reason = messages.explain(failure)
    switch request {
    case .commit(let changes):
      // The editor is opened again with the text.
      showError(reopen(changes) ? noteStillHere(failure) : reason)
    case .discardDraft(let draft):
      reopen(draft)
      showError(noteStillHere(failure))
    case .saveReading(let reading):
      saveFailed(failure)
      libraryState.mergeUnsaved(reading)
    case .save(let draft):
      // While the text is nowhere in the library, each failure is reported.
      saving.reportedFailure = nil
      saveFailed(failure)
      if editor?.draft.id == draft.id {
        editor?.markDraftAsUnsaved()
      } else {
        drafts.unsaved.append(draft)
      }
    case .notes(let ayah):
      if drafts.requested?.ayah == ayah {
        drafts.requested = nil
        // The events that waited were meant for the text of the note.
        input.typedAhead = []
      }
      showError(reason)
    default:
      showError(reason)
    }
    typeset()
    revealSelection()
  }
}

extension Model {
  /// Returns a sentence that says why a note is not saved, and that its text is in the editor.
  func noteStillHere(_ failure: LibraryFailure) -> String {
    failure == .diskFull
      ? messages.noteNeedsRoom(save: key(.save, in: .editor))
      : messages.noteStillHere(messages.explain(failure))
  }
}

extension Commit {
  fileprivate var changesNotes: Bool {
    draft != nil || edits.contains { $0.thing.kind == .note }
  }
}
